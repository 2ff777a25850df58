"""Neighbors as probabilities: SNE, t-SNE and the objective of UMAP."""

from functools import partial

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import check_random_state
from tqdm import tqdm

from dimred_lessons.base import Embedding
from dimred_lessons.distances import METRICS, as_points, squared_distances_by
from dimred_lessons.eigenpairs import thin_svd
from dimred_lessons.iterative.eigenmap_start import eigenmap_of_affinities
from dimred_lessons.iterative.neighbor_forces import AllPairs, affinities_of_new_points, follows_all_pairs, threads
from dimred_lessons.iterative.neighbor_kernels import KERNELS
from dimred_lessons.kernels import points_from_distances
from dimred_lessons.memory import require_memory
from dimred_lessons.messages import warn
from dimred_lessons.neighbors import NeighborSearch, coincident_points
from dimred_lessons.parameters import (
    check_integer,
    check_jobs,
    check_number,
    check_option,
    check_points,
    check_seed,
    check_verbose,
    given_places,
)


class NeighborEmbedding(Embedding):
    """Place points so that each has the neighbors that it has among the data, as probabilities.

    Follows the gradient of a mismatch between affinities of pairs, P of the data and Q of the places: t-SNE, symmetric
    SNE and SNE minimize KL(P‖Q), UMAP a cross-entropy. Up to 5000 points, all pairs attract or repel each other in
    every step, O(n²): exact. Beyond, only the nearest neighbors attract. In t-SNE, in one or two dimensions, the
    repulsion of all pairs is read off a grid, O(n log n): forces are off by less than 1%. In UMAP, a few random points
    repel instead of all, as in umap-learn. ``transform`` places new points in the map, which stays as it is.

    Parameters
    ----------
    n_components : int or None, default 2
        d; None for as many as the data or the initial places have: columns, or axes of classical scaling for given
        distances.
    perplexity : float, default 30.0
        How many neighbors each point has, in the sense of an entropy; at least 1, below n − 1. Not used by "umap".
    n_neighbors : int, default 15
        How many neighbors each point has, by count; at least 2, below n. Used by "umap" only.
    kernel : "student", "gaussian", "sne" or "umap", default "student"
        What distances of places mean: t-SNE, 1/(1 + ‖y − y′‖²); symmetric SNE, exp(−‖y − y′‖²); SNE, the same with
        probabilities for each point separately; UMAP, 1/(1 + 1.577 ‖y − y′‖^1.79), for each pair separately.
    exaggeration : float, default 1.0
        Factor of the attraction. Above 1, the map approaches that of Laplacian eigenmaps.
    early_exaggeration : float, default 12.0
        Factor of the attraction in the early steps: the parts of a cluster find each other before they settle. Beyond
        the `critical_exaggeration` the map shrinks during these steps; afterward each axis is enlarged to the size that
        it had at the start.
    early_exaggeration_iter : int, default 250
        Number of early steps, 0 or above; they are among the ``max_iter`` steps.
    init : "spectral", "pca", "random" or array of shape (n_samples, d), default "spectral"
        Initial places: Laplacian eigenmaps of P, principal components (classical scaling, if distances are given),
        normal random numbers, or those of another method. They are centered and shrunk to a standard deviation of 1e-4
        along the first axis (1 for "umap").
    learning_rate : float or "auto", default "auto"
        Length of a step, as a factor of the gradient; "auto" for n / (4 max(α, 3) ΣP), α the exaggeration; with a grid,
        for n / 4α, as in openTSNE. Along sampled pairs, of the first step, "auto" for 1: the length falls to zero.
    max_iter : int, default 750
        Number of steps, all of which are taken. Along sampled pairs, a step draws about n of them: five make an epoch
        of umap-learn, so that 2000 keep a few percent more of the neighbors.
    metric : "euclidean", "cosine" or "precomputed", default "euclidean"
        Distances of the points; if precomputed, X holds them, (n, n) in ``fit``, (n_new, n) in ``transform``. A sparse
        X holds only those to candidates for neighbors, at least 3 perplexity of each point, or n_neighbors.
    method : "auto", "exact" or "approximate", default "auto"
        "exact" for all pairs; "approximate" for a grid or sampled pairs; "auto" for the first up to 5000 points, if all
        distances are known. Within ``dimred_lessons.reference()``, all pairs, always.
    n_jobs : int or None, default None
        Threads that share the work on a grid, and search for neighbors in up to 15 dimensions; −1 for one per core,
        None for one, or what ``joblib.parallel_config`` says. The same number gives the same map, to the last digit.
    random_state : int, RandomState or None, default 0
        For random places, for the 1% of noise that separates equal places of a spectral start, and for sampled pairs.
    verbose : bool or int, default False
        Whether the steps show a progress bar. Ctrl-C ends them, and the fit keeps the map so far, with a warning.

    Attributes
    ----------
    affinities_ : array of shape (n_samples, n_samples), P
        A sparse CSR array where it is approximated: of 3 perplexity neighbors of each point, or of n_neighbors.
    objective_path_ : array, the mismatch, without exaggeration, after every 25 steps and at the end
        It may rise, in particular where the early exaggeration ends. Along sampled pairs it is an estimate, and not
        what the steps minimize: a few random points repel less than all.
    n_iter_ : int, the steps taken: max_iter, if they were not interrupted
    embedding_ : array of shape (n_samples, d), centered
    n_components_ : int, d
    n_features_in_ : int, how many columns ``fit`` saw

    Raises
    ------
    ValueError
        In ``fit``, if the number of neighbors is not below that of the others, there are more than 5000 points and
        the kernel, in so many dimensions, has no approximation, a sparse X lacks distances that are needed, or steps of
        a given length leave the range of numbers.

    Warns
    -----
    UserWarning
        If the steps were interrupted.

    References
    ----------
    Algorithm alg-sne; Hinton and Roweis (2003), van der Maaten and Hinton (2008), McInnes, Healy and Melville (2018),
    Linderman, Rachh, Hoskins, Steinerberger and Kluger (2019).

    Examples
    --------
    >>> import numpy as np
    >>> from dimred_lessons import NeighborEmbedding
    >>> X = np.random.default_rng(0).standard_normal((40, 5))
    >>> X[20:] += 20
    >>> Y = NeighborEmbedding(perplexity=10, max_iter=300).fit_transform(X)
    >>> bool(np.linalg.norm(Y[:20].mean(axis=0) - Y[20:].mean(axis=0)) > 2 * Y[:20].std())
    True
    """

    _parameters = {
        "perplexity": check_number,
        "n_neighbors": partial(check_integer, least=2),
        "kernel": partial(check_option, options=tuple(KERNELS)),
        "exaggeration": check_number,
        "early_exaggeration": check_number,
        "early_exaggeration_iter": partial(check_integer, least=0),
        "init": partial(check_points, options=("spectral", "pca", "random")),
        "learning_rate": partial(check_number, word="auto"),
        "max_iter": check_integer,
        "metric": partial(check_option, options=METRICS),
        "method": partial(check_option, options=("auto", "exact", "approximate")),
        "n_jobs": check_jobs,
        "random_state": check_seed,
        "verbose": check_verbose,
    }

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        perplexity: float = 30.0,
        n_neighbors: int = 15,
        kernel: str = "student",
        exaggeration: float = 1.0,
        early_exaggeration: float = 12.0,
        early_exaggeration_iter: int = 250,
        init: str | ArrayLike = "spectral",
        learning_rate: float | str = "auto",
        max_iter: int = 750,
        metric: str = "euclidean",
        method: str = "auto",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        verbose: bool | int = False,
    ) -> None:
        self.n_components = n_components
        self.perplexity = perplexity
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.exaggeration = exaggeration
        self.early_exaggeration = early_exaggeration
        self.early_exaggeration_iter = early_exaggeration_iter
        self.init = init
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.metric = metric
        self.method = method
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self):
        """Tell scikit-learn that distances may be sparse."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.metric == "precomputed"
        return tags

    def _embed(self, X):
        kernel = KERNELS[self.kernel]
        X = X if sparse.issparse(X) else np.ascontiguousarray(X)  # steps amplify rounding, so its order counts
        with threads(self.n_jobs) as pool:
            # 1. Affinities, and how forces are computed
            forces = self._forces(X, kernel, pool)
            self.affinities_ = forces.affinities
            # 2. Places to start from
            Y = self._start(X, kernel.size)
            # 3. Steps; their generator says which
            path, self.n_iter_ = [], 0
            steps = tqdm(self._steps(forces, Y), "Steps", self.max_iter, disable=not self.verbose)
            try:
                with np.errstate(all="ignore"):  # what they leave behind is refused
                    for self.n_iter_, Y in enumerate(steps, 1):
                        self._require_finite(Y)
                        if self.n_iter_ % 25 == 0:
                            path.append(forces.objective(Y))
            except KeyboardInterrupt:
                warn(f"Interrupted after {self.n_iter_} of {self.max_iter} steps: the embedding is the map so far.")
            self.objective_path_ = np.array([*path, forces.objective(Y)])
        Y = Y.astype(float)
        return Y - Y.mean(axis=0) if sparse.issparse(self.affinities_) else Y

    def _require_finite(self, Y):
        if not np.isfinite(Y).all():
            raise ValueError(
                f"Step {self.n_iter_} has left the range of numbers: lower learning_rate (now {self.learning_rate!r})."
            )

    def _forces(self, X, kernel, pool):
        """Forces of all pairs, or those for many points."""
        n, n_neighbors = X.shape[0], getattr(self, kernel.neighbors)
        self._search = NeighborSearch(X, self.metric, self.n_jobs, copy=True)
        if follows_all_pairs(n, self.method, sparse.issparse(X)):
            require_memory(5, n, n, self._remedy)
            return AllPairs(kernel, kernel.affinities(squared_distances_by(X, self.metric), n_neighbors))
        d = np.shape(self.init)[1] if not isinstance(self.init, str) else self.n_components or self._n_axes(X)
        if kernel.many_points is None or d > kernel.many_points.most_components:
            too_much = f"n_samples={n} is too many, or method={self.method!r} is,"
            unsuited = "A sparse X holds too little" if sparse.issparse(X) else too_much
            raise ValueError(
                f"{unsuited} for kernel={self.kernel!r} with {d} "
                'components, which follows all pairs: use "student" with one or two components or "umap", embed fewer '
                'points, or take the time for method="exact".'
            )
        return kernel.many_points(
            self._search,
            n_neighbors,
            pool=pool,
            n_threads=effective_n_jobs(self.n_jobs),
            n_steps=self.max_iter,
            rng=np.random.default_rng(check_random_state(self.random_state).randint(2**31)),
        )

    def _steps(self, forces, Y):
        """The map after each step."""
        n_early, sizes = min(self.early_exaggeration_iter, self.max_iter), Y.std(axis=0)
        # Steps with more attraction
        Y = yield from forces.steps(Y, n_early, **self._phase(forces, self.early_exaggeration), momentum=0.5)
        # Steps from there, after a map that shrank is enlarged, as power iteration does: each axis to its first size
        Y = Y * np.maximum(1, sizes / Y.std(axis=0))
        yield from forces.steps(Y, self.max_iter - n_early, **self._phase(forces, self.exaggeration), momentum=0.8)

    def _phase(self, forces, exaggeration):
        rate = forces.rate(exaggeration) if self.learning_rate == "auto" else self.learning_rate
        return {"exaggeration": exaggeration, "rate": rate}

    def _place(self, X):
        """New points among those of the map, which stay where they are; a training point keeps its own place."""
        kernel = KERNELS[self.kernel]
        P, graph = affinities_of_new_points(self._search, X, kernel.neighbors, getattr(self, kernel.neighbors))
        forces = kernel.many_points if sparse.issparse(self.affinities_) else AllPairs
        with threads(self.n_jobs) as pool:
            Y = forces.place(P, self.embedding_, kernel.new_points, self.exaggeration, pool)
        queries, points = coincident_points(graph)
        Y[queries] = self.embedding_[points]
        return Y

    def _start(self, X, size):
        """Initial places, centered, with the given standard deviation along the first axis."""
        n, d, rng = X.shape[0], self.n_components, check_random_state(self.random_state)
        if not isinstance(self.init, str):
            Y = given_places(self.init, n, d)
        elif self.init == "random":
            Y = rng.standard_normal((n, d or self._n_axes(X)))
        elif self.init == "pca":
            Y = self._principal_axes(X, d or self._n_axes(X))
        else:
            Y = eigenmap_of_affinities(self.affinities_, d or self._n_axes(X))
            Y += 0.01 * rng.standard_normal(Y.shape)
        if d and Y.shape[1] < d:
            most = Y.shape[1]
            raise ValueError(f"n_components={d} is above the {most} that init={self.init!r} can give: ask for fewer.")
        return (Y - Y.mean(axis=0)) * (size / Y[:, 0].std())

    def _principal_axes(self, X, d):
        """Coordinates of the points, or of points with the given distances, along their principal axes."""
        if sparse.issparse(X):
            raise ValueError(
                "Principal axes need the distances of all pairs, which a sparse X lacks: give n_components, and use "
                'init="spectral" or "random".'
            )
        points = as_points(X, self.metric)
        if self.metric == "precomputed":
            return points_from_distances(points, d, X)
        U, singular_values, _ = thin_svd(points - points.mean(axis=0), d)
        return U * singular_values

    def _n_axes(self, X):
        """How many axes the data have."""
        return self._principal_axes(X, None).shape[1] if self.metric == "precomputed" else min(len(X) - 1, X.shape[1])
