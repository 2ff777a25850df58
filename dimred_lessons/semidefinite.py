"""The semidefinite program of distances: its pairs, the program, a proof of any solution, and a span to seek it in.

Given are m pairs (i, j) of points with squared distances d_a; e_a = e_i − e_j is row a of their incidence matrix E:

    maximize tr K   subject to   K ⪰ 0,  K1 = 0,  e_aᵀ K e_a ≤ d_a  (or = d_a)  for every pair a.

Here e_aᵀ K e_a = K_ii − 2K_ij + K_jj is the squared distance of the points whose dot products are K. The dual problem
asks for weights w of the pairs, as the edges of a graph, whose Laplacian is L(w) = Eᵀ diag(w) E:

    minimize wᵀd   subject to   Z = L(w) − H ⪰ 0,  w ≥ 0  (or of any sign).

Weak duality: wᵀd − tr K = Σ_a w_a (d_a − e_aᵀKe_a) + ⟨K, Z⟩ ≥ 0, so a feasible w bounds all traces.
"""

import warnings
from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components, dijkstra

from dimred_lessons.distances import pair_distances, require_distinct
from dimred_lessons.eigenpairs import thin_svd
from dimred_lessons.engine import accelerated, column_generation, interior_point
from dimred_lessons.engine.interior_point import Optimum
from dimred_lessons.graphs import neighborhood_graph, symmetrize
from dimred_lessons.inputs import as_table
from dimred_lessons.kernels import center_kernel
from dimred_lessons.memory import require_memory
from dimred_lessons.messages import warn
from dimred_lessons.neighbors import NeighborSearch, neighbor_lists
from dimred_lessons.parameters import check_integer, check_option

_EPS = np.finfo(float).eps

# -------------------------------------------------------------------------------------------------------
# Pairs


class LocalDistances(NamedTuple):
    """The distances that semidefinite embedding keeps, and between which points; see `local_distances`."""

    first: np.ndarray
    copy_of: np.ndarray
    search: NeighborSearch
    graph: sparse.csr_array
    pairs: np.ndarray
    squared_distances: np.ndarray


def local_distances(
    X: np.ndarray, n_neighbors: int, *, angles: bool = True, disconnected: str = "error", n_jobs: int | None = None
) -> LocalDistances:
    """Neighbors of the distinct points among the rows of X, and the pairs whose distance counts.

    Parameters
    ----------
    X : array of shape (n, D)
    n_neighbors : int
    angles : bool
        See `constrained_pairs`.
    disconnected, n_jobs : see `neighborhood_graph`

    Returns
    -------
    LocalDistances
        ``first`` and ``copy_of``, as of `merge_copies`; ``search``, among the distinct points; ``graph``, whose row i
        holds the distances from the i-th of them to its neighbors; ``pairs`` and ``squared_distances``, as of
        `constrained_pairs`, of the distinct points.

    Raises
    ------
    ValueError
        If the graph is disconnected and may not be bridged, k is not below the number of distinct points, or there is
        only one.

    Warns
    -----
    UserWarning
        If components of the graph were joined.

    References
    ----------
    Equations (sde-neighbors), (sde-pairs).
    """
    X = as_table(X)
    first, copy_of = merge_copies(X, n_jobs)
    search = NeighborSearch(X[first], n_jobs=n_jobs)
    graph = neighborhood_graph(search, n_neighbors, disconnected=disconnected, directed=True)  # (sde-neighbors)
    return LocalDistances(first, copy_of, search, graph, *constrained_pairs(search.X, graph, angles))


def merge_copies(X: np.ndarray, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Distinct points among the rows of X, and which of them each row is.

    Points nearer to each other than 1e-5 of the extent of the data count as one, and so do all points of a chain
    of such points.

    Parameters
    ----------
    X : array of shape (n, D)
    n_jobs : int or None
        Threads; see `NeighborSearch`.

    Returns
    -------
    first : integer array of shape (n_distinct,), the first row of each point
    copy_of : integer array of shape (n,), the place in ``first`` of the point in each row

    Raises
    ------
    ValueError
        If all points coincide.
    """
    X = as_table(X)
    require_distinct(len(X), X != X[0])
    radius = 1e-5 * np.linalg.norm(np.ptp(X, axis=0))
    _, labels = connected_components(neighbor_lists(X, radius=radius, n_jobs=n_jobs), directed=False)
    _, first, copy_of = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[copy_of]


def constrained_pairs(X: np.ndarray, neighbors: sparse.csr_array, angles: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Pairs whose distance semidefinite embedding keeps, and their squared distances.

    Parameters
    ----------
    X : array of shape (n, D)
    neighbors : sparse CSR array of shape (n, n), η: the entries of row i are the neighbors of point i
    angles : bool
        Besides η_ij = 1, also [ηᵀη]_ij > 0: neighbors of the same point, and so the angles there.

    Returns
    -------
    pairs : integer array of shape (m, 2), i < j, in lexicographic order
    squared_distances : array of shape (m,)

    References
    ----------
    Equation (sde-pairs); sources G-69, G-71, L-E11.
    """
    eta = sparse.csr_array((np.ones(neighbors.nnz), neighbors.indices, neighbors.indptr), shape=neighbors.shape)
    joined = eta + eta.T + eta.T @ eta if angles else eta + eta.T  # (sde-pairs)
    i, j = sparse.csr_array(sparse.triu(joined, k=1)).sorted_indices().nonzero()
    return np.stack([i, j], axis=1), pair_distances(X, X, i, j) ** 2


def incidence_matrix(pairs: np.ndarray, n: int) -> sparse.csr_array:
    """Incidence matrix of pairs of points: row a is e_i − e_j for pair a = (i, j).

    Parameters
    ----------
    pairs : integer array of shape (m, 2)
    n : int
        How many points there are.

    Returns
    -------
    sparse CSR array of shape (m, n)

    References
    ----------
    Equation (sde-incidence).
    """
    m = len(pairs)
    signs = np.tile([1.0, -1.0], m)
    return sparse.csr_array((signs, np.ravel(pairs), np.arange(0, 2 * m + 1, 2)), shape=(m, n))


def squared_lengths(E: sparse.csr_array | np.ndarray, K: np.ndarray) -> np.ndarray:
    """e_aᵀ K e_a for every row of E: the squared distances of the pairs, if K is a kernel.

    Parameters
    ----------
    E : array of shape (m, n), such as an incidence matrix
    K : array of shape (n, n)

    Returns
    -------
    array of shape (m,)

    References
    ----------
    Equation (sde-incidence).
    """
    return (E * (E @ K)).sum(axis=1)  # (sde-incidence)


# -------------------------------------------------------------------------------------------------------
# The program


class Certificate(NamedTuple):
    """What is proved about a claimed solution; see `certificate`."""

    primal_value: float
    dual_bound: float
    gap: float
    violation: float
    smallest_slack_eigenvalue: float


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
    basis: np.ndarray | None = None,
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
    basis : array of shape (n, r) or None
        Orthonormal columns Q, orthogonal to 1: seek K = QΦQᵀ, and return Φ (r, r); None for any K.
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
    landmarks = ", or set n_landmarks" if basis is None and not equal else ""
    require_memory(2, len(d), len(d), f"keep fewer pairs, by a smaller n_neighbors or angles=False{landmarks}")
    solve = largest_trace if solver == "interior-point" else largest_trace.equation
    optimum = solve(
        _rows(pairs, n, basis), d, centered=basis is None, equal=equal, tol=tol, max_iter=max_iter, verbose=verbose
    )
    return _proved(optimum, pairs, d, constraints, basis, tol)


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


def relative_error(
    E: sparse.csr_array | np.ndarray, d: np.ndarray, K: np.ndarray, w: np.ndarray, *, equal: bool = False
) -> float:
    """How far K and w are from optimal: the gap, and what violated distances may have gained.

    Parameters
    ----------
    E, d : arrays of shapes (m, n) and (m,), see `largest_trace`
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


def _rows(pairs, n, basis):
    """The rows e_a of the incidence matrix, or e_aᵀQ."""
    E = incidence_matrix(pairs, n)
    return E if basis is None else E @ basis


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


# -------------------------------------------------------------------------------------------------------
# The proof


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
    E = _rows(pairs, len(K), None) if basis is None else _rows(pairs, len(basis), basis)
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


# -------------------------------------------------------------------------------------------------------
# A span


def geodesic_basis(graph: sparse.csr_array, n_landmarks: int) -> np.ndarray:
    """Orthonormal columns, orthogonal to 1, that span the squared geodesics to landmarks.

    Landmarks are chosen one after the other, each as far as possible from those before: nothing is random.
    Landmark Isomap places points by combinations of the same columns.

    Parameters
    ----------
    graph : sparse CSR array of shape (n, n), of edge lengths
        Paths take an edge in both directions, also where only one is stored.
    n_landmarks : int

    Returns
    -------
    array of shape (n, r), r at most ``n_landmarks``

    Raises
    ------
    ValueError
        If ``n_landmarks`` is not between 2 and n, or the graph is disconnected.

    References
    ----------
    Equation (sde-landmarks).
    """
    graph = symmetrize(graph)
    n = graph.shape[0]
    check_integer("n_landmarks", n_landmarks, least=2)
    if n_landmarks > n:
        raise ValueError(f"n_landmarks={n_landmarks} must be at most the number of points, {n}.")
    columns = [dijkstra(graph, indices=0)]
    if np.isinf(columns[0]).any():
        raise ValueError("The graph is disconnected, so that no path leads from a landmark to some points: join them.")
    while len(columns) < n_landmarks:
        columns.append(dijkstra(graph, indices=np.argmax(np.min(columns, axis=0))))
    Q = np.square(columns).T
    return thin_svd(Q - Q.mean(axis=0))[0]  # (sde-landmarks)


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

    It is `maximize_variance` with this basis and constraints="shrink", for more pairs than that can take at once.

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
    optimum = largest_trace_in_span(_rows(pairs, n, basis), d, tol=tol, max_iter=max_iter, verbose=verbose)
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
