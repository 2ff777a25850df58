"""Semidefinite embedding, also called maximum variance unfolding: learn the kernel itself."""

from functools import partial

import numpy as np

from dimred_lessons.eigenpairs import top_eigenpairs
from dimred_lessons.graphs import GRAPH_PARAMETERS
from dimred_lessons.kernels import center_kernel
from dimred_lessons.landmarks import geodesic_basis
from dimred_lessons.local_distances import local_distances
from dimred_lessons.neighbors import neighbor_lists
from dimred_lessons.parameters import check_flag, check_integer, check_number, check_option, check_verbose
from dimred_lessons.reconstruction import rebuilt_places
from dimred_lessons.semidefinite import maximize_variance, maximize_variance_in_span
from dimred_lessons.spectral.base import SpectralMethod


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
        Our own, or, for up to 60 points, the program as written on paper (Clarabel, by CVXPY).
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
    verbose : bool or int, default False
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
        Iterations of the solver.
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
        If Clarabel finds no optimal solution, or one whose error is above 100 · ``tol``.

    Warns
    -----
    UserWarning
        In ``fit``, if ``tol`` was not reached, components of the graph were joined, or the last axis and the next one
        have the same eigenvalue up to rounding: the data do not determine it.

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
        "n_neighbors": check_integer,
        "angles": check_flag,
        "constraints": partial(check_option, options=("shrink", "equal")),
        "solver": partial(check_option, options=("interior-point", "cvxpy")),
        "n_landmarks": partial(check_integer, least=2, none="for all points"),
        "tol": partial(check_number, below=1),
        "max_iter": check_integer,
        "disconnected": GRAPH_PARAMETERS["disconnected"],
        "verbose": check_verbose,
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
        verbose: bool | int = False,
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
        # 1. Neighbors of every point: row i of η                                        (sde-neighbors)
        # 2. Pairs whose distance counts: η_ij = 1 or [ηᵀη]_ij > 0                       (sde-pairs)
        local = local_distances(
            X, self.n_neighbors, angles=self.angles, disconnected=self.disconnected, n_jobs=self.n_jobs
        )
        first, copy_of = local.first, local.copy_of  # rows of X that stand for all, and which of them each row is
        self._search, self.graph_ = local.search, local.graph
        self.pairs_, self.squared_distances_ = first[local.pairs], local.squared_distances
        # 3. Maximize tr K subject to K ⪰ 0, K1 = 0, K_ii − 2K_ij + K_jj ≤ d_ij           (sde-problem)
        K, solution = self._largest_kernel(local)
        self.dual_weights_, self.certificate_, self.n_iter_ = solution.w, solution.certificate, solution.n_iter
        self.duality_gap_ = solution.certificate.gap
        # 4. Kernel PCA with the learned kernel: K = UΛUᵀ, Y = UΛ^½                       (sde-embedding)
        self.kernel_ = center_kernel(K[np.ix_(copy_of, copy_of)])
        eigenvalues, U = top_eigenpairs(self.kernel_, self.n_components)
        kept = eigenvalues > self.tol * np.trace(self.kernel_)  # below this, the gap decides, not the data
        eigenvalues, U = eigenvalues[kept], U[:, kept]
        self._embedding_of_distinct = (U * np.sqrt(eigenvalues))[first]
        return eigenvalues, U, np.sqrt(eigenvalues)

    def _largest_kernel(self, local):
        """K of the distinct points, and the `Solution`, whose K with landmarks is Φ."""
        pairs, d, n = local.pairs, local.squared_distances, local.graph.shape[0]
        options = {"tol": self.tol, "max_iter": self.max_iter, "verbose": self.verbose}
        if self.n_landmarks is None:
            solution = maximize_variance(pairs, d, n, constraints=self.constraints, solver=self.solver, **options)
            return solution.K, solution
        if (self.constraints, self.solver) != ("shrink", "interior-point"):
            raise ValueError('n_landmarks needs constraints="shrink" and solver="interior-point".')
        Q = geodesic_basis(local.graph, self.n_landmarks)  # (sde-landmarks)
        solution = maximize_variance_in_span(pairs, d, Q, **options)
        return Q @ solution.K @ Q.T, solution  # (sde-span)

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
