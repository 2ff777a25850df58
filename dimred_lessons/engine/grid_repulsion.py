"""Repulsion of all pairs by a grid and a Fourier transform: n log n instead of n² operations.

Student's kernel K(δ) = 1/(1 + ‖δ‖²) is smooth: from one node of a grid to the next, an hth of its width apart, it
hardly changes. So points are spread over the nodes around them, nodes act on nodes, and the sum is read off at the
points. With β the quadratic B-spline and W_ia = Π_c β(y_ic / h − a_c) the share of node a in point i (nine nodes in the
plane),

    Σ_j G(y_i − y_j) ≈ (W g Wᵀ 1)_i,   g_ab a function of a − b alone: a convolution.

A convolution is a product of Fourier transforms. The grid is twice as long as the map, and the other half is empty:
otherwise the map would feel its own copy, for a transform takes what ends on the right to go on at the left.

**Which g.** The sum on the left is best replaced, in the mean over all places of the two points within their cells, by
its projection on the splines of either point. The dual spline that projects has the transform β̂ / b, where
β̂ = sinc³ is that of the spline, and b(θ) = Σ_j β*β(j) cos(2πjθ) that of its products with its own shifts. Hence
ĝ = Ĝ sinc⁶ / b²: Ĝ sharpened by what spreading and reading blur (Hockney and Eastwood, 1988).

**Three transforms.** Forces need G = K² δ_c for each coordinate c, and the total needs K. The ones that are spread are
the same for all three: one transform there, and one back for each force. The total is a sum over the spectrum
(Parseval), Z + n = Σ ĝ |F(Wᵀ1)|² / N, so that it needs none. K² δ_c is odd, so that its transform is imaginary: what
else the transform of its samples holds belongs to the one sample that has no opposite, and is dropped.

**Error.** It comes from h alone, and falls by about its third power: at h = 1/3, the force of a pair is off by at most
3% of the strongest that a pair can have; those of many points are off by less than 1% (norm of all errors by norm of
all forces), Z + n by 0.5%, and by 1e-4 where it sums many pairs; single precision adds 1e-5.
A map that is smaller than 16 nodes gets a finer grid; one that would need more than four million nodes, because a
point has run far away, a coarser one.
"""

from concurrent.futures import Executor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import fft
from scipy.interpolate import BSpline

SPACING = 1 / 3  # of the nodes, in the width of the kernel
FEWEST, MOST = 16, 2**22  # nodes along the longer axis, and of the whole grid: 2**22 take 0.2 GB
LEAST = 1e-4  # of the total, for each point: what its error leaves of that of points far from each other
ORDER = 3  # of the splines, that is, nodes around a point along an axis
# β*β is the spline of twice the order; at the nodes, once in the middle, and twice on its sides
_OVERLAPS = BSpline.basis_element(np.arange(2 * ORDER + 1))(ORDER + np.arange(ORDER)) * [1, 2, 2]


class Repulsion(NamedTuple):
    """Forces F_i = Σ_j K_ij² (y_i − y_j), of shape (n, d), and the total Z = Σ_{i≠j} K_ij, of all points or of each."""

    forces: np.ndarray
    total: float | np.ndarray


class GridRepulsion:
    """The repulsion of places in one or two dimensions; the transforms of the kernels are kept from call to call.

    Parameters
    ----------
    pool : Executor
        Threads that share the work; the sums do not depend on which thread is first.
    n_threads : int
        In how many parts the points are cut. Another number changes the last digits.
    spacing : float
        h, in the unit of the places.
    """

    def __init__(self, pool: Executor, n_threads: int = 1, spacing: float = SPACING) -> None:
        self.pool, self.n_threads, self.spacing = pool, n_threads, spacing
        self.step, self.shape = 0.0, (0,)

    def __call__(self, Y: np.ndarray) -> Repulsion:
        """Forces on all places, and the total of all pairs.

        Parameters
        ----------
        Y : array of shape (n, d), of single precision, d = 1 or 2

        Returns
        -------
        Repulsion
        """
        n, d = Y.shape
        shares, spectrum = self._spread(Y)
        power = spectrum.real**2 + spectrum.imag**2
        # The half of the spectrum that is not kept mirrors this one, but for its ends
        whole = 2 * np.vdot(self.even, power)
        whole -= np.vdot(self.even[..., 0], power[..., 0]) + np.vdot(self.even[..., -1], power[..., -1])
        total = max(float(whole) / (2**d * np.prod(self.shape)) - n, LEAST * n)
        spectrum *= np.complex64(1j)
        fields = [self._back(kernel * spectrum) for kernel in self.odd]
        forces = np.empty_like(Y)

        def read(part, share):
            for c, field in enumerate(fields):
                forces[part, c] = _read(field, share)

        list(self.pool.map(read, self._parts(n), shares))
        return Repulsion(forces, total)

    def field_of(self, Y: np.ndarray) -> "RepulsionField":
        """What other points would feel at any place, as long as these stay where they are.

        Parameters
        ----------
        Y : array of shape (n, d), of single precision

        Returns
        -------
        RepulsionField
        """
        _, spectrum = self._spread(Y)
        fields = [self._back(self.even * spectrum)]
        spectrum *= np.complex64(1j)
        fields += [self._back(kernel * spectrum) for kernel in self.odd]
        return RepulsionField(self, Y.min(axis=0), fields)

    def _parts(self, n):
        ends = np.linspace(0, n, self.n_threads + 1).astype(int)
        return [slice(*pair) for pair in pairwise(ends)]

    def _spread(self, Y):
        """The shares of the nodes in each part of the points, and the transform of their sums, Wᵀ1."""
        low = Y.min(axis=0)
        self._fit_grid(Y.max(axis=0) - low)
        shares = list(self.pool.map(lambda part: self._shares(Y[part], low), self._parts(len(Y))))
        size = int(np.prod(self.shape))
        counts = sum(self.pool.map(lambda share: np.bincount(share.nodes.ravel(), share.weights.ravel(), size), shares))
        return shares, self._forward(counts.astype(np.float32).reshape(self.shape))

    def _fit_grid(self, span):
        """Nodes for a map of this span along each axis: those of the last call, if they suit."""
        span = np.maximum(span, 1e-12)
        halvings = np.floor(np.log2(span.max() / self.spacing / FEWEST))  # powers of two: a grid lasts a while
        doublings = np.ceil(np.log2(np.prod(span / self.spacing + ORDER + 1) / MOST) / len(span))
        step = float(self.spacing * 2.0 ** (min(0, halvings) + max(0, doublings)))
        needed = np.ceil(span / step).astype(int) + ORDER + 1
        if step == self.step and np.all(needed <= self.shape) and np.all(3 * needed >= self.shape):
            return
        self.step, self.shape = step, tuple(fft.next_fast_len(int(1.05 * count), real=True) for count in needed)
        padded = [2 * count for count in self.shape]
        delta = np.meshgrid(*(step * fft.fftfreq(count, 1 / count) for count in padded), indexing="ij", sparse=True)
        frequencies = [*map(fft.fftfreq, padded[:-1]), fft.rfftfreq(padded[-1])]
        K = 1 / (1 + sum(axis**2 for axis in delta))
        sharpening = 1.0
        for theta in np.meshgrid(*frequencies, indexing="ij", sparse=True):
            b = sum(overlap * np.cos(2 * np.pi * j * theta) for j, overlap in enumerate(_OVERLAPS))
            sharpening = sharpening * np.sinc(theta) ** (2 * ORDER) / b**2
        self.even = (sharpening * fft.rfftn(K, workers=self.n_threads).real).astype(np.float32)
        self.odd = [
            (sharpening * fft.rfftn(K**2 * axis, workers=self.n_threads).imag).astype(np.float32) for axis in delta
        ]

    def _shares(self, Y, low):
        """The nodes around each point, and its shares in them, arrays (3^d, n): the entries of W."""
        along = []
        for c in range(Y.shape[1]):
            place = (Y[:, c] - low[c]) * np.float32(1 / self.step) + np.float32(1)
            nearest = np.floor(place + np.float32(0.5))
            t = place - nearest  # single precision, as long as the node is no integer
            nearest = nearest.astype(np.intp)
            spline = (0.5 - t) ** 2 / 2, 0.75 - t**2, (0.5 + t) ** 2 / 2
            along.append([(nearest + k, weight) for k, weight in zip((-1, 0, 1), spline, strict=True)])
        if len(along) == 1:
            pairs = along[0]
        else:
            pairs = [(a * self.shape[1] + b, u * v) for a, u in along[0] for b, v in along[1]]
        return _Shares(*(np.array(each) for each in zip(*pairs, strict=True)))

    def _forward(self, counts):
        """Half of the spectrum of the padded grid; rows that hold nothing but padding are not transformed twice."""
        spectrum = fft.rfft(counts, 2 * self.shape[-1], workers=self.n_threads)
        if counts.ndim == 2:
            spectrum = fft.fft(spectrum, 2 * self.shape[0], axis=0, workers=self.n_threads)
        return spectrum

    def _back(self, spectrum):
        """The field at the nodes, without the padding."""
        if spectrum.ndim == 2:
            spectrum = fft.ifft(spectrum, axis=0, workers=self.n_threads, overwrite_x=True)[: self.shape[0]]
        field = fft.irfft(spectrum, 2 * self.shape[-1], workers=self.n_threads)
        return np.ascontiguousarray(field[..., : self.shape[-1]]).ravel()


class RepulsionField:
    """The sums Σ_j K(y − y_j) and Σ_j K(y − y_j)² (y − y_j) over points that stay where they are, at any place y.

    Where the grid of these points ends, it is as at its border.

    Parameters
    ----------
    grid : GridRepulsion
    low : array of shape (d,)
        The first corner of the grid.
    fields : list of arrays, the sums at its nodes
    """

    def __init__(self, grid: GridRepulsion, low: np.ndarray, fields: list[np.ndarray]) -> None:
        self.grid, self.low, self.fields = grid, low, fields
        self.high = low + np.float32(grid.step) * (np.array(grid.shape, np.float32) - ORDER)

    def __call__(self, Y: np.ndarray) -> Repulsion:
        """Forces on new points, and the total for each of them.

        Parameters
        ----------
        Y : array of shape (m, d), of single precision

        Returns
        -------
        Repulsion, with totals of shape (m,)
        """
        share = self.grid._shares(np.clip(Y, self.low, self.high), self.low)
        total, *forces = (_read(field, share) for field in self.fields)
        return Repulsion(np.stack(forces, axis=1), total)


class _Shares(NamedTuple):
    nodes: np.ndarray
    weights: np.ndarray


def _read(field, share):
    """A field at some points: a row of W times the field for each."""
    pairs = zip(share.nodes, share.weights, strict=True)
    return sum(np.take(field, nodes, mode="clip") * weights for nodes, weights in pairs)
