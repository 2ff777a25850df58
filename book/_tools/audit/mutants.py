"""Packages that are wrong in one way each.

A mutant changes text of one function, or of several where the same mistake would be made in each. Functions
are named, not files: moving them changes nothing. When the text has changed, a test and every audit report it;
then adapt the mutant, or replace it if the mistake has become impossible.

A good mutant is a mistake that a student or a tutorial makes. It returns numbers that look like results: what
crashes at once refutes every ✓ and tells nothing about any.
"""

from typing import NamedTuple


class Edit(NamedTuple):
    """In the function of this qualified name, ``old`` becomes ``new``; ``old`` occurs there exactly once."""

    function: str
    old: str
    new: str


class Mutant(NamedTuple):
    """A name that says what is wrong, and the edits that make it so."""

    name: str
    edits: tuple


def _mutant(name, *edits):
    return Mutant(name, tuple(Edit(*edit) for edit in edits))


_ANY = "self.embedding_ = embedding"
_SCORES = "return U * scale"
_TOP = "return eigenvalues[kept], U[:, kept] * column_signs(U[:, kept])"
_GRAM = "np.multiply(D2, -0.5,"
_EDGES_OF_A_BLOCK = "edges.append((rows + part.start, columns, lengths))"
_NOT_FIRST = "slice(1, rank if n_components is None else min(rank, n_components + 1))"
_CHANCE = "np.linalg.qr(np.random.default_rng(0).standard_normal(U.shape))[0]"

MUTANTS = (
    # The frame: what becomes of an embedding
    _mutant("embedding ten times too large", ("Embedding.fit", _ANY, _ANY + " * 10")),
    _mutant("axes in the wrong order", ("Embedding.fit", _ANY, _ANY + "[:, ::-1].copy()")),
    _mutant("last axis flattened", ("Embedding.fit", _ANY, _ANY + "; self.embedding_[:, -1] *= 0.01")),
    _mutant(
        "rows of the embedding mixed up",
        ("Embedding.fit", _ANY, "self.embedding_ = np.random.default_rng(0).permutation(embedding)"),
    ),
    _mutant("axes without their lengths", ("SpectralMethod._embed", _SCORES, "return U")),
    _mutant("eigenvalues where their roots belong", ("SpectralMethod._embed", _SCORES, "return U * scale**2")),
    _mutant("random axes", ("SpectralMethod._embed", _SCORES, f"return {_CHANCE} * scale")),
    # Eigenpairs
    _mutant("smallest of the top eigenpairs first", ("_positive_pairs", _TOP, "kept = kept[::-1]; " + _TOP)),
    _mutant(
        "top eigenvectors at random",
        (
            "_positive_pairs",
            _TOP,
            f"U = {_CHANCE}; {_TOP}",
        ),
    ),
    _mutant(
        "eigenvectors longer than one",
        ("_positive_pairs", _TOP, "U = 1.1 * U; " + _TOP),
        ("_positive_triples", "return U[:, kept] * signs", "V = 1.1 * V; return U[:, kept] * signs"),
    ),
    _mutant(
        "first axis skipped",
        (
            "_positive_pairs",
            "positive[:n_components]",
            "(positive[1:] if len(positive) > (n_components or 1) else positive)[:n_components]",
        ),
    ),
    _mutant(
        "first singular value skipped",
        ("centered_svd_of_points", "svd_of_deviations(X, n_components)", "svd_of_deviations(X, None)"),
        ("_positive_triples", "slice(rank if n_components is None else min(rank, n_components))", _NOT_FIRST),
    ),
    _mutant(
        "constant vector kept",
        ("smallest_eigenvectors", "np.eye(n) + 2 * norm * np.outer(null_vector, null_vector)", "np.eye(n)"),
        ("_lanczos", "found = null_vector[:, np.newaxis]", "found = np.zeros((n, 1))"),
    ),
    _mutant(
        "first bottom axis skipped",
        ("bottom_eigenpairs", "n_pairs = min(wanted + 1, n - 1)", "n_pairs = min(wanted + 2, n - 1)"),
        (
            "bottom_eigenpairs",
            "    eigenvalues = np.einsum",
            "    V = V[:, 1:] if V.shape[1] > wanted else V\n    eigenvalues = np.einsum",
        ),
    ),
    # PCA
    _mutant(
        "no centering",
        ("center_points", "A = X - X[0]", "A = X - 0 * X[0]"),
        ("center_points", "A -= offset\n    return A, X[0] + offset", "return A, offset"),
        ("centered_products", "X[0] + deviations.mean", "0 * deviations.mean"),
        ("_gram_of_rows", "gram - n * np.outer(mean, mean), mean", "gram, 0 * mean"),
        ("RowBlocks._blocks", "means[: len(block)]", "0 * means[: len(block)]"),
        ("CenteredBlocks.images", "images -= ", "images -= 0 * "),
        ("CenteredBlocks.there_and_back", "over_points -= ", "over_points -= 0 * "),
        ("NearOrigin.images", "images -= ", "images -= 0 * "),
        ("NearOrigin.there_and_back", "images -= images", "images -= 0 * images"),
        ("ColumnBlocks.__init__", "block -= ", "block -= 0 * "),
        ("ColumnBlocks.__init__", "self.mean + rest", "self.mean"),
        ("ColumnBlocks._blocks", ", means[part]", ", 0 * means[part]"),
        ("center_kernel", "K -= means\n    K -= (means - means.mean())[:, np.newaxis]", "K += 0"),
        ("center_kernel", "np.subtract(K, K[0, 0],", "np.subtract(K, 0.0,"),
    ),
    _mutant(
        "new points centered with their own mean",
        ("PCA._place", "X - self.mean_", "X - X.mean(axis=0)"),
        ("DualPCA._place", "X[rows] - self.mean_", "X[rows] - X.mean(axis=0)"),
        (
            "center_new_kernel",
            "K_new - row_means - training_means + mean",
            "K_new - row_means - K_new.mean(axis=0) + K_new.mean()",
        ),
        (
            "ClassicalMDS._place_by_landmarks",
            "self.mean_squared_distances_ - self._squared(X[rows])",
            "self._squared(X[rows]).mean(axis=0) - self._squared(X[rows])",
        ),
        (
            "Isomap._place_by_geodesics",
            "self.mean_squared_distances_ - geodesics**2",
            "(geodesics**2).mean(axis=0) - geodesics**2",
        ),
    ),
    _mutant(
        "mean not added back",
        ("PCA.inverse_transform", "self.mean_ + Y", "Y"),
        ("DualPCA.inverse_transform", "self.mean_ + (Y", "(Y"),
    ),
    _mutant("dual directions without 1/σ", ("DualPCA._fit_eigenpairs", "U / singular_values", "U")),
    _mutant(
        "variance divided by n",
        ("PCA.explained_variance_", "(len(self.embedding_) - 1)", "len(self.embedding_)"),
    ),
    # Kernels
    _mutant(
        "columns centered, rows not",
        ("center_kernel", "    K -= (means - means.mean())[:, np.newaxis]", "    K += 0"),
    ),
    _mutant("Gaussian kernel without its 2", ("gaussian_similarities", "-0.5 / sigma**2", "-1 / sigma**2")),
    _mutant(
        "Gaussian kernel of unsquared distances",
        ("gaussian_similarities", "K *= -0.5 / sigma**2", "np.sqrt(K, out=K); K *= -0.5 / sigma"),
    ),
    _mutant("polynomial kernel without a constant", ("polynomial_kernel", "K += coef0", "K += 0")),
    _mutant(
        "polynomial kernel one degree short",
        ("polynomial_kernel", "np.power(K, degree, out=K)", "np.power(K, max(1, degree - 1), out=K)"),
    ),
    _mutant(
        "Gaussian kernel cut off far away",
        ("gaussian_similarities", "return np.exp(K, out=K)", "K = np.exp(K, out=K); K[K < 0.5] = 0; return K"),
    ),
    _mutant(
        "cross terms of distances halved",
        ("squared_distances_between", "-2 * A", "-A"),
        ("squared_distances_from_kernel", "2 * K", "K"),
    ),
    _mutant("feature axes not of unit length", ("KernelPCA._fit_eigenpairs", "U / np.sqrt(eigenvalues)", "U")),
    _mutant("pre-images not sought", ("gaussian_preimages", "Z = np.array(Z)", "return np.array(Z)")),
    _mutant(
        "norm of the projection forgotten",
        ("KernelPCA.feature_residual", "centered_lengths - score_lengths", "centered_lengths"),
    ),
    # Distances
    _mutant("Gram matrix without ½", ("kernel_from_squared_distances", _GRAM, "np.multiply(D2, -1.0,")),
    _mutant("Gram matrix with the wrong sign", ("kernel_from_squared_distances", _GRAM, "np.multiply(D2, 0.5,")),
    _mutant(
        "dissimilarities not squared",
        ("ClassicalMDS._fit_eigenpairs", "check_dissimilarities(L) ** 2", "check_dissimilarities(L)"),
    ),
    _mutant(
        "new points placed without ½",
        ("ClassicalMDS._place_by_landmarks", "0.5 * (self", "(self"),
        ("Isomap._place_by_geodesics", "0.5 * (self", "(self"),
    ),
    # Stress
    _mutant(
        "disparities not rescaled",
        ("_disparities", "return disparities * np.sqrt(size / np.vdot(w, disparities**2))", "return disparities"),
    ),
    _mutant("disparities that fall", ("_disparities", "delta[i, j]))]", "-delta[i, j]))]")),
    _mutant("numbers where only the order counts", ("StressMDS._majorize", 'self.level == "ratio"', "True")),
    _mutant(
        "weights of the stress forgotten",
        ("StressMDS._weights", "w = w * known", "w = np.where((w > 0) & known, 1.0, 0)"),
    ),
    _mutant("missing dissimilarities taken for zero", ("StressMDS._weights", "w = w * known", "w = w * 1.0")),
    _mutant(
        "steps of SMACOF three times too long",
        ("StressMDS._majorize", "Z = solve(pulled)", "Z = -2 * Z + 3 * solve(pulled)"),
    ),
    _mutant("SMACOF cut short", ("StressMDS._is_at_rest", "self.tol * path[-1]", "max(self.tol, 0.05) * path[-1]")),
    _mutant(
        "points among landmarks forget their weights", ("places_among", "factors = weights * ", "factors = 1.0 * ")
    ),
    _mutant("one start for all", ("StressMDS._first_map", 'if self.init == "random"', "if False")),
    _mutant(
        "SSTRESS of distances",
        ("sstress", "(dissimilarities**2 - _distances(Y) ** 2) ** 2", "(dissimilarities - _distances(Y)) ** 2"),
    ),
    _mutant(
        "judgments of other colors",
        (
            "colors",
            "return similarities, np.array(_WAVELENGTHS)",
            "other = np.random.default_rng(0).permutation(n)\n"
            "    return similarities[other][:, other], np.array(_WAVELENGTHS)",
        ),
    ),
    # Neighbors and graphs
    _mutant(
        "one neighbor short",
        (
            "neighbor_lists",
            "    edges = []",
            "    n_neighbors = n_neighbors and max(1, n_neighbors - 1)\n    edges = []",
        ),
    ),
    _mutant(
        "random neighbors",
        (
            "neighbor_lists",
            _EDGES_OF_A_BLOCK,
            "if radius is None:"
            "\n            chance = np.random.default_rng(0).choice(n - 1, n_neighbors, replace=False) + 1"
            "\n            columns = (np.arange(part.start, part.stop)[:, np.newaxis] + chance).ravel() % n"
            "\n            lengths = np.linalg.norm(Q[part][rows] - X[columns], axis=1)"
            "\n        " + _EDGES_OF_A_BLOCK,
        ),
    ),
    _mutant(
        "nearest neighbor left out",
        (
            "_nearest",
            "search.nearest(Q, count + own)",
            "search.nearest(Q, count + own + 1)",
        ),
        ("_nearest", "table[:, own : count + own]", "table[:, -count:]"),
    ),
    _mutant(
        "neighborhoods one way only",
        ("symmetrize", "    edge = ", "    if not mutual:\n        return graph\n    edge = "),
        ("geodesic_distances", "(graph != graph.T).nnz", "False"),
    ),
    _mutant(
        "every edge of length one",
        (
            "geodesic_distances",
            "    return shortest_paths(",
            "    graph = graph.copy()\n    graph.data = np.ones(graph.nnz)\n    return shortest_paths(",
        ),
    ),
    _mutant(
        "edges squared",
        (
            "geodesic_distances",
            "    return shortest_paths(",
            "    graph = graph.copy()\n    graph.data = graph.data**2\n    return shortest_paths(",
        ),
    ),
    _mutant(
        "the longer edge in place of the sum",
        (
            "all_paths_by_elimination",
            "D[v, u, np.newaxis] + D[v, u]",
            "np.maximum(D[v, u, np.newaxis], D[v, u])",
        ),
    ),
    # Isomap
    _mutant(
        "first edge of new points forgotten",
        ("through_first_edges", "paths += graph.data[", "paths += 0 * graph.data["),
    ),
    _mutant("geodesics not squared", ("Isomap._fit_eigenpairs", "among**2", "among**1")),
    _mutant(
        "chords in place of geodesics",
        (
            "Isomap._fit_eigenpairs",
            "    among = self",
            "    self.geodesic_distances_ = np.sqrt(np.maximum(0, (X[self.landmarks_] ** 2).sum(1)[:, None]"
            " + (X**2).sum(1) - 2 * X[self.landmarks_] @ X.T))\n    among = self",
        ),
    ),
    _mutant(
        "conformal lengths without the root",
        (
            "conformal_lengths",
            "np.sqrt(row_means[rows] * column_means[columns])",
            "(row_means[rows] * column_means[columns])",
        ),
    ),
    _mutant("residual variance without the square", ("Isomap.residual_variance", "1 - r**2", "1 - r")),
    # LLE
    _mutant(
        "equal weights in LLE",
        (
            "weights_of_points",
            "= w / w.sum(axis=1, keepdims=True)",
            "= 1 / k",
        ),
    ),
    _mutant("weights without regularizer", ("weights_of_points", "reg * trace", "1e-13 * trace")),
    _mutant(
        "regularizer without the trace",
        (
            "weights_of_points",
            "np.where(trace > 0, reg * trace, 1)",
            "np.full(len(trace), max(reg, 1e-12))",
        ),
    ),
    _mutant("a hundred times the regularizer", ("weights_of_points", "reg * trace", "100 * reg * trace")),
    _mutant(
        "negative weights cut off",
        (
            "weights_of_points",
            "            weights[entries[part]] = w / w",
            "            w = np.maximum(w / w.sum(axis=1, keepdims=True), 0)\n"
            "            weights[entries[part]] = w / w",
        ),
    ),
    _mutant(
        "weights not divided by their sum",
        (
            "weights_of_points",
            "= w / w.sum(axis=1, keepdims=True)",
            "= w / np.median(np.abs(w.sum(axis=1)))",
        ),
    ),
    _mutant(
        "local distances not squared",
        (
            "weights_of_points",
            "X[i, j] ** 2",
            "X[i, j]",
        ),
        ("weights_of_points", "j[:, np.newaxis]] ** 2", "j[:, np.newaxis]]"),
    ),
    _mutant(
        "transpose forgotten in the product of LLE",
        ("reconstruction_cost_operator", "residual - W.T @ residual", "residual - W @ residual"),
    ),
    _mutant(
        "new points of LLE as plain means",
        (
            "rebuilt_places",
            "reconstruction_matrix(X, graph, reg, metric, points) @ embedding",
            "(graph > 0) @ embedding / (graph > 0).sum(axis=1)[:, None]",
        ),
    ),
    # LTSA and Hessian LLE
    _mutant(
        "a patch without its own point",
        (
            "patches",
            "return sparse.csr_array((np.append(np.zeros(n), graph.data), entries), shape=(n, n)), d",
            "return graph, d",
        ),
    ),
    _mutant(
        "tangents of a patch that is not centered",
        ("tangents_of_patches", "P = X[members] - X[members[:, :1]]", "P = X[members]"),
        ("tangents_of_patches", "P -= P.mean(axis=1, keepdims=True)", "pass"),
    ),
    _mutant(
        "tangents across the sheet",
        ("left_singular_vectors", "squares[:, : -d - 1 : -1], V[:, :, : -d - 1 : -1]", "squares[:, :d], V[:, :, :d]"),
    ),
    _mutant(
        "the constant forgotten among the affine functions",
        ("affine_functions", "np.full((n_patches, m, 1), m**-0.5)", "np.zeros((n_patches, m, 1))"),
    ),
    _mutant(
        "LTSA charges what is affine",
        ("not_affine", "np.eye(theta.shape[1]) - affine", "affine"),
    ),
    _mutant(
        "the affine part left in the Hessian",
        ("second_order", "products -= affine @ (affine.transpose(0, 2, 1) @ products)", "pass"),
    ),
    _mutant(
        "the Hessian is all that is not affine",
        ("second_order", "return Q @ Q.transpose(0, 2, 1)", "return not_affine(theta)"),
    ),
    _mutant(
        "the mixed derivative forgotten",
        ("second_order", "np.triu_indices(theta.shape[2])", "np.diag_indices(theta.shape[2])"),
    ),
    # Laplacian eigenmaps
    _mutant(
        "degrees forgotten",
        ("LaplacianEigenmaps._fit_eigenpairs", "self.degrees_ if self.normalized else None", "None"),
    ),
    _mutant(
        "binary weights in place of heat",
        ("heat_weights", "np.exp(-0.5 * (graph.data / sigma) ** 2)", "np.ones_like(graph.data)"),
    ),
    _mutant("density not divided out", ("divide_out_density", "** -exponent", "** (0 * exponent)")),
    _mutant("heat without its 2", ("heat_weights", "-0.5 * (", "-1.0 * (")),
    _mutant(
        "lengths as weights",
        ("heat_weights", "np.exp(-0.5 * (graph.data / sigma) ** 2)", "graph.data + 1e-12"),
    ),
    _mutant(
        "new points as plain means of neighbors",
        (
            "LaplacianEigenmaps._place",
            "degrees * (1 - self.eigenvalues_)",
            "degrees * np.ones_like(self.eigenvalues_)",
        ),
    ),
    # Semidefinite embedding
    _mutant("angles forgotten in SDE", ("constrained_pairs", "if angles else", "if False else")),
    _mutant(
        "distances forgotten in SDE",
        (
            "constrained_pairs",
            "pair_distances(X, X, i, j) ** 2",
            "np.full(len(i), np.mean(pair_distances(X, X, i, j) ** 2))",
        ),
    ),
    _mutant(
        "distances not squared in SDE",
        ("constrained_pairs", "pair_distances(X, X, i, j) ** 2", "pair_distances(X, X, i, j)"),
    ),
    _mutant(
        "SDE that keeps the kernel of the points",
        (
            "SemidefiniteEmbedding._fit_eigenpairs",
            "    self.kernel_ = ",
            "    K = X[first] - X[first].mean(axis=0)\n    K = K @ K.T\n    self.kernel_ = ",
        ),
    ),
    _mutant("SDE solved in a hurry", ("largest_trace", "best <= 0.8 * tol", "best <= 0.3")),
    _mutant("bound of SDE not made feasible", ("certificate", "w @ d / scale", "w @ d")),
    # All methods as kernel PCA
    _mutant("matrix in place of its inverse", ("method_kernel", "return linalg.pinvh(M)", "return M")),
    _mutant(
        "top of the matrix in place of its bottom",
        ("method_kernel", "linalg.eigvalsh(M)[-1] * np.eye(n) - M", "M"),
    ),
    _mutant(
        "masses forgotten",
        ("embed_kernel", "np.sqrt(masses)", "np.ones(len(K))"),
    ),
    _mutant("commute times without the volume", ("commute_times", "degrees.sum() * ", "")),
    # Linear Gaussian models
    _mutant("covariance with n - 1", ("covariance_root", "/ np.sqrt(n)", "/ np.sqrt(n - 1)")),
    _mutant("noise: sum in place of mean", ("principal_factors", " / max(len(V) - d, 1)", "")),
    _mutant(
        "noise: mean of the nonzero eigenvalues only", ("principal_factors", "len(V) - d, 1", "len(variances) - d, 1")
    ),
    _mutant("noise not taken off the loadings", ("principal_factors", "variances[:d] - noise, 0", "variances[:d], 0")),
    _mutant(
        "eigenvalues as lengths of loadings",
        ("principal_factors", "np.sqrt(np.maximum(variances[:d] - noise, 0))", "np.maximum(variances[:d] - noise, 0)"),
    ),
    _mutant(
        "posterior without its prior", ("_condition", "+ prior * np.eye(B.shape[1])", "+ 1e-9 * np.eye(B.shape[1])")
    ),
    _mutant("density without log det J", ("_condition", "2 * np.sum(np.log(diagonals), axis=1)", "np.zeros(len(J))")),
    _mutant("distance without the length of the causes", ("_log_densities", ' + np.einsum("ij,ij->i", Y, Y)', "")),
    _mutant("density without its constant", ("_log_densities", "R.shape[1] * _LOG_2_PI + ", "")),
    _mutant("samples without noise", ("LinearGaussianModel._draw", "self._rebuild(Y) + noise", "self._rebuild(Y)")),
    _mutant(
        "noise drawn with its variance as width",
        ("LinearGaussianModel._draw", "np.sqrt(self.noise_variance_)", "np.asarray(self.noise_variance_)"),
    ),
    # Mixtures
    _mutant("charts of equal weight", ("_weights", "sizes / sizes.sum()", "np.full(len(sizes), 1 / len(sizes))")),
    _mutant("weights of charts forgotten", ("_log_joint", " + np.log(weights)", " + 0 * np.log(weights)")),
    _mutant(
        "charts without a floor",
        ("MixtureOfFactorAnalyzers._noise_floor", "self.min_noise * np.mean", "1e-9 * self.min_noise * np.mean"),
    ),
    _mutant(
        "chart coordinates from the common mean",
        (
            "MixtureOfFactorAnalyzers._coordinates",
            "posterior(X, *chart)[0]",
            "posterior(X - X.mean(axis=0), 0 * chart[0], *chart[1:])[0]",
        ),
    ),
    _mutant(
        "charts that start anywhere",
        ("MixtureOfFactorAnalyzers._clusters", "return labels", "return generator.permutation(len(X)) % S"),
    ),
    # EM and missing entries
    _mutant(
        "holes taken for means in the E step",
        ("_condition", "else holes.patterns", "else np.ones_like(holes.patterns)"),
    ),
    _mutant(
        "holes taken for means in the M step",
        ("regress_on_factors", "Y.shape[1], holes.seen", "Y.shape[1], np.ones_like(holes.seen)"),
    ),
    _mutant(
        "posterior covariance forgotten in the M step",
        ("factor_step", "Y.T @ Y + V", "Y.T @ Y"),
        ("factor_step_with_holes", "holes, Y, V)\n    # The", "holes, Y)\n    # The"),
    ),
    _mutant(
        "posterior covariance forgotten in the noise",
        ("factor_step", " + np.sum(B @ V * B, axis=1)", ""),
        ("regress_on_factors", "squares += ", "squares += 0 * "),
    ),
    _mutant("coordinates not shrunk", ("_condition", "prior * np.eye", "1e-6 * np.eye")),
    _mutant("coordinates of EM-PCA shrunk", ("_coordinates", "prior=0.0", "prior=20.0")),
    _mutant("EM stopped at once", ("em", "gain <= tol * size", "len(values) > 1")),
    _mutant(
        "EM-PCA regressed without intercept",
        (
            "regress_on_factors",
            "coefficients[:, :d], coefficients[:, d]",
            "coefficients[:, :d], 0 * coefficients[:, d]",
        ),
    ),
    _mutant("basis of EM-PCA taken for components", ("EMPCA._embed", "(Q @ V).T", "Q.T")),
    _mutant(
        "latent mean not added back",
        ("EMPCA._rebuild", "self.mean_ + Y", "Y"),
        ("LinearGaussianModel._rebuild", "self.mean_ + Y", "Y"),
    ),
    _mutant(
        "likelihood without its determinant",
        ("_log_densities", " + log_dets[0]", ""),
        ("_log_densities", " + log_dets)", ")"),
    ),
    # Factor analysis
    _mutant(
        "one noise for all columns",
        ("FactorAnalysis._by_newton", "np.exp(result.x)", "np.full(D, np.exp(result.x).mean())"),
        ("FactorAnalysis._by_em", "np.maximum(noise, self.min_noise)), n", "np.full(len(noise), noise.mean())), n"),
    ),
    _mutant(
        "columns not standardized before factor analysis",
        ("_standardize", "scales = np.sqrt(np.nanmean(Z**2, axis=0))", "scales = np.ones(Z.shape[1])"),
    ),
    _mutant(
        "slope of the concentrated likelihood without its loadings",
        ("concentrated_likelihood", "1 - diagonal + V**2 @ (gamma - 1)", "1 - diagonal"),
    ),
    _mutant(
        "noise not taken off the factors",
        ("loadings_given_noise", "np.maximum(eigenvalues - 1, 0)", "eigenvalues"),
    ),
    _mutant(
        "loadings not multiplied by the noise again",
        ("loadings_given_noise", "np.sqrt(np.exp(log_noise))[:, np.newaxis] * V", "V"),
    ),
    _mutant(
        "unit of a column not restored",
        ("FactorAnalysis._embed", "scales[:, np.newaxis] * B, scales**2 * noise", "B, noise"),
    ),
    _mutant("unit of the noise without its square", ("FactorAnalysis._embed", "scales**2 * noise", "scales * noise")),
    _mutant("factors left as they come", ("canonical_loadings", "B = B @ Qt.T", "B = B @ np.linalg.qr(Qt.T + 0.5)[0]")),
    _mutant("varimax stopped at once", ("varimax", "Q, previous, value = U @ Vt", "Q, previous, value = Q")),
    _mutant("varimax without the means", ("varimax", "L**3 - L * np.mean(L**2, axis=0)", "L**3")),
    _mutant(
        "noise kept from falling",
        ("FactorAnalysis._by_newton", "[(np.log(self.min_noise), None)]", "[(np.log(0.3), None)]"),
    ),
    # Independent components
    _mutant(
        "principal axes taken for independent components",
        (
            "WhitenedDirections._embed",
            "W = self._directions(U[:, :k] * np.sqrt(n), deviations)",
            "self._directions(U[:, :k] * np.sqrt(n), deviations); W = np.eye(self.n_components or k, k)",
        ),
    ),
    _mutant("sources still mixed", ("ICA._directions", "W /= np.sqrt(", "W = W @ (W + np.eye(d)); W /= np.sqrt(")),
    _mutant("relative gradient transposed", ("ICA._directions", "slopes.T @ Y / n", "Y.T @ slopes / n")),
    _mutant("unmixing without its determinant", ("source_likelihood", "np.linalg.slogdet(W)[1] - ", "-")),
    _mutant(
        "mixing is the transpose of unmixing",
        ("WhitenedDirections._embed", "(V[:, :k] * deviations) @ linalg.pinv(W)", "(V[:, :k] / deviations) @ W.T"),
    ),
    _mutant("pursuit of the largest projection", ("ProjectionPursuit._directions", "(Y * Y**2).T", "np.abs(Y).T")),
    _mutant("pursuit without −3w", ("ProjectionPursuit._directions", "@ Z / n - 3 * W)", "@ Z / n)")),
    _mutant("pursuit without deflation", ("_orthogonal_to", "W = W - W @ directions.T @ directions", "W = W + 0")),
    _mutant(
        "pursuit keeps any end",
        ("ProjectionPursuit._directions", "best = np.argmax(wanted)", "best = np.argmin(wanted)"),
    ),
    _mutant("kurtosis without −3", ("ProjectionPursuit._directions", "axis=0) - 3  #", "axis=0)  #")),
    # Random projections
    _mutant(
        "random projection without 1/√d",
        ("RandomProjection._matrix", "scale=1 / np.sqrt(d)", "scale=1.0"),
        ("RandomProjection._matrix", "(d, D)) - 1) / np.sqrt(d)", "(d, D)) - 1)"),
    ),
    _mutant(
        "random projection divided by d",
        ("RandomProjection._matrix", "scale=1 / np.sqrt(d)", "scale=1 / d"),
        ("RandomProjection._matrix", "(d, D)) - 1) / np.sqrt(d)", "(d, D)) - 1) / d"),
    ),
    _mutant(
        "one random direction repeated",
        ("RandomProjection._matrix", "size=(d, D))", "size=(1, D)).repeat(d, axis=0)"),
        (
            "RandomProjection._matrix",
            "generator.integers(0, 2, (d, D))",
            "generator.integers(0, 2, (1, D)).repeat(d, 0)",
        ),
    ),
    _mutant(
        "random entries that are not negative",
        (
            "RandomProjection._matrix",
            "scale=1 / np.sqrt(d), size=(d, D))",
            "scale=1 / np.sqrt(d), size=(d, D)).__abs__()",
        ),
        (
            "RandomProjection._matrix",
            "(2.0 * generator.integers(0, 2, (d, D)) - 1)",
            "2.0 * generator.integers(0, 2, (d, D))",
        ),
    ),
    _mutant(
        "sparse random entries not scaled by their share",
        ("RandomProjection._matrix", "np.sqrt(share * d)", "np.sqrt(d)"),
    ),
    _mutant(
        "fast projection without signs",
        ("RandomProjection._embed", "2.0 * generator.integers(0, 2, D) - 1", "np.ones(D)"),
    ),
    _mutant(
        "fast projection without its transform",
        (
            "RandomProjection._place",
            'fft.dct(X[block] * self.signs_, axis=1, norm="ortho")',
            "(X[block] * self.signs_)",
        ),
    ),
    _mutant(
        "fast projection not scaled up",
        (
            "RandomProjection._place",
            "return Y * np.sqrt(len(self.signs_) / len(self.kept_))",
            "return Y",
        ),
    ),
    _mutant(
        "random projection of centered points",
        (
            "RandomProjection._place",
            "return X @ R.T",
            "return (X - X.mean(axis=0)) @ R.T",
        ),
    ),
    _mutant(
        "union bound over points, not pairs",
        ("johnson_lindenstrauss_dimension", "4 * np.log(n_points)", "2 * np.log(n_points)"),
    ),
    _mutant(
        "error in place of its square",
        ("johnson_lindenstrauss_dimension", "eps**2 / 2 - eps**3 / 3", "eps / 2 - eps**2 / 3"),
    ),
    # Topographic maps
    _mutant(
        "the nearest prototype always wins",
        ("SelfOrganizingMap._winners", 'smoothed if self.winner == "smoothed" else squared', "squared"),
    ),
    _mutant(
        "neighborhood normalized over winners",
        ("_neighborhood", "h.sum(axis=1, keepdims=True)", "h.sum(axis=0, keepdims=True)"),
    ),
    _mutant("neighborhood without its 2", ("_neighborhood", "(2 * sigma**2)", "sigma**2")),
    _mutant("neighborhood of zero", ("_neighborhood", "if sigma == 0", "if True")),
    _mutant(
        "neighborhood that does not shrink",
        ("SelfOrganizingMap._widths", "np.geomspace(first, last,", "np.geomspace(first, first,"),
    ),
    _mutant(
        "winners learn from their neighbors",
        ("_means", "h.T @ won.sum(axis=1)", "h @ won.sum(axis=1)"),
        ("_means", "h.T @ (won @ X)", "h @ (won @ X)"),
    ),
    _mutant(
        "neighbors learn as much as the winner",
        ("SelfOrganizingMap._move_one_by_one", "np.diag(self.neighborhood_)", "np.sum(self.neighborhood_, axis=1)"),
    ),
    _mutant(
        "map started from places of other points",
        ("SelfOrganizingMap._first_prototypes", "stretched = (2 *", "Y = Y[::-1]; stretched = (2 *"),
    ),
    _mutant(
        "units that share a corner do not touch",
        ("SelfOrganizingMap.topographic_error", ".max(axis=1)", ".sum(axis=1)"),
    ),
    _mutant("quantization error squared", ("SelfOrganizingMap.quantization_error", "np.sqrt(squared", "(squared")),
    _mutant("density of GTM as printed", ("_log_joint", "D / 2 * np.log(beta", "np.log(beta")),
    _mutant("penalty of GTM times the precision", ("GTM._embed", "self.alpha / beta)", "self.alpha * beta)")),
    _mutant(
        "nodes of GTM all count the same", ("GTM._regression", "R.sum(axis=0)[:, np.newaxis]", "R.sum() / R.shape[1]")
    ),
    _mutant(
        "noise of GTM not divided by the columns", ("GTM._embed", "np.vdot(R, D2) / X.size", "np.vdot(R, D2) / len(X)")
    ),
    _mutant(
        "points of GTM at their likeliest nodes",
        (
            "GTM._place",
            "responsibilities(self._log_joint(X))[0] @ self.nodes_",
            "self.nodes_[self._log_joint(X).argmax(axis=1)]",
        ),
    ),
    _mutant("start of GTM forgotten", ("GTM._start", "if isinstance(self.init, str):", "if True:")),
    # Neighbors as probabilities
    _mutant(
        "entropy in bits, perplexity by e", ("conditional_probabilities", "np.log(perplexity)", "np.log2(perplexity)")
    ),
    _mutant(
        "one width for all points",
        ("_rows_of_entropy", "beta = np.exp(log_beta)", "beta = np.exp(np.mean(log_beta) + 0 * log_beta)"),
    ),
    _mutant("picks of one direction only", ("joint_probabilities", "(P + P.T) / (2 * len(P))", "P / len(P)")),
    _mutant(
        "picks by distances that are not squared",
        ("probabilities_of_entropy", "= _rows_of_entropy(squared[rows]", "= _rows_of_entropy(squared[rows] ** 0.5"),
    ),
    _mutant("kernel forgotten in the attraction", ("student_gradient", "(P[rows] * K) @ Y_1", "P[rows] @ Y_1")),
    _mutant(
        "neighbor gradient without its 4",
        ("student_gradient", "return 4 * (", "return 1 * ("),
        ("laplacian_gradient", "return 4 * (", "return 1 * ("),
    ),
    _mutant("half of the repulsion", ("student_gradient", "- repulsion / total", "- repulsion / (2 * total)")),
    _mutant(
        "t-SNE with the forces of SNE",
        ("student_gradient", "np.reciprocal(left[rows] @ right)", "np.exp(1 - left[rows] @ right)"),
        ("student_gradient", "(P[rows] * K) @ Y_1", "P[rows] @ Y_1"),
        ("student_gradient", "np.square(K, out=K) @ Y_1", "K @ Y_1"),
    ),
    _mutant("mismatch of other pairs", ("student_objective", "xlogy(P, P / K", "xlogy(P[::-1], P[::-1] / K")),
    _mutant(
        "critical exaggeration from the largest eigenvalue",
        ("critical_exaggeration", "subset_by_index=[1, 1]", "subset_by_index=[len(P) - 1, len(P) - 1]"),
    ),
    _mutant(
        "early exaggeration forgotten", ("NeighborEmbedding._steps", "forces, self.early_exaggeration", "forces, 1.0")
    ),
    _mutant(
        "exaggeration forgotten after the early steps",
        ("NeighborEmbedding._steps", "forces, self.exaggeration", "forces, 1.0"),
    ),
    _mutant("always a random start", ("NeighborEmbedding._start", 'elif self.init == "random":', "elif True:")),
    _mutant("memberships of one direction only", ("fuzzy_memberships", "V + V.T - V * V.T", "np.minimum(V, V.T)")),
    _mutant("UMAP's neighbors repel, too", ("umap_gradient", "UMAP_B * (V - Q) / s", "UMAP_B * (V - Q - V * Q) / s")),
    # Charts and their alignment
    _mutant(
        "charts not weighted by their shares", ("chart_coordinates", "(R[:, :, np.newaxis] * with_ones)", "(with_ones)")
    ),
    _mutant("charts without places of their own", ("chart_coordinates", "constant_values=1", "constant_values=0")),
    _mutant("disagreement without the mean place", ("disagreement_form", " - U.T @ U  #", "  #")),
    _mutant("dearest maps of the charts", ("align_charts", "L = T @ W[:, :d]", "L = T @ W[:, ::-1][:, :d]")),
    _mutant(
        "alignment by neighbors of other points",
        ("reconstruction_form", "neighbor_lists(X, n_neighbors", "neighbor_lists(X[::-1], n_neighbors"),
    ),
    _mutant(
        "votes without their precisions",
        (
            "_agreement",
            'np.einsum("ns,sij,nsj->ni", R, votes.precisions, votes.places)',
            'np.einsum("nij,ns,nsj->ni", np.linalg.inv(V), R, votes.places)',
        ),
    ),
    _mutant(
        "covariance of the coordinates forgotten",
        ("_regressions", " + np.tensordot(shares, places.covariances, axes=1)", ""),
    ),
    _mutant("bound without the entropies", ("_agreement", "np.sum(entropies) + ", "")),
    # Principal curves and autoencoders
    _mutant(
        "feet on the lines through the segments",
        ("_project", "t = np.clip(along / squares, 0, 1)", "t = along / squares"),
    ),
    _mutant(
        "feet only at the nodes",
        (
            "_project",
            "return segments, np.clip(along / squares[segments], 0, 1)",
            "return segments, np.zeros(len(X))",
        ),
    ),
    _mutant(
        "weighted means in place of local lines",
        ("PrincipalCurve._smooth", "w *= s_2 - s_1 * apart + 1e-9 * s_0 * reach**2", "pass"),
    ),
    _mutant(
        "a span twice as wide", ("PrincipalCurve._smooth", "int(self.span * len(X))", "int(2 * self.span * len(X))")
    ),
    _mutant(
        "equal weights over the span",
        (
            "PrincipalCurve._smooth",
            "np.clip(1 - (np.abs(apart) / reach) ** 3, 0, None) ** 3",
            "1.0 * (np.abs(apart) <= reach)",
        ),
    ),
    _mutant(
        "the start of a principal curve ignored",
        ("PrincipalCurve._first_curve", "if not isinstance(self.init, str):", "if False:"),
    ),
    _mutant(
        "bends are not charged",
        (
            "PrincipalCurve._draw_polyline",
            "np.zeros((n, self.n_nodes)), self._roughness()",
            "np.zeros((n, self.n_nodes)), 1e-3 * self._roughness()",
        ),
    ),
    _mutant(
        "places along the curve from its first node",
        ("PrincipalCurve._embed", "self.origin_ = lengths.mean()", "self.origin_ = 0.0"),
    ),
    _mutant("slope of tanh forgotten", ("rebuilding_cost", "error *= 1 - after**2", "pass")),
    _mutant("decay without its gradient", ("rebuilding_cost", " + alpha * W, error", ", error")),
    _mutant(
        "decay on the encoder only",
        ("rebuilding_cost", "alpha * W, error", "alpha * W * (len(slopes) >= len(layers) // 2), error"),
    ),
    _mutant(
        "a decoder without bends",
        ("Autoencoder._bends", "half + half", "half + [False] * len(half)"),
    ),
    _mutant(
        "an encoder without bends",
        ("Autoencoder._bends", "half + half", "[False] * len(half) + half"),
    ),
    _mutant(
        "a network that stops after five steps",
        ("Autoencoder._trained", '{"maxiter": self.max_iter,', '{"maxiter": min(self.max_iter, 5),'),
    ),
    _mutant(
        "a network for points that are not centered",
        ("Autoencoder._embed", "self.mean_ = X.mean(axis=0)", "self.mean_ = 0 * X.mean(axis=0)"),
    ),
    # Numbers that judge
    _mutant(
        "Procrustes without rotation",
        (
            "procrustes_error",
            "procrustes(truth, Y)[2]",
            "float(np.sum(np.subtract(*(A / np.linalg.norm(A) for A in"
            " (truth - np.mean(truth, axis=0), Y - np.mean(Y, axis=0)))) ** 2))",
        ),
    ),
    _mutant("continuity is trustworthiness", ("continuity", "trustworthiness(Y, X,", "trustworthiness(X, Y,")),
    _mutant("neighbors kept counted with the point itself", ("_places_in_line", "(D, np.inf)", "(D, 0)")),
    _mutant("neighbors kept without regard to chance", ("neighbors_kept", "k.ravel() / (n - 1)", "0 * k.ravel()")),
    _mutant("other images of the digits", ("handwriting", "labels = table[:, :-1]", "labels = table[::-1, :-1]")),
    _mutant(
        "all true coordinates recovered alike",
        ("recovery", "np.sum(residual**2, axis=0) / np.sum(T**2, axis=0)", "np.sum(residual**2) / np.sum(T**2)"),
    ),
    _mutant(
        "size forgotten", ("congruence_error", "Y @ Q) ** 2", "Y @ Q * np.linalg.norm(T) / np.linalg.norm(Y)) ** 2")
    ),
    _mutant("correlations of the first axis only", ("axis_correlations", "[:d, d:]", "[:1, d:].repeat(d, axis=0)")),
    _mutant("signs not compared", ("equal_up_to_signs", "aligned_signs(A, B), B", "A, B")),
    _mutant(
        "negative mass of the number of eigenvalues",
        (
            "negative_mass",
            "    sizes = np.abs(eigenvalues)",
            "    sizes = np.abs(eigenvalues)\n    sizes[sizes > 1e-12 * sizes.max()] = 1",
        ),
    ),
    _mutant("stress without the root", ("stress_1", "float(np.sqrt(stress / size))", "float(stress / size)")),
    _mutant(
        "raw stress of squares",
        (
            "raw_stress",
            "(dissimilarities - _distances(Y)) ** 2",
            "(dissimilarities**2 - _distances(Y) ** 2) ** 2",
        ),
    ),
    _mutant("strain of distances", ("strain", "np.square(dissimilarities)", "dissimilarities")),
    # Tables in blocks
    _mutant("sums over blocks not centered", ("fit_pca", " - n * np.outer(offset, offset)", "")),
    _mutant("products of the first row of a block only", ("_products", "G += A.T @ A", "G += A[:1].T @ A[:1]")),
    _mutant("sums over blocks without the mean", ("fit_pca", "D, origin + offset, scatter", "D, origin, scatter")),
    _mutant("signs of blocks from the directions", ("fit_pca", "column_signs(extremes.compute())", "column_signs(V)")),
    _mutant(
        "blocks placed with their own mean", ("_places", "transform(block)", "transform(block - block.mean(axis=0))")
    ),
    # The data
    _mutant(
        "chart of other points",
        ("swiss_roll", "_spiral_length(start), height]", "_spiral_length(start), height[::-1]]"),
        ("s_curve", "1.5 * np.pi, height]", "1.5 * np.pi, height[::-1]]"),
    ),
    _mutant("labels mixed up", ("digits", "labels[chosen]", "labels[chosen][::-1]")),
    _mutant("parameters of other faces", ("faces", ".copy(), parameters", ".copy(), parameters[::-1].copy()")),
)


def named(names, mutants=MUTANTS):
    """The mutants of these names."""
    known = {mutant.name: mutant for mutant in mutants}
    if unknown := sorted(set(names) - set(known)):
        raise ValueError(f"There is no mutant {unknown[0]!r}; the mutants are: {'; '.join(known)}.")
    return [known[name] for name in names]
