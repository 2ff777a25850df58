"""A primal-dual interior-point method for semidefinite programs whose constraints have rank one.

Given are m rows e_a of a matrix E, with numbers d_a > 0:

    maximize tr K   subject to   K ⪰ 0,  e_aᵀ K e_a ≤ d_a  (or = d_a)  for every a,

where K1 = 0, too, if every e_a is the difference of two unit vectors. Its dual asks for weights w, one for each row,
and L(w) = Eᵀ diag(w) E, which is then the Laplacian of a graph:

    minimize wᵀd   subject to   Z = L(w) − H ⪰ 0,  w ≥ 0  (or of any sign).

The gap is wᵀd − tr K = Σ_a w_a (d_a − e_aᵀKe_a) + ⟨K, Z⟩ ≥ 0. The method follows the central path, K Z = μI and
w_a s_a = μ for the slacks s, to μ = 0 by Newton steps (in the direction of Helmberg, Kojima and Monteiro, predictor
and corrector after Mehrotra):

    e_aᵀ(K + dK)e_a + s_a + ds_a = d_a,   dZ = L(dw),
    dK = μZ⁻¹ − K − sym(K L(dw) Z⁻¹),     ds_a = μ/w_a − s_a − (s_a/w_a) dw_a.

A general conic solver carries a dense block of n(n + 1)/2 rows. Here every e_a e_aᵀ has rank one: put dK and ds into
the first equation, and one m × m matrix is left, S + diag(s/w), where S = (E K Eᵀ) ∘ (E Z⁻¹ Eᵀ), entry by entry.
It takes O(m²n) operations to form, in memory of its own size, and m³/3 to factor.

Rounding. Near the end Z⁻¹ grows like 1/μ in some directions and K like μ in others, so that the large terms of
K L(dw) Z⁻¹ cancel, and leave errors longer than the shortest slacks. With Z = CCᵀ the step is therefore computed in
the coordinates CᵀdKC and C⁻¹dZC⁻ᵀ. There Z is I, K is CᵀKC, about μI near the path, and

    CᵀdKC = μI − CᵀKC − sym(CᵀKC · C⁻¹L(dw)C⁻ᵀ)

has errors that are small relative to μ in every direction; those of dK are small relative to K. Where rounding still
makes a squared length miss what it should be, the next step aims lower by as much, so that K stays feasible.

Error. What is wrong with what is returned is measured at the point itself, in both problems, whatever the steps were.
"""

from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse
from tqdm import tqdm

from dimred_lessons.engine.threads import one_blas_thread
from dimred_lessons.memory import blocks

_EPS = np.finfo(float).eps
_BLOCK = 256  # rows of S that are made at a time
_STALLED = 25  # rounds without progress that end the iteration
_LARGE = 3000  # from this many rows of E on, threads of BLAS share the work
_SHARE = 0.95  # of the way to the boundary of a cone that a step may go


class Optimum(NamedTuple):
    """K (n, n), w (m,), rounds, error (gap and violation, relative to wᵀd and to d), and whether that will do."""

    K: np.ndarray
    w: np.ndarray
    n_iter: int
    error: float
    converged: bool


class Program(NamedTuple):
    """Maximize tr K − ⟨penalty, K⟩ subject to K ⪰ 0, e_aᵀKe_a ≤ d_a, or = d_a.

    K1 = 0 becomes a penalty that is zero at the optimum: 2·11ᵀ/n, for which Z = L(w) + penalty − I has only positive
    eigenvalues.
    """

    E: sparse.csr_array | np.ndarray
    d: np.ndarray
    penalty: np.ndarray
    equal: bool

    @property
    def bounded(self) -> slice:
        """The rows whose weight and slack must stay positive: all, or none where equality leaves no slack."""
        return slice(0 if self.equal else len(self.d))


class Point(NamedTuple):
    """Where the method stands, in the interior of both cones: K ≻ 0, Z ≻ 0, w > 0 and s > 0 (or, if equal, s = 0)."""

    program: Program
    K: np.ndarray
    w: np.ndarray
    s: np.ndarray
    Z: np.ndarray
    K_factor: np.ndarray  # of Cholesky, lower, as C = Z_factor is
    Z_factor: np.ndarray
    lengths: np.ndarray  # e_aᵀKe_a, squared lengths
    rounding: float  # the most by which rounding has made one of them miss its limit

    @property
    def limits(self) -> np.ndarray:
        """What lengths and slacks should add up to after the next step: d, less what rounding may add, at most half."""
        d = self.program.d
        return d if self.program.equal else d - np.minimum(self.rounding, d / 2)


class NewtonMatrix(NamedTuple):
    """The factored matrix S + diag(s/w) of a point, and what directions are made of: C⁻¹Eᵀ and CᵀKC, where Z = CCᵀ."""

    cholesky: tuple
    scaled_rows: np.ndarray
    scaled_K: np.ndarray


class Direction(NamedTuple):
    """Where to go from a point: dK, dw, ds and dZ, and CᵀdKC and C⁻¹dZC⁻ᵀ."""

    K: np.ndarray
    w: np.ndarray
    s: np.ndarray
    Z: np.ndarray
    scaled_K: np.ndarray
    scaled_Z: np.ndarray


def largest_trace(
    E: sparse.csr_array | np.ndarray,
    d: np.ndarray,
    *,
    centered: bool = True,
    equal: bool = False,
    tol: float = 1e-6,
    max_iter: int = 100,
    verbose: bool = False,
) -> Optimum:
    """Solve the program above.

    Parameters
    ----------
    E : array of shape (m, n), sparse if its rows are differences of unit vectors
    d : array of shape (m,), positive, in any unit
    centered : bool
        Whether K1 = 0 is asked for; then the rows of E must sum to zero.
    equal : bool
        Whether e_aᵀKe_a = d_a is asked for, not ≤.
    tol : float
        Error at which to stop: the gap relative to the bound wᵀd, and the largest e_aᵀKe_a / d_a − 1, or for
        equality Σ |w_a (d_a − e_aᵀKe_a)| / wᵀd, the trace that violations may have gained, to first order.
    max_iter : int
    verbose : bool
        Show progress.

    Returns
    -------
    Optimum
        The best point of all rounds; its error is above ``tol`` if ``max_iter`` was too small, or rounding stopped
        all progress.

    Raises
    ------
    ValueError
        If some direction of K is in no row of E, so that the trace has no bound.

    References
    ----------
    Algorithm alg-sde-interior-point; Helmberg, Rendl, Vanderbei and Wolkowicz (1996); Mehrotra (1992).
    """
    unit = d.mean()  # in which numbers are about 1
    point, best, best_round = start(E, d / unit, centered=centered, equal=equal), np.inf, 0
    rounds = tqdm(range(max_iter + 1), "Interior point", disable=not verbose)
    with one_blas_thread(small=len(d) < _LARGE):
        for n_iter in rounds:
            error = relative_error(point)
            if error < best:
                best, best_round, K, w = error, n_iter, point.K, point.w
            rounds.set_postfix_str(f"gap {best:.1e}")
            if best <= 0.8 * tol or n_iter == max_iter or n_iter - best_round == _STALLED:
                break
            following = next_point(point)
            if following is None:
                break
            point = following
    rounds.close()
    return Optimum(K * unit, w, n_iter, float(best), converged=bool(best <= tol))


def start(E: sparse.csr_array | np.ndarray, d: np.ndarray, *, centered: bool, equal: bool) -> Point:
    """The first point: w = c·1 makes L(w) ⪰ 2H, and K = εI is strictly feasible (or, if equal, about long enough).

    Parameters
    ----------
    E, d, centered, equal : see `largest_trace`

    Returns
    -------
    Point

    Raises
    ------
    ValueError
        If some direction of K is in no row of E.
    """
    (m, n), identity = E.shape, np.eye(E.shape[1])
    penalty = np.full((n, n), 2 / n) if centered else np.zeros((n, n))
    smallest = linalg.eigvalsh(_laplacian(E, np.ones(m)) + m * penalty)[0]
    if smallest < 10 * m * _EPS:
        raise ValueError("Some direction is in no row of E, so that the trace has no bound: add rows.")
    unit_lengths, w = _squared_lengths(E, identity), np.full(m, 2 / smallest)
    movable = unit_lengths > 0  # a row of zeros has length zero whatever K is
    longest = d[movable] / unit_lengths[movable]
    K = identity * (longest.mean() if equal else longest.min() / 2)
    lengths = _squared_lengths(E, K)
    s = np.zeros(m) if equal else d - lengths
    Z = _laplacian(E, w) + penalty - identity  # (sde-dual)
    return Point(
        program=Program(E, d, penalty, equal),
        K=K, w=w, s=s, Z=Z, K_factor=np.sqrt(K), Z_factor=linalg.cholesky(Z, lower=True),
        lengths=lengths, rounding=np.abs(lengths + s - d).max(),
    )  # fmt: skip


def next_point(point: Point) -> Point | None:
    """One round after Mehrotra: predict, see how much centering is needed, correct, and go.

    Parameters
    ----------
    point : Point

    Returns
    -------
    Point, or None if rounding leaves Newton's matrix without a factor
    """
    newton = newton_matrix(point)
    if newton is None:
        return None
    predict = direction(newton, point, mu=0)
    mu = centering(point, predict)
    correct = direction(newton, point, mu=mu, second_order=predict)
    return move(point, correct)


def relative_error(point: Point) -> float:
    """Relative gap between wᵀd and tr K, and what violations may have gained.

    Parameters
    ----------
    point : Point

    Returns
    -------
    float
    """
    program, bound = point.program, point.w @ point.program.d
    excess = point.lengths - program.d
    gained = np.abs(point.w) @ np.abs(excess) / abs(bound) if program.equal else max(0, np.max(excess / program.d))
    return abs(bound - np.trace(point.K) + np.vdot(program.penalty, point.K)) / abs(bound) + gained


def newton_matrix(point: Point) -> NewtonMatrix | None:
    """Newton's matrix at a point, factored.

    Parameters
    ----------
    point : Point

    Returns
    -------
    NewtonMatrix, or None if rounding leaves it without a factor
    """
    E, C = point.program.E, point.Z_factor
    columns = E.T if isinstance(E, np.ndarray) else E.T.toarray()
    scaled_rows = linalg.solve_triangular(C, columns, lower=True)
    E_Z_inverse = linalg.solve_triangular(C, scaled_rows, lower=True, trans=1).T
    cholesky = _schur_factor(E, E @ point.K, E_Z_inverse, point.s / point.w)
    return None if cholesky is None else NewtonMatrix(cholesky, scaled_rows, C.T @ point.K @ C)


def direction(newton: NewtonMatrix, point: Point, *, mu: float, second_order: Direction | None = None) -> Direction:
    """Newton's step from a point to K Z = μI and w_a s_a = μ, feasible in both problems.

    Parameters
    ----------
    newton : NewtonMatrix
        That of the point.
    point : Point
    mu : float
        μ, zero or above.
    second_order : Direction or None
        A first direction, whose products dK dZ and ds_a dw_a tell what the end of a step adds to K Z and w_a s_a.

    Returns
    -------
    Direction
    """
    program, w, s, bounded = point.program, point.w, point.s, point.program.bounded
    lengths, dK_dZ, ds_dw = mu * np.sum(newton.scaled_rows**2, axis=0), 0, 0
    if second_order is not None:
        dK_dZ = _symmetric(second_order.scaled_K @ second_order.scaled_Z)
        ds_dw = second_order.s * second_order.w
        lengths -= _squared_lengths(program.E, _unscaled(dK_dZ, point))
    slacks = np.zeros(len(w))
    slacks[bounded] = ((mu - ds_dw) / w)[bounded]
    # With the present weights, lengths and slacks would be these: what is above the limits, new weights take away
    dw = linalg.cho_solve(newton.cholesky, lengths + slacks - point.limits, check_finite=False)  # (sde-newton)
    scaled_Z = (newton.scaled_rows * dw) @ newton.scaled_rows.T
    scaled_K = mu * np.eye(len(point.K)) - newton.scaled_K - dK_dZ - _symmetric(newton.scaled_K @ scaled_Z)
    return Direction(
        K=_unscaled(scaled_K, point), w=dw, s=slacks - s - s / w * dw, Z=_laplacian(program.E, dw),
        scaled_K=scaled_K, scaled_Z=scaled_Z,
    )  # fmt: skip


def centering(point: Point, predict: Direction) -> float:
    """Mehrotra's rule for the next μ: the less of the gap is left ahead, the nearer to zero.

    Parameters
    ----------
    point : Point
    predict : Direction
        The one to μ = 0.

    Returns
    -------
    float
        The present value of μ times the cube of the share of the gap that is left after the longest step.
    """
    primal, dual = longest_step(point, predict)
    K, Z = point.K + primal * predict.K, point.Z + dual * predict.Z
    s, w = point.s + primal * predict.s, point.w + dual * predict.w
    gap = np.vdot(point.K, point.Z) + point.s @ point.w
    left = (np.vdot(K, Z) + s @ w) / gap
    return min(1, max(0, left) ** 3) * gap / (len(K) + len(w[point.program.bounded]))


def longest_step(point: Point, direction: Direction) -> tuple[float, float]:
    """How far one may go in a direction: at most its own length, and 95% of the way to the boundary.

    Parameters
    ----------
    point : Point
    direction : Direction

    Returns
    -------
    primal : float
        The step of K and s.
    dual : float
        The step of Z and w.
    """
    bounded = point.program.bounded
    primal = _share_to_boundary(point.K_factor, direction.K, point.s[bounded], direction.s[bounded])
    dual = _share_to_boundary(point.Z_factor, direction.Z, point.w[bounded], direction.w[bounded])
    return primal, dual


def move(point: Point, direction: Direction) -> Point:
    """The point at the end of the longest step, or nearer, where rounding leaves K or Z there without a factor.

    Parameters
    ----------
    point : Point
    direction : Direction

    Returns
    -------
    Point
    """
    primal, dual = longest_step(point, direction)
    primal, K_factor = _definite(point.K, direction.K, primal, point.K_factor)
    dual, Z_factor = _definite(point.Z, direction.Z, dual, point.Z_factor)
    K, s = point.K + primal * direction.K, point.s + primal * direction.s
    lengths = _squared_lengths(point.program.E, K)
    missed = np.abs(lengths + s - point.limits).max()
    return Point(
        program=point.program,
        K=K, w=point.w + dual * direction.w, s=s, Z=point.Z + dual * direction.Z,
        K_factor=K_factor, Z_factor=Z_factor, lengths=lengths, rounding=max(point.rounding, missed),
    )  # fmt: skip


def _laplacian(E, w):
    """L(w) = Eᵀ diag(w) E, dense; (sde-laplacian)."""
    L = E.T @ (sparse.diags_array(w) @ E)
    return L.toarray() if sparse.issparse(L) else L


def _squared_lengths(E, K):
    """e_aᵀ K e_a for every row."""
    return (E * (E @ K)).sum(axis=1)


def _symmetric(M):
    """The symmetric part."""
    return (M + M.T) / 2


def _unscaled(scaled_K, point):
    """C⁻ᵀMC⁻¹, which is dK for M = CᵀdKC."""
    half = linalg.solve_triangular(point.Z_factor, scaled_K, lower=True, trans=1)
    return _symmetric(linalg.solve_triangular(point.Z_factor, half.T, lower=True, trans=1))


def _schur_factor(E, E_K, E_Z_inverse, diagonal):
    """Cholesky factor of S + diag(s/w), S = (E K Eᵀ) ∘ (E Z⁻¹ Eᵀ), made in place and in blocks of rows.

    Where rounding leaves it singular, the diagonal grows until it is not; None if even 1e-6 is too little.
    """
    m = len(E_K)
    S = np.empty((m, m))
    for ridge in (1e-15, 1e-12, 1e-9, 1e-6):
        for rows in blocks(m, 1, _BLOCK):
            before = slice(rows.stop)
            S[rows, before] = (E[before] @ E_K[rows].T).T  # (sde-schur)
            S[rows, before] *= (E[before] @ E_Z_inverse[rows].T).T
        S[np.diag_indices(m)] = S.diagonal() * (1 + ridge) + diagonal
        try:  # the transpose has the column-major order that LAPACK overwrites
            return linalg.cho_factor(S.T, lower=False, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            continue
    return None


def _share_to_boundary(factor, D, x, dx):
    """The step, at most 1, that leads 95% of the way to where M + step D or x + step dx leaves its cone; M = LLᵀ."""
    D = linalg.solve_triangular(factor, D, lower=True)
    D = linalg.solve_triangular(factor, D.T, lower=True)
    fastest = max(-linalg.eigvalsh(D)[0], np.max(-dx / x, initial=0))
    return min(1, _SHARE / max(fastest, _EPS))


def _definite(M, D, step, factor):
    """The largest of step, step / 2, ... at which M + step D has a Cholesky factor in floating point, and the factor.

    Where there is none, the step is 0, and the factor that of M.
    """
    while step > _EPS:
        try:
            return step, linalg.cholesky(M + step * D, lower=True)
        except linalg.LinAlgError:
            step /= 2
    return 0, factor
