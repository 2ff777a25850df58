"""The semidefinite program of distances: of all kernels that stretch none of m pairs of points, that of largest trace.

The pairs (i, j) have squared distances d_a, and e_a = e_i − e_j is row a of their incidence matrix E:

    maximize tr K   subject to   K ⪰ 0,  K1 = 0,  e_aᵀ K e_a ≤ d_a  (or = d_a)  for every pair a.

Here e_aᵀ K e_a = K_ii − 2K_ij + K_jj is the squared distance of the points whose dot products are K. Which pairs count
says `local_distances`, and how good a solution is, `certificates`. For many pairs, K = QΦQᵀ with a small Φ: the same
program, with the rows e_aᵀQ; `geodesic_basis` is such a Q.
"""

import warnings
from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components

from dimred_lessons.certificates import Certificate, certificate, relative_error
from dimred_lessons.engine import accelerated, column_generation, interior_point
from dimred_lessons.engine.interior_point import Optimum
from dimred_lessons.kernels import center_kernel
from dimred_lessons.local_distances import incidence_matrix
from dimred_lessons.memory import require_memory
from dimred_lessons.messages import warn
from dimred_lessons.parameters import check_option


class Solution(NamedTuple):
    """What `maximize_variance` found: K (n, n), w (m,), its certificate, rounds, and whether its error will do."""

    K: np.ndarray
    w: np.ndarray
    certificate: Certificate
    n_iter: int
    converged: bool


def maximize_variance(
    pairs: np.ndarray,
    squared_distances: np.ndarray,
    n: int,
    *,
    constraints: str = "shrink",
    solver: str = "interior-point",
    tol: float = 1e-6,
    max_iter: int = 100,
    verbose: bool = False,
) -> Solution:
    """Largest trace of a centered K ⪰ 0 that keeps the squared distances of all pairs, or shrinks them.

    Parameters
    ----------
    pairs : integer array of shape (m, 2)
        Rows of the points, each pair once; the pairs must connect all points, or the trace has no bound.
    squared_distances : array of shape (m,), positive
    n : int
        Number of points.
    constraints : "shrink" or "equal"
        e_aᵀKe_a ≤ d_a, or = d_a. Equality is fragile: points that are all neighbors of each other, more
        than D + 1 of them, pin a singular block of K, so that no K ≻ 0 is feasible and no w need be optimal.
        The path then has no center, weights grow without limit, and tiny violations gain much trace.
    solver : "interior-point" or "cvxpy"
        Our own, or the program as it reads, by CVXPY and Clarabel: a minute for n = 100.
    tol : float
        Largest `relative_error`; of Clarabel, which sets its own, at most 100 times as large.
    max_iter : int
        Rounds of the interior-point method.
    verbose : bool
        Show progress.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        If the pairs do not connect all points, a distance is zero, or m × m matrices do not fit into memory.
    ModuleNotFoundError
        If CVXPY is asked for, and is not installed.
    RuntimeError
        If Clarabel finds no optimal solution, or one whose error is above 100 · ``tol``.

    Warns
    -----
    UserWarning
        If ``tol`` is not reached, in ``max_iter`` rounds or because rounding stops all progress.

    References
    ----------
    Algorithm alg-sde-interior-point; sources G-67 to G-70, L-21, L-26, L-28.
    """
    check_option("constraints", constraints, ("shrink", "equal"))
    check_option("solver", solver, ("interior-point", "cvxpy"))
    d, equal = _checked(pairs, squared_distances, n), constraints == "equal"
    landmarks = "" if equal else ", or set n_landmarks"
    require_memory(2, len(d), len(d), f"keep fewer pairs, by a smaller n_neighbors or angles=False{landmarks}")
    solve = largest_trace if solver == "interior-point" else largest_trace.equation
    E = incidence_matrix(pairs, n)
    optimum = solve(E, d, equal=equal, tol=tol, max_iter=max_iter, verbose=verbose)
    return _proved(optimum, pairs, d, constraints, None, tol)


@accelerated(interior_point.largest_trace)
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
    """Maximize tr K subject to K ⪰ 0, K1 = 0 and e_aᵀKe_a ≤ d_a: the program as it stands, solved by Clarabel.

    Parameters
    ----------
    E : array of shape (m, n)
        Rows e_a, such as those of an incidence matrix.
    d : array of shape (m,), positive
    centered : bool
        Whether K1 = 0 is asked for.
    equal : bool
        Whether e_aᵀKe_a = d_a is asked for, not ≤.
    tol, max_iter : see `maximize_variance`; Clarabel has limits of its own
    verbose : bool

    Returns
    -------
    Optimum
        K, the dual weights w, rounds, the `relative_error`, and whether it is small enough.

    Raises
    ------
    ModuleNotFoundError
        If CVXPY is not installed.
    RuntimeError
        If Clarabel finds no optimal solution, or one whose error is above 100 · ``tol``.

    References
    ----------
    Equation (sde-constraints); Table 1.3 of the tutorial.
    """
    cp = _cvxpy()
    n, unit = E.shape[1], d.mean()  # in which numbers are about 1, as Clarabel's tolerances expect
    K = cp.Variable((n, n), PSD=True)  # K ⪰ 0
    lengths = cp.sum(cp.multiply(E, E @ K), axis=1)  # e_aᵀKe_a = K_ii − 2K_ij + K_jj
    local = lengths == d / unit if equal else lengths <= d / unit
    program = cp.Problem(cp.Maximize(cp.trace(K)), [local, *[cp.sum(K) == 0] * centered])  # (sde-constraints)
    _solve_by_clarabel(cp, program, verbose)
    found, w = unit * _positive_part(K.value), local.dual_value
    error = relative_error(E, d, found, w, equal=equal)
    if not error <= 100 * tol:
        raise RuntimeError(
            f"Clarabel is less exact than it claims, by {error:.1e}, and tol={tol:g}: "
            'use solver="interior-point", or constraints="shrink".'
        )
    return Optimum(found, w, program.solver_stats.num_iters, error, converged=True)


def maximize_variance_in_span(
    pairs: np.ndarray,
    squared_distances: np.ndarray,
    basis: np.ndarray,
    *,
    tol: float = 1e-6,
    max_iter: int = 100,
    verbose: bool = False,
) -> Solution:
    """Largest trace of K = QΦQᵀ whose distances are at most those of the pairs, for many pairs and small Φ.

    It takes more pairs than `maximize_variance` can at once, and lets distances shrink.

    Parameters
    ----------
    pairs, squared_distances : arrays of shapes (m, 2) and (m,), see `maximize_variance`
    basis : array of shape (n, r)
        Q, with orthonormal columns that are orthogonal to 1.
    tol, max_iter, verbose : see `maximize_variance`

    Returns
    -------
    Solution
        K is Φ (r, r); the certificate bounds the traces of all feasible QΦQᵀ, not of all K.

    Raises
    ------
    ValueError
        As `maximize_variance`.

    Warns
    -----
    UserWarning
        As `maximize_variance`.

    References
    ----------
    Equation (sde-span); Weinberger, Sha, Zhu and Saul (2007).
    """
    n = len(basis)
    d = _checked(pairs, squared_distances, n)
    E = incidence_matrix(pairs, n) @ basis
    optimum = largest_trace_in_span(E, d, tol=tol, max_iter=max_iter, verbose=verbose)
    return _proved(optimum, pairs, d, "shrink", basis, tol)


@accelerated(column_generation.largest_trace)
def largest_trace_in_span(
    E: np.ndarray, d: np.ndarray, *, tol: float = 1e-6, max_iter: int = 100, verbose: bool = False
) -> Optimum:
    """Maximize tr Φ subject to Φ ⪰ 0 and e_aᵀQΦQᵀe_a ≤ d_a: the same program, for another matrix of rows, EQ.

    Parameters
    ----------
    E : array of shape (m, r), with rows e_aᵀQ
    d, tol, max_iter, verbose : see `largest_trace`

    Returns
    -------
    Optimum

    References
    ----------
    Equation (sde-span).
    """
    return largest_trace(E, d, centered=False, tol=tol, max_iter=max_iter, verbose=verbose)


def _checked(pairs, squared_distances, n):
    """Squared distances as an array, if all are positive and their pairs connect the points."""
    d = np.asarray(squared_distances, dtype=float)
    if not d.min() > 0:
        i, j = pairs[np.argmin(d)]
        raise ValueError(f"Points {i} and {j} coincide: merge them, since all distances must be positive.")
    graph = sparse.csr_array((d, np.transpose(pairs)), shape=(n, n))
    if connected_components(graph, directed=False, return_labels=False) > 1:
        raise ValueError("The pairs do not connect all points, so that the trace has no bound: add pairs.")
    return d


def _proved(optimum, pairs, d, constraints, basis, tol):
    """The solution with its certificate, and a warning if its error is above ``tol``."""
    K = optimum.K if basis is not None else center_kernel(optimum.K)
    proof = certificate(K, optimum.w, pairs, d, constraints, basis)
    if not optimum.converged:
        hint = ', or use constraints="shrink", which is well posed' if constraints == "equal" else ""
        warn(
            f"tol={tol:g} is not reached after {optimum.n_iter} iterations: the gap is {proof.gap:.1e}, the "
            f"violation {proof.violation:.1e}; raise max_iter or tol{hint}."
        )
    return Solution(K, optimum.w, proof, optimum.n_iter, optimum.converged)


def _cvxpy():
    """CVXPY, which takes seconds to load, and is needed for the program as it reads only."""
    try:
        import cvxpy
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            'solver="cvxpy" and reference() need CVXPY, which is not installed: '
            "pip install cvxpy (not yet for Python 3.15), or leave both out."
        ) from None
    return cvxpy


def _solve_by_clarabel(cp, program, verbose):
    """Solve, or say that there is no solution."""
    with warnings.catch_warnings(action="ignore"):  # how exact a solution is will be measured
        try:
            program.solve(solver=cp.CLARABEL, verbose=verbose)
        except cp.SolverError as error:
            raise RuntimeError(f'Clarabel failed ({error}): use solver="interior-point".') from error
    if program.status not in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE):
        raise RuntimeError(
            f"Clarabel ends with status {program.status!r} and no solution: use "
            'solver="interior-point", or constraints="shrink".'
        )


def _positive_part(K):
    """A matrix without the negative eigenvalues that a solver's tolerance leaves."""
    eigenvalues, U = linalg.eigh(K)
    return U * np.maximum(eigenvalues, 0) @ U.T
