"""A proof of how good a claimed solution of the semidefinite program is: weak duality, and nothing about the solver.

The program (`semidefinite`) has m pairs of points with squared distances d_a, rows e_a of their incidence matrix E, and
seeks the largest tr K. Its dual asks for weights w of the pairs, as the edges of a graph, whose Laplacian is
L(w) = Eᵀ diag(w) E:

    minimize wᵀd   subject to   Z = L(w) − H ⪰ 0,  w ≥ 0  (or of any sign).

Weak duality: wᵀd − tr K = Σ_a w_a (d_a − e_aᵀKe_a) + ⟨K, Z⟩ ≥ 0, so a feasible w bounds all traces.
`certificate` makes both sides feasible first; `relative_error` measures them as a solver left them.
"""

from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse

from dimred_lessons.kernels import center_kernel
from dimred_lessons.local_distances import incidence_matrix, squared_lengths

_EPS = np.finfo(float).eps


class Certificate(NamedTuple):
    """What is proved about a claimed solution; see `certificate`."""

    primal_value: float
    dual_bound: float
    gap: float
    violation: float
    smallest_slack_eigenvalue: float


def certificate(
    K: np.ndarray,
    w: np.ndarray,
    pairs: np.ndarray,
    squared_distances: np.ndarray,
    constraints: str = "shrink",
    basis: np.ndarray | None = None,
) -> Certificate:
    """Prove how good a claimed solution is: nothing about where it came from is trusted.

    Both sides are made feasible first. K is centered, its negative eigenvalues are cut off, and it is shrunk
    until no distance is too long; negative weights become 0, and w is divided by the smallest eigenvalue of
    L(w) off the constant vector, less a bound on its rounding. After that

        tr K ≤ optimum ≤ wᵀd

    holds whatever K and w were. With equal distances no shrinking helps: the bound still holds, but the
    primal value counts only together with the violation.

    Parameters
    ----------
    K : array of shape (n, n), symmetric
    w : array of shape (m,)
    pairs : integer array of shape (m, 2)
    squared_distances : array of shape (m,), positive
    constraints : "shrink" or "equal"
    basis : array of shape (n, r) or None
        Orthonormal columns Q, orthogonal to 1: K is Φ (r, r), and the bound is one on all QΦQᵀ.

    Returns
    -------
    Certificate
        ``primal_value`` and ``dual_bound``, in squared units of the data (an infinite bound if L(w) has
        another eigenvalue that is not positive); ``gap``, their difference divided by the bound;
        ``violation``, the largest e_aᵀKe_a / d_a − 1 of K as it was given (its absolute value for "equal");
        ``smallest_slack_eigenvalue``, of Z = L(w) − H off the constant vector, for w as it was given.

    References
    ----------
    Equations (sde-dual) and (sde-certificate); Sun, Boyd, Xiao and Diaconis (2006).
    """
    d, equal = np.asarray(squared_distances, dtype=float), constraints == "equal"
    E = incidence_matrix(pairs, len(K)) if basis is None else incidence_matrix(pairs, len(basis)) @ basis
    excess = squared_lengths(E, K) / d - 1
    violation = np.abs(excess).max() if equal else max(excess.max(), 0)
    eigenvalues, U = linalg.eigh(center_kernel(K) if basis is None else K)
    Y = U * np.sqrt(np.maximum(eigenvalues, 0))
    longest = np.max(np.sum((E @ Y) ** 2, axis=1) / d)
    primal = np.sum(Y**2) / (1 if equal else max(1, longest))  # (sde-certificate)
    slack = _smallest_eigenvalue(E, w) - 1
    w = w if equal else np.maximum(w, 0)
    scale = _smallest_eigenvalue(E, w)
    bound = w @ d / scale if scale > 0 else np.inf
    gap = 1 - primal / bound if scale > 0 else np.inf
    return Certificate(*map(float, (primal, bound, gap, violation, slack)))


def _smallest_eigenvalue(E, w):
    """The smallest eigenvalue of L(w), off the constant vector, less what rounding may have added."""
    L = E.T @ (sparse.diags_array(w) @ E)  # (sde-laplacian)
    L = L.toarray() if sparse.issparse(L) else L
    n, norm = len(L), np.abs(L).sum(axis=1).max()
    L += norm / n if sparse.issparse(E) else 0  # moves the constant vector to the far end
    return linalg.eigvalsh(L)[0] - n * _EPS * norm


def relative_error(
    E: sparse.csr_array | np.ndarray, d: np.ndarray, K: np.ndarray, w: np.ndarray, *, equal: bool = False
) -> float:
    """How far K and w are from optimal: the gap, and what violated distances may have gained.

    Parameters
    ----------
    E : array of shape (m, n)
        Rows e_a, such as those of an incidence matrix.
    d : array of shape (m,), positive
    K : array of shape (n, n)
    w : array of shape (m,)
    equal : bool

    Returns
    -------
    float
        |wᵀd − tr K| / wᵀd, and besides the largest e_aᵀKe_a / d_a − 1, or if equal Σ |w_a (d_a − e_aᵀKe_a)| / wᵀd: to
        first order, the trace that violations may have gained.
    """
    excess, bound = squared_lengths(E, K) - d, w @ d  # (sde-dual)
    gained = np.abs(w) @ np.abs(excess) / abs(bound) if equal else max(0, np.max(excess / d))
    return float(abs(bound - np.trace(K)) / abs(bound) + gained)
