"""Column generation: of many constraints on a small matrix, only those that hold it in place.

An optimal K of r rows and columns that satisfies e_aᵀKe_a ≤ d_a for m rows e_a is held in place by at most r(r + 1)/2
of them: the matrices e_a e_aᵀ of more are linearly dependent, and dual weights can be moved along such a relation, at
no higher cost, until one is zero. A row is a column of the dual problem, whose weight is zero unless it enters. So
solve with a few, add those that come out too long, and repeat until none does.

Error. With fewer constraints, the maximum is larger: its bound wᵀd holds for all of them, with weight zero for the
rows that never entered. What is left is by how much the longest of these is too long, relative to d_a: K divided by
1 + that is feasible. Both errors are at most half of the tolerance.
"""

import numpy as np
from scipy import linalg

from dimred_lessons.engine import interior_point
from dimred_lessons.engine.interior_point import Optimum
from dimred_lessons.memory import require_memory

_ROUGH = 1e-2  # accuracy of the first solutions, which show just as well which rows are missing
_FIRST = 4  # rows to begin with, for each column of K
_FREE = 1e-6  # singular values below this share of the largest leave a direction as good as free


def largest_trace(
    E: np.ndarray, d: np.ndarray, *, tol: float = 1e-6, max_iter: int = 100, verbose: bool = False
) -> Optimum:
    """Maximize tr K subject to K ⪰ 0 and e_aᵀKe_a ≤ d_a, for many rows e_a and a small K.

    Parameters
    ----------
    E : array of shape (m, r)
    d : array of shape (m,), positive, in any unit
    tol : float
        Error at which to stop: the gap relative to wᵀd, and the largest e_aᵀKe_a / d_a − 1.
    max_iter : int
        Rounds of the interior-point method, for each of its solutions.
    verbose : bool
        Show progress.

    Returns
    -------
    Optimum
        Its rounds are those of the last solution.

    Raises
    ------
    ValueError
        If the matrices of the rows that are needed do not fit into memory.
    """
    used, accuracy = _first_rows(E), _ROUGH
    while True:
        require_memory(2, used.sum(), used.sum(), "seek K in a smaller span")
        few = interior_point.largest_trace(
            E[used], d[used], centered=False, tol=accuracy / 2, max_iter=max_iter, verbose=verbose
        )
        excess = np.sum(E * (E @ few.K), axis=1) / d - 1
        long = np.flatnonzero(excess > accuracy / 2)
        if len(long) == 0 and accuracy <= tol:
            break
        used[long[np.argsort(-excess[long])[: used.sum()]]] = True
        accuracy = max(tol, accuracy / 10) if len(long) < 0.1 * used.sum() else accuracy
    w = np.zeros(len(d))
    w[used] = few.w
    error = float(few.error + max(0, excess.max()))
    return few._replace(w=w, error=error, converged=error <= tol)


def _first_rows(E):
    """Rows spread evenly over E; where these leave a direction of K free, also some that hold all directions."""
    m, r = E.shape
    used = np.zeros(m, dtype=bool)
    used[np.linspace(0, m - 1, min(m, _FIRST * r)).astype(int)] = True
    smallest = linalg.svdvals(E[used])[-1]
    if smallest <= _FREE * linalg.norm(E[used], 2):
        used[linalg.qr(E.T, mode="r", pivoting=True)[1][:r]] = True
    return used
