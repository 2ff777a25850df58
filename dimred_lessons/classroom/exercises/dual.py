"""Exercises of chapter 2."""

import tracemalloc

import numpy as np

from dimred_lessons import PCA, DualPCA
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import NotYet, call, exercise, expect_array, expect_close, expect_number


@exercise("dual-1")
def scores_by_hand(answer):
    K = np.array([[5, -1, -4], [-1, 2, -1], [-4, -1, 5]])
    Y = expect_array(answer, (3, 2))
    products = Y.T @ Y
    if abs(products[0, 1]) > 0.05:
        raise NotYet("the two columns should be orthogonal, as eigenvectors of K are")
    expect_close(Y @ Y.T, K, "the dot products of your rows should be those in K: is each axis scaled?", 0.01)
    if products[0, 0] < products[1, 1]:
        raise NotYet("the axis of the largest eigenvalue comes first")


@exercise("dual-2")
def encode_from_dot_products(answer):
    rng = np.random.default_rng(2)
    for n, D, d in [(6, 30, 1), (12, 40, 3)]:
        X = rng.standard_normal((n, D)) + 5
        new = rng.standard_normal(D) + 5
        peer = PCA(d).fit(X)
        centered = X - peer.mean_
        y = expect_array(call(answer, centered @ centered.T, centered @ (new - peer.mean_), d), (d,))
        right = peer.transform(new[None])[0]
        expect_close(np.abs(y), np.abs(right), "these are not the scores of PCA, even up to sign")


@exercise("dual-3")
def directions_without_covariance(answer):
    n, D, d = 20, 1500, 4
    X = np.random.default_rng(3).standard_normal((n, D)) + np.linspace(0, 3, D)
    tracemalloc.start()
    try:
        V = call(answer, X.copy(), d)
        memory = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    V = expect_array(V, (D, d))
    if memory > 4 * D * D:  # bytes: half a D x D array
        raise NotYet("your function formed a D × D array, or something nearly as large")
    expect_close(V.T @ V, np.eye(d), "the columns should have length one and be orthogonal")
    cosines = np.abs(PCA(d).fit(X).components_ @ V)
    expect_close(cosines, np.eye(d), "the columns are not the principal directions, in order")


@exercise("dual-4")
def lost_component(answer):
    X = np.asarray(answer, dtype=object)
    if X.ndim != 2 or max(X.shape) > 500:
        raise NotYet("a matrix of at most 500 rows and 500 columns is wanted")
    X = expect_array(answer, X.shape)
    try:
        primal, dual = (len(method(None).fit(X).components_) for method in (PCA, DualPCA))
    except ValueError as refused:
        raise NotYet(f"no components at all: {refused}") from None
    if dual >= primal:
        raise NotYet(f"PCA finds {primal} components, and DualPCA {dual}")


@exercise("dual-5")
def cheaper_route(answer):
    right = {"faces": "dual", "digits": "primal", "genes": "dual", "songs": "primal", "square": "either"}
    if not isinstance(answer, dict) or set(answer) != set(right):
        raise NotYet(f"a dictionary with the keys {', '.join(right)} is wanted")
    wrong = [key for key in right if str(answer[key]) != right[key]]
    if wrong:
        raise NotYet(f"compare n and D again for {wrong[0]}; choose 'dual', 'primal' or 'either'")


@exercise("dual-6")
def center_without_points(answer):
    rng = np.random.default_rng(6)
    for n, D in [(4, 3), (9, 25)]:
        X = rng.standard_normal((n, D)) + 7 * rng.standard_normal(D)
        centered = X - X.mean(axis=0)
        K = expect_array(call(answer, X @ X.T), (n, n))
        if np.max(np.abs(K.sum(axis=1))) > 1e-6 * np.max(np.abs(X @ X.T)):
            raise NotYet("centered points sum to zero, so every row of K should sum to zero")
        expect_close(K, centered @ centered.T, "these are not the dot products of the centered points")


@exercise("dual-7")
def components_of_faces(answer):
    images, _ = datasets.faces(n=200)
    shares = np.cumsum(DualPCA(None).fit(images).explained_variance_ratio_)
    right = int(np.argmax(shares >= 0.9)) + 1
    given = expect_number(answer)
    if given != right:
        raise NotYet("a smaller number is enough" if given > right else "so few hold less than 90 percent")
