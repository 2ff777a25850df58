"""Exercises of chapter 5, multidimensional scaling."""

import numpy as np
from scipy.spatial.distance import cdist, pdist, squareform

from dimred_lessons import ClassicalMDS
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.checks.mechanism import NotYet, call, exercise, expect_array, expect_close, expect_number
from dimred_lessons.kernels import kernel_from_squared_distances, negative_mass


@exercise("mds-1")
def three_cities(answer):
    delta = np.array([[0, 6, np.sqrt(18)], [6, 0, np.sqrt(18)], [np.sqrt(18), np.sqrt(18), 0]])
    K = expect_array(answer, (3, 3))
    expect_close(K, K.T, "a matrix of dot products is symmetric")
    if np.abs(K.sum(axis=1)).max() > 0.01 * np.abs(K).max():
        raise NotYet("seen from the mean, every row of K sums to zero")
    own = np.diag(K)
    expect_close(own[:, None] + own - 2 * K, delta**2, "K_ii + K_jj - 2 K_ij should be the squared distances", 0.01)


@exercise("mds-2")
def double_centering(answer):
    rng = np.random.default_rng(2)
    tables = [squareform(pdist(rng.normal(size=(7, 3)) + 5)), squareform(rng.uniform(1, 2, 10))]
    for delta in tables:
        K = expect_array(call(answer, delta.copy()), delta.shape)
        if np.abs(K.sum(axis=1)).max() > 1e-8 * delta.max() ** 2:
            raise NotYet("every row of K should sum to zero")
        if np.trace(K) < 0:
            raise NotYet("the diagonal of K holds squared lengths: mind the sign")
        right = kernel_from_squared_distances(delta**2)
        expect_close(K, right, "K_ii + K_jj - 2 K_ij should be the SQUARED dissimilarity; mind squares and the factor")


@exercise("mds-3")
def fourteenth_city(answer):
    rng = np.random.default_rng(3)
    for n, D, d in [(8, 4, 1), (15, 5, 3)]:
        points = rng.normal(size=(n, D)) * np.arange(D, 0, -1) + 6
        new = rng.normal(size=D) * 3 + 7
        delta, to_new = squareform(pdist(points)), cdist(new[None], points)[0]
        model = ClassicalMDS(d, metric="precomputed").fit(delta)
        right = np.abs(model.transform(to_new[None])[0])
        y = expect_array(call(answer, delta.copy(), to_new.copy(), d), (d,))
        old = expect_array(call(answer, delta.copy(), delta[4].copy(), d), (d,))
        its_place = np.abs(model.embedding_[4])
        expect_close(np.abs(old), its_place, "an old object, placed as if it were new, should get its own place")
        expect_close(np.abs(y), right, "old objects are placed rightly, a new one is not")


@exercise("mds-4")
def table_without_points(answer):
    try:
        n = len(answer)
    except TypeError:
        raise NotYet("a square matrix is wanted") from None
    if not 2 <= n <= 6:
        raise NotYet("a square matrix for at most six objects is wanted")
    delta = expect_array(answer, (n, n))
    if np.abs(delta - delta.T).max() > 0 or np.diag(delta).any() or delta.min() < 0:
        raise NotYet("a dissimilarity matrix is symmetric and nowhere negative, with zeros on the diagonal")
    different = ~np.eye(n, dtype=bool)
    for i, j, k in np.ndindex(n, n, n):
        if len({i, j, k}) == 3 and delta[i, j] >= delta[i, k] + delta[k, j]:
            raise NotYet(f"objects {i} and {j} are not nearer to each other than by way of object {k}")
    if (delta[different] == 0).any():
        raise NotYet("different objects should have positive dissimilarities")
    if negative_mass(kernel_from_squared_distances(delta**2)) < 1e-6:
        raise NotYet("there are points with these distances: K has no negative eigenvalue")


@exercise("mds-5")
def costs_told_apart(answer):
    right = {"eigenvectors": "strain", "smacof": "raw stress", "scale": "stress-1", "long": "sstress"}
    if not isinstance(answer, dict) or set(answer) != set(right):
        raise NotYet(f"a dictionary with the keys {', '.join(right)} is wanted")
    wrong = [key for key in right if str(answer[key]) != right[key]]
    if wrong:
        raise NotYet(f"think again about {wrong[0]}; choose one of 'strain', 'sstress', 'raw stress', 'stress-1'")


@exercise("mds-6")
def step_of_smacof(answer):
    rng = np.random.default_rng(6)
    for n, d in [(6, 2), (11, 3)]:
        delta, Z = squareform(rng.uniform(1, 3, n * (n - 1) // 2)), rng.normal(size=(n, d))
        Z -= Z.mean(axis=0)
        Y = expect_array(call(answer, delta.copy(), Z.copy()), (n, d))
        if np.abs(Y.sum(axis=0)).max() > 1e-8 * np.abs(Y).max() + 1e-12:
            raise NotYet("the new map should be centered: do the rows of B sum to zero?")
        ratios = delta / (squareform(pdist(Z)) + np.eye(n))
        right = (ratios.sum(axis=1, keepdims=True) * Z - ratios @ Z) / n
        if abs(np.sum(Y * right)) > 0.999999 * np.linalg.norm(Y) * np.linalg.norm(right):
            expect_close(Y, right, "the map is right but for its size or sign: look at the factor and the signs of B")
        expect_close(Y, right, "this is not B(Z) Z / n")


@exercise("mds-7")
def walking_through_pixels(answer):
    digits, _ = datasets.digits(n=300)
    right = ClassicalMDS(2, metric="cityblock").fit(digits[:200]).negative_mass_
    given = expect_number(answer)
    if not 0 <= given <= 1:
        raise NotYet("a share lies between 0 and 1")
    if abs(given - right) > 0.0006:
        raise NotYet(
            "this is not the share of the negative eigenvalues: square the distances, center twice, add up |λ|"
        )
