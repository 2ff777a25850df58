"""How the forces of a neighbor embedding are computed: between all pairs of points, or as many points need it.

`AllPairs` follows the equations of a kernel, n × n numbers. Where there are more points, affinities are those of the
nearest neighbors of each, and repulsion is that of a grid (`GridForces`, t-SNE) or of random points (`SampledForces`,
UMAP). Each of the three knows affinities, the objective, and how to take steps.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Executor
from typing import TYPE_CHECKING

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse

from dimred_lessons.distances import require_distinct
from dimred_lessons.engine import by_reference, choice
from dimred_lessons.engine.grid_repulsion import GridRepulsion
from dimred_lessons.engine.sampled_pairs import SampledPairs
from dimred_lessons.engine.stored_pairs import StoredAttraction
from dimred_lessons.engine.threads import pool_of
from dimred_lessons.iterative.affinities import (
    memberships_of_nearest,
    probabilities_among_nearest,
    require_perplexity,
    sparse_joint_probabilities,
    sparse_memberships,
)
from dimred_lessons.iterative.neighbor_places import (
    NewPoints,
    field_of_all,
    field_of_grid,
    places_by_sampled_pairs,
    places_in_field,
)
from dimred_lessons.memory import require_memory
from dimred_lessons.neighbors import NeighborSearch, neighbor_lists

if TYPE_CHECKING:
    from dimred_lessons.iterative.neighbor_kernels import NeighborKernel

# UMAP's curve q = 1/(1 + a δ^2b) for the usual min_dist of 0.1; points nearer than √ε repel as if at that distance
UMAP_A, UMAP_B = 1.577, 0.895
# No point moves further than this in a step: one that did would make the grid larger for all
_LONGEST_STEP = 5.0

Steps = Generator[np.ndarray, None, np.ndarray]


class Forces(ABC):
    """What moves the places: the frame of the three classes below.

    Parameters
    ----------
    affinities : array or sparse CSR array of shape (n, n)
    """

    most_components: float = np.inf

    def __init__(self, affinities: np.ndarray | sparse.csr_array) -> None:
        self.affinities = affinities

    @abstractmethod
    def objective(self, Y: np.ndarray) -> float:
        """The mismatch of affinities and places.

        Parameters
        ----------
        Y : array of shape (n, d)

        Returns
        -------
        float
        """

    @abstractmethod
    def rate(self, exaggeration: float) -> float:
        """The usual length of a step, as a factor of the gradient.

        Parameters
        ----------
        exaggeration : float
            Factor of the attraction.

        Returns
        -------
        float
        """

    @abstractmethod
    def steps(self, Y: np.ndarray, n_steps: int, exaggeration: float, momentum: float, rate: float) -> Steps:
        """Places after each step.

        Parameters
        ----------
        Y : array of shape (n, d), centered
        n_steps : int
        exaggeration, momentum, rate : float
            See `momentum_steps`.

        Yields
        ------
        array of shape (n, d)

        Returns
        -------
        array of shape (n, d), the last of them
        """

    @staticmethod
    @abstractmethod
    def place(
        P: sparse.csr_array, Y: np.ndarray, new_points: NewPoints, exaggeration: float, pool: Executor
    ) -> np.ndarray:
        """Places of new points in a map that stays as it is.

        Parameters
        ----------
        P : sparse CSR array of shape (m, n), affinities to the points of the map
        Y : array of shape (n, d), the map
        new_points : NewPoints
        exaggeration : float
        pool : Executor

        Returns
        -------
        array of shape (m, d)
        """


def follows_all_pairs(n: int, method: str, only_near: bool = False) -> bool:
    """Whether the forces of all pairs are computed; always within ``dimred_lessons.reference()``.

    Parameters
    ----------
    n : int
        Number of points.
    method : "auto", "exact" or "approximate"
    only_near : bool
        Whether no distances are known but those to candidates for neighbors.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If all pairs are asked for, but only near ones are known.
    """
    if only_near and (by_reference() or method == "exact"):
        raise ValueError(
            'Forces of all pairs need all distances, which a sparse X lacks: give all of them, or method="approximate".'
        )
    return by_reference() or method == "exact" or (method == "auto" and not only_near and choice.all_pairs_suit(n))


def require_points_that_vary(search: NeighborSearch) -> None:
    """Refuse points that all coincide.

    Parameters
    ----------
    search : NeighborSearch

    Raises
    ------
    ValueError
        If all points, or all distances that are stored, are the same.
    """
    X = search.X
    require_distinct(X.shape[0], np.asarray(X.data) if sparse.issparse(X) else X - X[:1])


def threads(n_jobs: int | None) -> Executor:
    """Threads that share the work on many points, for a ``with`` statement.

    Parameters
    ----------
    n_jobs : int or None
        -1 for one per core, None for one, or what ``joblib.parallel_config`` says.

    Returns
    -------
    Executor
    """
    return pool_of(effective_n_jobs(n_jobs))


def momentum_steps(
    gradient: Callable[[np.ndarray], np.ndarray],
    Y: np.ndarray,
    n_steps: int,
    momentum: float,
    rate: float,
    longest: float | None = None,
) -> Steps:
    """Steps against a gradient, longer for a coordinate that keeps its direction, shorter for one that turns.

    Parameters
    ----------
    gradient : function of the places
    Y : array of shape (n, d), centered
    n_steps : int
    momentum : float
        Share of a step that is taken again in the next one.
    rate : float
        Length of a step, as a factor of the gradient.
    longest : float or None
        How far a point may go in a step; None for any length.

    Yields
    ------
    array of shape (n, d), places after a step

    Returns
    -------
    array of shape (n, d), the last of them

    References
    ----------
    Equation (sne-step).
    """
    step, gains = np.zeros_like(Y), np.ones_like(Y)
    for _ in range(n_steps):
        slope = gradient(Y)
        gains = np.maximum(np.where(step * slope < 0, gains + 0.2, 0.8 * gains), 0.01)
        step = momentum * step - rate * gains * slope
        if longest is not None:
            step *= np.minimum(1, longest / np.maximum(np.sqrt(np.square(step).sum(axis=1)), longest))[:, np.newaxis]
        Y = Y + step  # (sne-step)
        Y -= Y.mean(axis=0)  # a large mean would lose the digits of a small map
        yield Y
    return Y


def affinities_of_new_points(
    search: NeighborSearch, queries: np.ndarray, neighbors: str, n_neighbors: float
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Affinities of new points and their nearest ones among those of the map, and the graph of their distances.

    Parameters
    ----------
    search : NeighborSearch
        The points of the map.
    queries : array of shape (m, D)
    neighbors : "perplexity" or "n_neighbors"
    n_neighbors : float

    Returns
    -------
    affinities, graph : sparse CSR arrays of shape (m, n), with the same number of entries in each row
    """
    by_entropy = neighbors == "perplexity"
    k = lists_of_perplexity(n_neighbors, search.X.shape[0]) if by_entropy else int(n_neighbors)
    graph = neighbor_lists(search, k, queries=queries)
    return (probabilities_among_nearest(graph, n_neighbors) if by_entropy else memberships_of_nearest(graph)), graph


class AllPairs(Forces):
    """The equations of a kernel, for all pairs of points.

    Parameters
    ----------
    kernel : NeighborKernel
    affinities : array of shape (n, n)
    """

    def __init__(self, kernel: "NeighborKernel", affinities: np.ndarray) -> None:
        super().__init__(affinities)
        self.kernel = kernel

    def objective(self, Y: np.ndarray) -> float:
        """The objective of the kernel.

        Parameters
        ----------
        Y : see `Forces`

        Returns
        -------
        float
        """
        return self.kernel.objective(self.affinities, Y)

    def rate(self, exaggeration: float) -> float:
        """n / (4 max(α, 3) ΣP), a third of openTSNE's without exaggeration.

        Parameters
        ----------
        exaggeration : see `Forces`

        Returns
        -------
        float
        """
        return len(self.affinities) / (4 * max(exaggeration, 3) * self.affinities.sum())

    def steps(self, Y: np.ndarray, n_steps: int, exaggeration: float, momentum: float, rate: float) -> Steps:
        """Steps with momentum against the gradient of the kernel.

        Parameters
        ----------
        Y, n_steps, exaggeration, momentum, rate : see `Forces`

        Returns
        -------
        generator of arrays of shape (n, d)
        """
        attraction = exaggeration * self.affinities
        return momentum_steps(lambda Y: self.kernel.gradient(attraction, Y), Y, n_steps, momentum, rate)

    @staticmethod
    def place(
        P: sparse.csr_array, Y: np.ndarray, new_points: NewPoints, exaggeration: float, pool: Executor
    ) -> np.ndarray:
        """New points come to rest among all points of the map.

        Parameters
        ----------
        P, Y, new_points, exaggeration, pool : see `Forces`

        Returns
        -------
        array of shape (m, d)
        """
        field = field_of_all(Y, new_points.push, new_points.similarity)
        return places_in_field(exaggeration * P, Y, new_points.pull, field)


class GridForces(Forces):
    """Attraction along the stored pairs of t-SNE, and repulsion by a grid, in one or two dimensions.

    The steps are those of openTSNE: of length n/α, and no longer than 5.

    Parameters
    ----------
    search : NeighborSearch
    perplexity : float
        Neighbors are the nearest 3 · perplexity points, at most all.
    pool : Executor
    n_threads : int
    n_steps, rng : not used
        See `SampledForces`.
    """

    most_components = 2

    def __init__(self, search: NeighborSearch, perplexity: float, pool: Executor, n_threads: int, **_: object) -> None:
        n = search.X.shape[0]
        require_points_that_vary(search)
        require_perplexity(perplexity, n)
        k = lists_of_perplexity(perplexity, n)
        require_memory(12, n, k, "fit fewer points and place the others with transform, or lower perplexity")
        super().__init__(sparse_joint_probabilities(neighbor_lists(search, k), perplexity))
        self.attraction = StoredAttraction(self.affinities, pool)
        self.repulsion = GridRepulsion(pool, n_threads)

    def objective(self, Y: np.ndarray) -> float:
        """KL(P‖Q) = Σ P log P + Σ P log(1 + ‖y_i − y_j‖²) + log Z, where P has sum 1.

        Parameters
        ----------
        Y : see `Forces`

        Returns
        -------
        float
        """
        Y, P = np.ascontiguousarray(Y, np.float32), np.asarray(self.affinities.data)
        entropy = np.sum(P * np.log(P, out=np.zeros_like(P), where=P > 0))
        return float(entropy + self.attraction.cross_entropy(Y) + np.log(self.repulsion(Y).total))

    def rate(self, exaggeration: float) -> float:
        """n / 4α, as in openTSNE.

        Parameters
        ----------
        exaggeration : see `Forces`

        Returns
        -------
        float
        """
        return self.affinities.shape[0] / (4 * exaggeration)

    def steps(self, Y: np.ndarray, n_steps: int, exaggeration: float, momentum: float, rate: float) -> Steps:
        """Steps with momentum, none of them longer than 5.

        Parameters
        ----------
        Y, n_steps, exaggeration, momentum, rate : see `Forces`

        Returns
        -------
        generator of arrays of shape (n, d)
        """

        def gradient(Y):
            repulsion = self.repulsion(Y)
            return 4 * (exaggeration * self.attraction(Y) - repulsion.forces * (1 / repulsion.total))

        Y = np.ascontiguousarray(Y, np.float32)
        return momentum_steps(gradient, Y, n_steps, momentum, float(rate), _LONGEST_STEP)

    @staticmethod
    def place(
        P: sparse.csr_array, Y: np.ndarray, new_points: NewPoints, exaggeration: float, pool: Executor
    ) -> np.ndarray:
        """New points come to rest in the field of the grid.

        Parameters
        ----------
        P, Y, new_points, exaggeration, pool : see `Forces`

        Returns
        -------
        array of shape (m, d)
        """
        return places_in_field(exaggeration * P, Y, new_points.pull, field_of_grid(Y, pool))


class SampledForces(Forces):
    """Pairs of UMAP that are drawn, each with random points that repel, as in umap-learn.

    A step draws about as many pairs as there are points. Its length falls evenly to zero; exaggeration weakens the
    repulsion instead of strengthening the attraction, which would overshoot.

    Parameters
    ----------
    search : NeighborSearch
    n_neighbors : int
    pool, n_threads : not used
        See `GridForces`.
    n_steps : int
        Of the whole way.
    rng : Generator
    """

    def __init__(
        self, search: NeighborSearch, n_neighbors: int, *, n_steps: int, rng: np.random.Generator, **_: object
    ) -> None:
        n = search.X.shape[0]
        require_points_that_vary(search)
        require_memory(12, n, n_neighbors, "fit fewer points and place the others with transform, or lower n_neighbors")
        super().__init__(sparse_memberships(neighbor_lists(search, n_neighbors)))
        self.pairs = SampledPairs(self.affinities, UMAP_A, UMAP_B, rng)
        self.n_left = self.n_steps = n_steps

    def objective(self, Y: np.ndarray) -> float:
        """The cross-entropy, an estimate: random points stand for those that are no neighbors.

        Parameters
        ----------
        Y : see `Forces`

        Returns
        -------
        float
        """
        return self.pairs.cross_entropy(np.ascontiguousarray(Y, np.float32))

    def rate(self, exaggeration: float) -> float:
        """1, of the first step.

        Parameters
        ----------
        exaggeration : see `Forces`

        Returns
        -------
        float
        """
        return 1.0

    def steps(self, Y: np.ndarray, n_steps: int, exaggeration: float, momentum: float, rate: float) -> Steps:
        """Steps along the pairs that are drawn.

        Parameters
        ----------
        Y, n_steps, exaggeration, momentum, rate : see `Forces`

        Returns
        -------
        generator of arrays of shape (n, d)
        """
        Y = np.ascontiguousarray(Y, np.float32)
        dealt: Iterator[np.ndarray] = iter(())
        for _ in range(n_steps):
            drawn = next(dealt, None)
            if drawn is None:
                dealt = self.pairs.epoch()
                drawn = next(dealt)
            length = np.float32(rate * self.n_left / self.n_steps)
            Y = Y + length * self.pairs.forces(Y, drawn, push=1 / exaggeration)
            self.n_left -= 1
            yield Y
        return Y

    @staticmethod
    def place(
        P: sparse.csr_array, Y: np.ndarray, new_points: NewPoints, exaggeration: float, pool: Executor
    ) -> np.ndarray:
        """New points move along sampled pairs, too.

        Parameters
        ----------
        P, Y, new_points, exaggeration, pool : see `Forces`

        Returns
        -------
        array of shape (m, d)
        """
        return places_by_sampled_pairs(P, Y, UMAP_A, UMAP_B, push=1 / exaggeration)


def lists_of_perplexity(perplexity: float, n: int) -> int:
    """How many neighbors stand for all others: 3 · perplexity, if there are so many.

    Parameters
    ----------
    perplexity : float
    n : int
        Number of points.

    Returns
    -------
    int
    """
    return min(int(3 * perplexity), n - 1)
