"""Checks of the exercises on dual PCA."""

import numpy as np

from dimred_lessons import PCA, DualPCA
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    NotYet,
    call,
    call_measured,
    exercise,
    expect_array,
    expect_close,
    expect_keys,
    refusals_as_not_yet,
)
from dimred_lessons.classroom.exercises.values import choices, differs, numbers, smallest_count, table
from dimred_lessons.classroom.metrics import aligned_signs


@exercise("dual-1")
@table(3, 2)
def scores_by_hand(Y):
    K = np.array([[5, -1, -4], [-1, 2, -1], [-4, -1, 5]])
    first, second = Y.columns
    otherwise = "the two columns should be orthogonal, as eigenvectors of K are"
    yield differs((first * second).sum(), 0, scale=5), otherwise
    i, j = (places.ravel().tolist() for places in np.indices((3, 3)))
    products = first[i] * first[j] + second[i] * second[j]
    yield differs(products, K), "the dot products of your rows should be those in K: is each axis scaled?"
    yield (first * first).sum() < (second * second).sum(), "the axis of the largest eigenvalue comes first"


@exercise("dual-2")
def encode_from_dot_products(answer):
    rng = np.random.default_rng(2)
    for n, D, d in [(6, 30, 1), (12, 40, 3)]:
        X, new = rng.standard_normal((n, D)) + 5, rng.standard_normal((5, D)) + 5
        peer = PCA(d).fit(X)
        centered = X - peer.mean_
        K, rows = centered @ centered.T, (new - peer.mean_) @ centered.T
        scores = np.vstack([expect_array(call(answer, K, row, d), (d,)) for row in rows])
        right = peer.transform(new)
        expect_close(np.abs(scores), np.abs(right), "these are not the scores of PCA, even up to sign")
        otherwise = "the sizes are right, but the signs are not the same for all new points: keep them"
        expect_close(aligned_signs(scores, right), right, otherwise)


@exercise("dual-3")
def directions_without_covariance(answer):
    n, D, d = 20, 1500, 4
    X = np.random.default_rng(3).standard_normal((n, D)) + np.linspace(0, 3, D)
    V, memory = call_measured(answer, X.copy(), d)
    V = expect_array(V, (D, d))
    if memory > 4 * D * D:  # bytes: half a D × D array
        raise NotYet("your function formed a D × D array, or something nearly as large")
    expect_close(V.T @ V, np.eye(d), "the columns should have length one and be orthogonal")
    cosines = np.abs(PCA(d).fit(X).components_ @ V)
    expect_close(cosines, np.eye(d), "the columns are not the principal directions, in order")


@exercise("dual-4")
def lost_component(answer):
    X = expect_array(answer, (None, None))
    if max(X.shape) > 500:
        raise NotYet("a matrix of at most 500 rows and 500 columns is expected")
    with refusals_as_not_yet("PCA or dual PCA"):
        primal, dual = (len(method(None).fit(X).components_) for method in (PCA, DualPCA))
    if dual >= primal:
        raise NotYet(f"PCA finds {primal} components, and DualPCA {dual}")


@exercise("dual-5")
@choices
def cheaper_route():
    right = {"faces": "dual", "digits": "primal", "genes": "dual", "songs": "primal", "square": "either"}
    return {key: (route, "compare n and D again") for key, route in right.items()}


@exercise("dual-6")
def center_without_points(answer):
    rng = np.random.default_rng(6)
    for n, D in [(4, 3), (9, 25)]:
        X = rng.standard_normal((n, D)) + 7 * rng.standard_normal(D)
        centered = X - X.mean(axis=0)
        K = expect_array(call(answer, X @ X.T), (n, n))
        otherwise = "centered points sum to zero, so every row of K should sum to zero"
        expect_close(K.sum(axis=1), 0, otherwise, scale=np.max(np.abs(X @ X.T)))
        expect_close(K, centered @ centered.T, "these are not the dot products of the centered points")


@exercise("dual-7")
@smallest_count(0.9)
def components_of_faces():
    images, _ = datasets.faces(n=200)
    return DualPCA(None).fit(images).explained_variance_ratio_.cumsum()


@exercise("dual-8")
def topic_cosines(answer):
    rng = np.random.default_rng(8)
    for n, n_words, d in [(9, 6, 2), (12, 20, 3)]:
        counts = rng.integers(0, 4, (n, n_words))
        counts[:, 0] += 1  # no document is empty
        found = expect_array(call(answer, counts, d), (n, n))
        U, singular_values, _ = np.linalg.svd(counts, full_matrices=False)
        scores = U[:, :d] * singular_values[:d]
        scores /= np.linalg.norm(scores, axis=1, keepdims=True)
        expect_close(np.diag(found), 1, "every document should have cosine 1 with itself")
        otherwise = "these are not the cosines of the scores UΣ on d directions of the counts, not centered"
        expect_close(found, scores @ scores.T, otherwise)


@exercise("dual-9")
@numbers(5)
def eigenvalues_of_the_other_product(answer):
    eigenvalues = answer.sorted()
    yield differs(eigenvalues.sum(), 6), "the traces of AB and BA are equal"
    yield differs(eigenvalues.max(), 4), "each nonzero eigenvalue of AB is one of BA"
    yield differs(eigenvalues, [0, 0, 1, 1, 4]), "the eigenspaces of AB and BA have the same dimensions"


@exercise("dual-10")
def ridge_by_dot_products(answer):
    n, D = 20, 1500
    rng = np.random.default_rng(10)
    X, t = rng.standard_normal((n, D)), rng.standard_normal(n)
    for gamma in (1.0, 300.0):
        b, memory = call_measured(answer, X.copy(), t.copy(), gamma)
        b = expect_array(b, (D,))
        if memory > 4 * D * D:  # bytes: half a D × D array
            raise NotYet("your function formed a D × D array, or something nearly as large")
        otherwise = "at your b the gradient Xᵀ(Xb − t) + γb is not zero"
        expect_close(X.T @ (X @ b - t) + gamma * b, 0, otherwise, scale=np.max(np.abs(X.T @ t)))


@exercise("dual-11")
def own_data(answer):
    expect_keys(answer, ["points", "components"])
    X = expect_array(answer["points"], (None, None))
    if not 10 <= len(X) <= 1000 or X.shape[1] <= len(X):
        raise NotYet(f"10 to 1000 points with more dimensions than points are expected, but yours are {X.shape}")
    with refusals_as_not_yet("dual PCA"):
        shares = DualPCA(None).fit(X).explained_variance_ratio_.cumsum()
    smallest_count(0.9)(lambda: shares)(answer["components"])
