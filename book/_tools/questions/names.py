"""What the numbers of an answer are called, where the cell of the exercise does not name each of them by itself."""

NAMES = {
    "graphs-1": (
        "edges of the union graph, components of the union graph, "
        "edges of the mutual graph, components of the mutual graph"
    ),
    "isomap-1": "distance to B, distance to C, distance to D, distance to E",
    "isomap-2": "largest eigenvalue, second eigenvalue, third eigenvalue, smallest eigenvalue",
    "lle-1": "weight of the first neighbor, weight of the second neighbor, squared error",
    "lle-2": "weight of the nearer one, weight of the farther one, place",
    "tangents-1": "cost of the first function, cost of the second function",
    "lem-1": (
        "smallest eigenvalue without Deg, second eigenvalue without Deg, largest eigenvalue without Deg, "
        "smallest eigenvalue with Deg, second eigenvalue with Deg, largest eigenvalue with Deg"
    ),
    "sde-2": "spread without the third pair, spread with the third pair",
    "unified-1": (
        "larger eigenvalue of the shifted kernel, smaller eigenvalue of the shifted kernel, "
        "larger eigenvalue of the inverse, smaller eigenvalue of the inverse"
    ),
    "unified-10": "c, squared distance of neighbors, squared distance of opposite points",
    "ppca-2": "free numbers of probabilistic PCA, free numbers of any covariance, smallest d",
    "em-1": "first entry of C, second entry of C",
    "em-2": "z, entry completed by EM for PCA, y, entry completed by probabilistic PCA",
    "em-9": "factor of variances, factor of covariances, factor of correlations",
    "em-10": "positive fixed point, factor of plain EM, factor of expanded EM",
    "fa-8": "smallest b1, largest b1",
    "ica-10": "excess kurtosis for two lengths, excess kurtosis of the t distribution, smallest value",
    "rp-6": "bound, standard deviation for orthogonal vectors, standard deviation for equal vectors",
    "mixtures-2": "free numbers of the factor analyzers, free numbers of the Gaussians",
    "mixtures-8": "least gap, largest possible gap",
    "mixtures-9": "variance for equal weights, variance for unequal weights",
    "maps-1": "first prototype, second prototype, third prototype",
    "maps-2": (
        "number of the nearest winner, number of the smoothed winner, "
        "sum for the first unit, sum for the second unit, sum for the third unit"
    ),
    "maps-9": "first prototype, second prototype, noise variance 1/β",
    "curves-1": "y of the first point, y of the second point, y of the third point, y of the fourth point",
    "curves-8": "least value of C in the first case, least value of C in the second case",
    "sne-2": "gradient for the first point, gradient for the middle point, gradient for the last point",
    "sne-8": "critical exaggeration of the cycle of 4, critical exaggeration of the cycle of 6",
    "sne-9": "q of the objective, q of sampling with the smaller n, q of sampling with the larger n",
}
