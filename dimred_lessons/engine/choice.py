"""Which engine suits which task: rules of sizes, as pure functions, with the measurements they come from."""

# In more dimensions than this a tree visits most points, and plain matrix products are faster.
TREE_DIMENSIONS = 15
# Where s vertices cut a graph in half, elimination takes about s³ operations, Dijkstra's algorithm n times the
# number of edges. In 1 to 10 dimensions (n up to 2000, k from 6 to 24), both were measured to take the same time
# where the quotient of the two is between 1/3 and 2.
SEPARATOR_CUBED = 1 / 3


def neighbor_search(n_features: int, metric: str, same_radius: bool = True) -> str:
    """How neighbors are found.

    Parameters
    ----------
    n_features : int
        D, how many columns the points have.
    metric : "euclidean", "cosine" or "precomputed"
    same_radius : bool
        Whether one radius, or one number of neighbors, holds for all points: a tree cannot search otherwise.

    Returns
    -------
    "tree", "products" or "table"
    """
    if metric == "precomputed":
        return "table"
    return "tree" if same_radius and n_features <= TREE_DIMENSIONS else "products"


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
