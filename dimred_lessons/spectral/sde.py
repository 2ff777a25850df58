"""Semidefinite embedding, also called maximum variance unfolding: learn the kernel itself."""

import warnings
from functools import partial

import numpy as np

from dimred_lessons.eigenpairs import top_eigenpairs
from dimred_lessons.geodesics import geodesic_basis
from dimred_lessons.graphs import (
    GRAPH_PARAMETERS,
    constrained_pairs,
    merge_copies,
    neighbor_lists,
    neighborhood_graph,
    symmetrize,
)
from dimred_lessons.kernels import center_kernel
from dimred_lessons.local_fits import rebuilt_places
from dimred_lessons.neighbor_search import NeighborSearch
from dimred_lessons.parameters import check_flag, check_integer, check_number, check_option
from dimred_lessons.spectral.base import SpectralMethod
from dimred_lessons.spectral.interior_point import (
    Solution,
    certificate,
    maximize_variance,
    maximize_variance_in_span,
)


class SemidefiniteEmbedding(SpectralMethod):
    """Pull points as far apart as their local distances allow, then take principal components.

    Maximizes tr K over all kernels K ⪰ 0, of any rank, with K1 = 0 and K_ii − 2K_ij + K_jj ≤ ‖x_i − x_j‖² (or =)
    for neighbors i, j and for points with a common neighbor. The m pairs cost O(m³) operations. Points nearer to
    each other than 1e-5 of the data's extent are merged, and mapped back afterward. There is no kernel for new
    points: ``transform`` interpolates, with weights that rebuild them from their k nearest training points.

    Parameters
    ----------
    n_components : int or None, default 2
        d; None for every eigenvalue of K above ``tol`` of their sum.
    n_neighbors : int, default 4
        The number k. With k = n − 1 nothing can unfold: K is the Gram matrix of PCA.
    angles : bool, default True
        Whether distances between neighbors of the same point also count, which fixes the angles there.
    constraints : "shrink" or "equal", default "shrink"
        Whether local distances may shrink. "equal" is the tutorial's form, and fragile: neighborhoods can pin K
        to the boundary of the cone.
    solver : "interior-point" or "cvxpy", default "interior-point"
        Our own, or, for up to 60 points, the model as written on paper (Clarabel, by cvxpy).
    n_landmarks : int or None, default None
        For thousands of points: seek only K = QΦQᵀ, where Q spans the squared geodesics to that many landmarks.
        For 400 points of an S or a roll, 100 landmarks lose 10 to 12% of the trace, 200 lose 3 to 4% (without
        angles, 3 and 1%).
    tol : float below 1, default 1e-6
        Largest relative duality gap.
    max_iter : int, default 100
        Largest number of iterations of the interior-point method.
    disconnected : "error" or "bridge", default "error"
        Refuse a graph of several components, which could move apart forever, or join them with a warning.
    verbose : bool, default False
        Whether the solver shows its progress.
    n_jobs : int or None, default None
        Threads that search for neighbors in up to 15 dimensions; −1 for one per core, None for one, or what
        ``joblib.parallel_config`` says.

    Attributes
    ----------
    kernel_ : array of shape (n_samples, n_samples)
        K, the kernel of largest trace.
    spectrum_ : array of shape (n_samples,)
        All eigenvalues of K, decreasing; computed when asked for.
    eigenvalues_ : array of shape (n_components,)
        Λ, the largest eigenvalues of K.
    embedding_ : array of shape (n_samples, n_components)
        Y = UΛ^½.
    graph_ : sparse CSR array of shape (n_distinct, n_distinct)
        Row i holds the distances from the i-th of the points that are left without copies to its neighbors.
    pairs_ : array of shape (m, 2)
        Rows of X whose distance counts.
    squared_distances_ : array of shape (m,)
        Their squared distances.
    dual_weights_ : array of shape (m,)
        w: how hard each pair holds the points together.
    duality_gap_ : float
        Relative gap between the trace and the bound that w proves.
    certificate_ : Certificate
        What is proved of K and w before copies are mapped back; with landmarks, among all QΦQᵀ.
    n_iter_ : int
        Iterations; 0 for cvxpy.
    n_components_ : int
        d, the number of columns of Y.
    n_features_in_ : int
        How many columns ``fit`` saw.

    Raises
    ------
    ValueError
        In ``fit``, if the graph is disconnected (its components are counted), k is not below the number of
        distinct points, d is above the rank of K, or m × m matrices do not fit into memory.
    RuntimeError
        If Clarabel finds no optimal solution.

    References
    ----------
    Algorithm alg-sde; sources G-67 to G-72, G-79, L-21, L-26, L-28; Weinberger and Saul (2004).

    Examples
    --------
    A string of twelve beads, laid in half a circle and drawn tight:

    >>> import numpy as np
    >>> from dimred_lessons import SemidefiniteEmbedding
    >>> angle = np.linspace(0, np.pi, 12)
    >>> beads = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> y = SemidefiniteEmbedding(n_components=1, n_neighbors=2).fit_transform(beads)
    >>> print(f"from end to end {np.ptp(y):.1f}, before {np.linalg.norm(beads[-1] - beads[0]):.1f}")
    from end to end 3.1, before 2.0
    """

    _parameters = {
        "n_neighbors": GRAPH_PARAMETERS["n_neighbors"],
        "angles": check_flag,
        "constraints": partial(check_option, options=("shrink", "equal")),
        "solver": partial(check_option, options=("interior-point", "cvxpy")),
        "n_landmarks": partial(check_integer, least=2, none="for all points"),
        "tol": partial(check_number, below=1),
        "max_iter": check_integer,
        "disconnected": GRAPH_PARAMETERS["disconnected"],
        "verbose": check_flag,
        "n_jobs": GRAPH_PARAMETERS["n_jobs"],
    }

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        n_neighbors: int = 4,
        angles: bool = True,
        constraints: str = "shrink",
        solver: str = "interior-point",
        n_landmarks: int | None = None,
        tol: float = 1e-6,
        max_iter: int = 100,
        disconnected: str = "error",
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.angles = angles
        self.constraints = constraints
        self.solver = solver
        self.n_landmarks = n_landmarks
        self.tol = tol
        self.max_iter = max_iter
        self.disconnected = disconnected
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _fit_eigenpairs(self, X):
        first, copy_of = merge_copies(X, self.n_jobs)
        self._search = NeighborSearch(X[first], n_jobs=self.n_jobs)
        # 1. Neighbors of every point: row i of η                                        (sde-neighbors)
        k, disconnected = self.n_neighbors, self.disconnected
        self.graph_ = neighborhood_graph(self._search, k, disconnected=disconnected, directed=True)
        # 2. Pairs whose distance counts: η_ij = 1 or [ηᵀη]_ij > 0                       (sde-pairs)
        pairs, d = constrained_pairs(self._search.X, self.graph_, self.angles)
        # 3. Maximize tr K subject to K ⪰ 0, K1 = 0, K_ii − 2K_ij + K_jj ≤ d_ij           (sde-problem)
        solution = self._solve(pairs, d)
        self.dual_weights_, self.certificate_, self.n_iter_ = solution.w, solution.certificate, solution.n_iter
        # 4. Kernel PCA with the learned kernel: K = UΛUᵀ, Y = UΛ^½                       (sde-embedding)
        self.kernel_ = center_kernel(solution.K[np.ix_(copy_of, copy_of)])
        self.pairs_, self.squared_distances_, self.duality_gap_ = first[pairs], d, self.certificate_.gap
        eigenvalues, U = top_eigenpairs(self.kernel_, self.n_components)
        kept = eigenvalues > self.tol * np.trace(self.kernel_)  # below this, the gap decides, not the data
        self._embedding_of_distinct = (U * np.sqrt(eigenvalues))[first][:, kept]
        return eigenvalues[kept], U[:, kept], np.sqrt(eigenvalues[kept])

    def _solve(self, pairs, d):
        """The `Solution` by the solver that was asked for."""
        n = len(self._search.X)
        options = {"tol": self.tol, "max_iter": self.max_iter, "verbose": self.verbose}
        if self.n_landmarks is not None:
            if (self.constraints, self.solver) != ("shrink", "interior-point"):
                raise ValueError('n_landmarks needs constraints="shrink" and solver="interior-point".')
            Q = geodesic_basis(symmetrize(self.graph_), self.n_landmarks)  # (sde-landmarks)
            solution = maximize_variance_in_span(pairs, d, Q, **options)
            return solution._replace(K=Q @ solution.K @ Q.T)
        if self.solver == "interior-point":
            return maximize_variance(pairs, d, n, constraints=self.constraints, **options)
        K, w = solve_with_cvxpy(pairs, d, n, self.constraints, self.verbose)
        proof = certificate(K, w, pairs, d, self.constraints)
        if not max(abs(proof.gap), proof.violation) <= 100 * self.tol:
            raise RuntimeError(f'Clarabel is less exact than it claims: {proof}; use solver="interior-point".')
        return Solution(K, w, proof, n_iter=0, converged=True)

    def _place(self, X):
        # 5. Rebuild new points from their neighbors' places; a training point keeps its own (sde-new-points)
        lists = neighbor_lists(self._search, self.n_neighbors, queries=X)
        return rebuilt_places(X, lists, self._search, self._embedding_of_distinct)

    @property
    def _n_square_matrices(self):
        return 10 if self.n_landmarks is None else 4  # K, Z, their factors, steps and products; or K and copies of it

    @property
    def _remedy(self):
        return super()._remedy + (", or set n_landmarks" if self.n_landmarks is None else "")

    @property
    def spectrum_(self) -> np.ndarray:
        """All eigenvalues of K, the largest first; O(n³), when asked for."""
        return np.linalg.eigvalsh(self.kernel_)[::-1]


def solve_with_cvxpy(pairs, squared_distances, n, constraints="shrink", verbose=False):
    """Solve the semidefinite program of the tutorial's Table 1.3 as it stands: a minute for n = 100.

    Parameters
    ----------
    pairs : integer array of shape (m, 2)
    squared_distances : array of shape (m,), of the pairs
    n : int
        How many points there are.
    constraints : "shrink" or "equal"
    verbose : bool
        Whether Clarabel shows its progress.

    Returns
    -------
    K : array of shape (n, n)
    w : array of shape (m,), the dual weights

    Raises
    ------
    ModuleNotFoundError
        If CVXPY is not installed.
    RuntimeError
        If Clarabel finds no optimal solution.

    References
    ----------
    Equation (sde-constraints).
    """
    try:
        import cvxpy as cp  # takes seconds to load, and only this function needs it
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            'solver="cvxpy" needs CVXPY, which is not installed: pip install cvxpy (not yet for Python 3.15), or leave '
            "solver out."
        ) from None

    (i, j), unit = pairs.T, np.mean(squared_distances)
    d = squared_distances / unit  # about 1, as Clarabel's tolerances expect
    K = cp.Variable((n, n), PSD=True)  # K ⪰ 0
    lengths = cp.diag(K)[i] - 2 * K[i, j] + cp.diag(K)[j]
    local = lengths == d if constraints == "equal" else lengths <= d
    problem = cp.Problem(cp.Maximize(cp.trace(K)), [cp.sum(K) == 0, local])  # (sde-constraints)
    with warnings.catch_warnings(action="ignore"):  # an inaccurate solution is an error below
        try:
            problem.solve(solver=cp.CLARABEL, verbose=verbose)
        except cp.SolverError as error:
            raise RuntimeError(f'Clarabel failed ({error}): use solver="interior-point".') from error
    if problem.status != cp.OPTIMAL:
        raise RuntimeError(
            f"Clarabel ends with status {problem.status!r} and no solution (n={n}, {len(pairs)} pairs): use "
            'solver="interior-point", or constraints="shrink".'
        )
    eigenvalues, U = np.linalg.eigh(center_kernel(K.value))  # PSD up to the solver's tolerance: cut off
    return unit * U * np.maximum(eigenvalues, 0) @ U.T, local.dual_value
