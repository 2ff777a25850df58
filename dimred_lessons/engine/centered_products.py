"""Singular values of centered points by products with them, without a copy of them: lazy centering.

The problem
    A = X − 1x̄ᵀ (n, D) are the points less their mean. A few singular values, with their vectors, are wanted. Forming A
    and decomposing all of it takes a copy of the points and many times the work. Below, B is A or, if the points have
    more columns than there are points, Aᵀ: it has m = min(n, D) columns and more rows than that.

1. Products center on the way
    All that is needed are BᵀB (m, m), BV and Bᵀ(BV), for m × d arrays V. Each reads the points once, block after block,
    and centers each block in the cache of the processor, where that costs next to nothing. Three classes do so in the
    ways that three kinds of points allow: `RowBlocks`, `ColumnBlocks`, and `NearOrigin` for points that need no
    centering before a product, only after it.

2. Squares, and back
    The eigenvectors V of BᵀB are the right singular vectors, its eigenvalues the squares σ². Squaring costs digits:
    rounding of ε σ₁² in BᵀB turns the vector of σ_j by up to ε σ₁² / (gap of the squares), where a decomposition of B
    itself has ε σ₁ / (gap of the values). If σ₁ ≤ 8 σ_d, and LAPACK has found V, the images BV = UΣ are orthogonal up
    to a few roundings as they come.

3. The round trip restores the digits
    Otherwise: U spans the images BV, orthonormal (QR); BᵀU = V'ΣQ is decomposed, which turns both bases so that
    BᵀU = VΣ holds exactly. What the trip moves out of the span of V is the error of the other equation, BV = UΣ, and
    shrinks from trip to trip by the factor (σ_{d+1} / σ_d)². The trips end when it is below 10 ε √d σ₁, which is also
    what LAPACK leaves of both equations.

Where σ_d ≤ 10⁻⁴ σ₁, fewer than half of the digits of σ_d² survive the squaring, and where three trips are not enough,
the vectors are nearly undetermined: there, and where all singular values are wanted, A is formed and decomposed.

Error. Where round trips end, BV = UΣ and BᵀU = VΣ hold up to 10 ε √d σ₁; where none is needed, up to some roundings,
since squaring multiplies them by 8 at most. All else is LAPACK's.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import linalg

from dimred_lessons.engine.choice import small
from dimred_lessons.engine.krylov import largest_eigenpairs
from dimred_lessons.engine.threads import one_blas_thread
from dimred_lessons.memory import CACHED

_EPS = np.finfo(float).eps
# σ_d² / σ₁² down to which σ_d² has half of its digits, so that round trips can restore the others.
_HALF_OF_THE_DIGITS = 1e-8
# σ₁² / σ_d² up to which squaring multiplies rounding by so little (by its root, 8) that no round trip is needed.
_NEARLY_EQUAL = 64
# Numbers of the points from which a first estimate of their mean is made.
_SAMPLE = 50_000


class CenteredDecomposition(NamedTuple):
    """Singular values of points less their mean: X − 1x̄ᵀ ≈ U Σ Vᵀ."""

    mean: np.ndarray  # (D,), x̄; where all points are equal, exactly their coordinate
    U: np.ndarray  # (n, d), orthonormal columns
    singular_values: np.ndarray  # (d,), decreasing
    V: np.ndarray  # (D, d), orthonormal columns
    squares: float  # ‖X − 1x̄ᵀ‖², the sum of the squares of all singular values


def centered_svd_by_products(X: np.ndarray, n_components: int | None = None) -> CenteredDecomposition:
    """Largest singular values of points less their mean, with their vectors; see the text above.

    Parameters
    ----------
    X : array of shape (n, D)
    n_components : int or None
        d; None for all.

    Returns
    -------
    CenteredDecomposition, of d components; or NotImplemented, where one of the points themselves has more digits, or is
    wanted whole
    """
    n, D = X.shape
    if n_components is None or n_components > min(n - 1, D):
        return NotImplemented
    B = centered_products(X)
    triples = _leading_triples(B, n_components)
    if triples is None:
        return NotImplemented
    U, singular_values, V = triples if n > D else triples[::-1]  # those of B, or of its transpose
    return CenteredDecomposition(B.mean, U, singular_values, V, B.gram.trace())


def _leading_triples(B, d):
    """U, Σ and V of the tall matrix B; None if they would not be as good as those of a full decomposition."""
    m = len(B.gram)
    eigenvalues, V = largest_eigenpairs(B.gram, d)
    if eigenvalues[-1] <= _HALF_OF_THE_DIGITS * eigenvalues[0]:
        return None
    with one_blas_thread(small(m)):
        if small(m) and eigenvalues[0] <= _NEARLY_EQUAL * eigenvalues[-1]:
            U = B.images(V)
            singular_values = linalg.norm(U, axis=0)
            U /= singular_values
            return U, singular_values, V
        for _ in range(3):
            U, back = round_trip(B, V)
            moved = linalg.norm(back - V @ (V.T @ back))
            V, singular_values, turn = linalg.svd(back, full_matrices=False)
            if moved <= 10 * _EPS * np.sqrt(d) * singular_values[0]:
                return (turn @ U.T).T, singular_values, V
    return None


def round_trip(B: "RowBlocks | ColumnBlocks | NearOrigin", V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """There and back: orthonormal columns that span the images BV, and what Bᵀ makes of them.

    Parameters
    ----------
    B : what `centered_products` returns
    V : array of shape (m, d)

    Returns
    -------
    U : array of shape (rows of B, d), orthonormal columns
        BV = UR.
    back : array of shape (m, d)
        BᵀU = BᵀBV R⁻¹.
    """
    images, back = B.there_and_back(V)
    U, R = linalg.qr(images, mode="economic", overwrite_a=True, check_finite=False)
    return U, linalg.solve_triangular(R, back.T, trans="T").T


# -------------------------------------------------------------------------------------------------------
# Products with points less their mean


def centered_products(X: np.ndarray) -> "RowBlocks | ColumnBlocks | NearOrigin":
    """Products with points less their mean, in the way that suits the points.

    Parameters
    ----------
    X : array of shape (n, D)

    Returns
    -------
    RowBlocks, ColumnBlocks or NearOrigin
        Each has the attributes ``mean`` (D,), x̄, where all points are equal exactly their coordinate, and ``gram``
        (m, m), BᵀB; and the methods ``images``, for BV, and ``there_and_back``, for BV and BᵀBV.
    """
    n, D = X.shape
    deviations = X[:: 1 + X.size // _SAMPLE] - X[0]
    # The mean of some points is close to that of all: subtracting the small rest later cancels no digits
    estimate = X[0] + deviations.mean(axis=0)
    if n <= D:
        return ColumnBlocks(X, estimate)
    near = estimate @ estimate <= 4 * deviations.var(axis=0).sum()
    return NearOrigin(X) if deviations.any(axis=0).all() and near else RowBlocks(X, estimate)


def _gram_of_rows(blocks, shape):
    """BᵀB and the mean of the rows of B, from its blocks of rows, which need not have a mean of zero."""
    n, D = shape
    gram, mean = np.zeros((D, D)), np.zeros(D)
    for _, block in blocks:
        mean += np.ones(len(block)) @ block / n
        gram += block.T @ block
    return gram - n * np.outer(mean, mean), mean


def _height(shape, at_least=1):
    """Rows of a block that stays in the cache; not too few to pay for the m × m sum that each block adds to."""
    return max(at_least, CACHED // shape[1])


def _for_gram(shape):
    return _height(shape, at_least=min(2 * min(shape), 2000))


class CenteredBlocks:
    """Products with B, block after block of its rows, each centered in the cache.

    A subclass has ``tall``, B before its points are centered, and says by ``_blocks(height)`` how they are; sums over
    points are then zero, and rounding of the mean is taken out of them, in BV or in BᵀBV.
    """

    tall: np.ndarray
    rows_are_points: bool

    def _blocks(self, height: int) -> Iterator[tuple[slice, np.ndarray]]:
        """Centered rows of B, with their places; each block overwrites the one before."""
        raise NotImplementedError

    def images(self, V: np.ndarray) -> np.ndarray:
        """BV.

        Parameters
        ----------
        V : array of shape (m, d)

        Returns
        -------
        array of shape (rows of B, d)
        """
        images = np.empty((len(self.tall), V.shape[1]), order="F")
        for rows, block in self._blocks(_height(self.tall.shape)):
            images[rows] = block @ V
        if self.rows_are_points:
            images -= images.mean(axis=0)
        return images

    def there_and_back(self, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """BV and BᵀBV.

        Parameters
        ----------
        V : array of shape (m, d)

        Returns
        -------
        images : array of shape (rows of B, d)
        back : array of shape (m, d)
        """
        images, back = np.empty((len(self.tall), V.shape[1]), order="F"), np.zeros(V.shape)
        for rows, block in self._blocks(_height(self.tall.shape)):
            image = block @ V
            images[rows], back = image, back + block.T @ image
        over_points = images if self.rows_are_points else back
        over_points -= over_points.mean(axis=0)
        return images, back


class RowBlocks(CenteredBlocks):
    """More points than columns, B = A: blocks of points."""

    rows_are_points = True

    def __init__(self, X: np.ndarray, estimate: np.ndarray) -> None:
        self.tall, self.mean = X, estimate
        self.gram, rest = _gram_of_rows(self._blocks(_for_gram(X.shape)), X.shape)
        self.mean = self.mean + rest

    def _blocks(self, height):
        n, D = self.tall.shape
        memory = np.empty_like(self.tall[:height])
        means = np.tile(self.mean, (len(memory), 1))
        with one_blas_thread(small(D)):
            for start in range(0, n, height):
                rows, block = slice(start, start + height), memory[: n - start]
                yield rows, np.subtract(self.tall[rows], means[: len(block)], out=block)


class ColumnBlocks(CenteredBlocks):
    """At most as many points as columns, B = Aᵀ: blocks of columns, as rows."""

    rows_are_points = False

    def __init__(self, X: np.ndarray, estimate: np.ndarray) -> None:
        self.tall, self.mean = X.T, estimate
        n, rest = len(X), np.zeros(X.shape[1])
        self.gram = np.zeros((n, n))
        for part, block in self._blocks(_for_gram(self.tall.shape)):
            rest[part] = block.mean(axis=1)
            block -= rest[part, np.newaxis]
            self.gram += block.T @ block
        self.mean = self.mean + rest

    def _blocks(self, height):
        D, n = self.tall.shape
        memory = np.empty_like(self.tall[:height])
        means = self.mean[:, np.newaxis]
        with one_blas_thread(small(n)):
            for start in range(0, D, height):
                part, block = slice(start, start + height), memory[: D - start]
                yield part, np.subtract(self.tall[part], means[part], out=block)


class NearOrigin:
    """More points than columns, B = A, about as near to the origin as to each other, and every coordinate varies.

    Products of X itself then lose no digits; those of the mean are taken off afterwards.
    """

    def __init__(self, X: np.ndarray) -> None:
        self.points = X
        self.gram, self.mean = _gram_of_rows(self._blocks(_for_gram(X.shape)), X.shape)

    def _blocks(self, height: int) -> Iterator[tuple[slice, np.ndarray]]:
        """Points as they are, with their places."""
        for start in range(0, len(self.points), height):
            rows = slice(start, start + height)
            yield rows, self.points[rows]

    def images(self, V: np.ndarray) -> np.ndarray:
        """BV, each column in one piece of memory, for what follows.

        Parameters
        ----------
        V : array of shape (m, d)

        Returns
        -------
        array of shape (n, d)
        """
        images = np.asfortranarray(self.points @ V)
        images -= images.mean(axis=0)
        return images

    def there_and_back(self, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """BV and BᵀBV. Rounding of the mean is taken out of sums over points.

        Parameters
        ----------
        V : array of shape (m, d)

        Returns
        -------
        images : array of shape (n, d)
        back : array of shape (m, d)
        """
        images = (V.T @ self.points.T).T  # each column in one piece of memory
        images -= self.mean @ V
        back = (images.T @ self.points).T
        images -= images.mean(axis=0)
        return images, back
