"""Which engine for which sizes: pure functions of sizes, one a decision, with what was measured."""

# -------------------------------------------------------------------------------------------------------
# Eigenpairs

# Up to this many rows, all eigenpairs by LAPACK take no longer than an iteration for a few of them.
_FEW_ROWS = 500
# An iteration for more than one pair in 20 takes longer than LAPACK does for all.
_ROWS_PER_TOP_PAIR = 20
# The same at the bottom, where each product is a solution with a factor of a sparse matrix: one pair in 10.
_ROWS_PER_BOTTOM_PAIR = 10
# If cutting the graph of a Laplacian into halves takes more vertices than this, its factor takes longer than products.
_LARGE_SEPARATOR = 1000
# If cutting a graph into halves takes more than this share of its vertices, a sparse factor is nearly full, and the
# dense one, whose operations are some ten times as fast each, is made sooner.
_DENSE_SEPARATOR = 1 / 3


def small(n: int) -> bool:
    """Whether a matrix is so small that threads cost more than they bring, and LAPACK beats every iteration.

    Parameters
    ----------
    n : int
        Number of rows of a square matrix.

    Returns
    -------
    bool
    """
    return n <= _FEW_ROWS


def top_solver(n: int, n_pairs: int) -> str:
    """How the largest eigenvalues of a dense matrix are found.

    Parameters
    ----------
    n, n_pairs : int
        Number of rows, and of the pairs that are wanted.

    Returns
    -------
    "lapack", which finds all pairs, or "krylov", which multiplies until those wanted have converged
    """
    return "lapack" if small(n) or n_pairs > n // _ROWS_PER_TOP_PAIR else "krylov"


def bottom_solver(n: int, n_pairs: int) -> str:
    """How the smallest eigenvalues of a matrix that is mostly sparse are found.

    Parameters
    ----------
    n, n_pairs : int
        Number of rows, and of the pairs that are wanted, one more than there are axes.

    Returns
    -------
    "lapack", which finds all pairs of the dense matrix, or "lanczos", in the ways that `bottom_products` names
    """
    return "lapack" if small(n) or n_pairs > n // _ROWS_PER_BOTTOM_PAIR + 1 else "lanczos"


def bottom_products(n: int, separator: int, laplacian: bool) -> tuple[str, ...]:
    """With what Lanczos' method multiplies at the bottom of a spectrum: one way after the other, until one converges.

    If it takes s vertices to cut the graph in halves, the sparse factor holds some 2s² numbers and takes s³
    operations, the dense one n² numbers and n³ / 3 operations that are some ten times as fast each. A graph that no
    small set of vertices cuts has a large second Laplacian eigenvalue (Cheeger), so that the matrix itself will do
    where its factor would fill up. The eigenvalues of LLE are too small for that.

    Parameters
    ----------
    n : int
        Number of vertices of the graph of a sparse matrix.
    separator : int
        About how many of them cut it in halves: `dimred_lessons.engine.separators.separator_size`.
    laplacian : bool
        Whether no entry off the diagonal is positive.

    Returns
    -------
    tuple of "matrix", "sparse factor" and "dense factor"
    """
    factor = "dense factor" if separator > _DENSE_SEPARATOR * n else "sparse factor"
    return ("matrix", factor) if laplacian and separator > _LARGE_SEPARATOR else (factor,)


# -------------------------------------------------------------------------------------------------------
# Distances

# The differences of single pairs take 12 to 22 times as long, each, as those of all at once (2 to 50 columns).
_MANY_PAIRS = 1 / 20


def differences_of_all(n_lost: int, n_pairs: int) -> bool:
    """Whether the differences of all pairs are computed, because the matrix product has lost digits of many of them.

    Parameters
    ----------
    n_lost, n_pairs : int
        How many pairs have lost digits, and how many there are.

    Returns
    -------
    bool
    """
    return n_lost > _MANY_PAIRS * n_pairs


# -------------------------------------------------------------------------------------------------------
# Neighbors

# In more dimensions than this a tree visits most points, and plain matrix products are faster.
TREE_DIMENSIONS = 15


def neighbor_search(n_features: int, metric: str, same_radius: bool = True) -> str:
    """How neighbors are found.

    Parameters
    ----------
    n_features : int
        D, how many columns the points have.
    metric : "euclidean", "cosine" or "precomputed"
    same_radius : bool
        Whether one radius, or one number of neighbors, holds for all points: a tree would search within the largest.

    Returns
    -------
    "tree", "products" or "table"
    """
    if metric == "precomputed":
        return "table"
    return "tree" if same_radius and n_features <= TREE_DIMENSIONS else "products"


# -------------------------------------------------------------------------------------------------------
# Shortest paths

# Where s vertices cut a graph in half, elimination takes about s³ operations, Dijkstra's algorithm n times the
# number of edges. In 1 to 10 dimensions (n up to 2000, k from 6 to 24), both were measured to take the same time
# where the quotient of the two is between 1/3 and 2.
SEPARATOR_CUBED = 1 / 3


def all_shortest_paths(n_vertices: int, n_edges: int, separator: int) -> str:
    """How the shortest paths between all vertices are found.

    Parameters
    ----------
    n_vertices, n_edges : int
        Of the graph; each direction of an edge counts.
    separator : int
        How many vertices cut it in half; see `dimred_lessons.engine.separators.separator_size`.

    Returns
    -------
    "elimination" or "Dijkstra"
    """
    return "elimination" if separator**3 <= SEPARATOR_CUBED * n_vertices * n_edges else "Dijkstra"


# -------------------------------------------------------------------------------------------------------
# Neighbor embeddings

# Of 5000 points, forces of all pairs take 0.16 s a step, two minutes a run; by a grid, 0.7% off, a run takes 15 s.
MOST_FOLLOWED = 5000


def all_pairs_suit(n: int) -> bool:
    """Whether a neighbor embedding follows the forces of all pairs, instead of a grid's or those of random points.

    Parameters
    ----------
    n : int
        Number of points.

    Returns
    -------
    bool
    """
    return n <= MOST_FOLLOWED


# -------------------------------------------------------------------------------------------------------
# Threads


def one_thread_suits(n_entries: int) -> bool:
    """Whether a step of EM over a table, or its QR decomposition, is faster with one thread of BLAS than with several.

    Up to 2²⁰ entries what has to be solved is too small for threads, which would wait for each other.

    Parameters
    ----------
    n_entries : int
        Entries of the table.

    Returns
    -------
    bool
    """
    return n_entries <= 2**20
