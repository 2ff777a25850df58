"""Exercises of chapter 4, Kernel centering."""

import tracemalloc

import numpy as np

from dimred_lessons import KernelPCA
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.checks.mechanism import NotYet, call, exercise, expect_array, expect_close, expect_number
from dimred_lessons.distances import median_distance
from dimred_lessons.kernels import center_kernel, center_new_kernel, gaussian_kernel


@exercise("centering-1")
def center_by_hand(answer):
    K = np.array([[9.0, 3, 0], [3, 3, 0], [0, 0, 0]])
    mine = expect_array(answer, (3, 3))
    if np.max(np.abs(mine - mine.T)) > 1e-6:
        raise NotYet("the centered kernel should be symmetric, as K is")
    if np.max(np.abs(mine.sum(axis=1))) > 1e-6:
        raise NotYet("every row should sum to zero")
    expect_close(mine, center_kernel(K), "the rows sum to zero, but some entry is not K_ij - r_i - r_j + g")


@exercise("centering-2")
def center_in_place(answer):
    rng = np.random.default_rng(2)
    n = 200
    X = rng.integers(-5, 6, (n, 3)).astype(float)
    right = center_kernel(X @ X.T)
    K = X @ X.T + 3
    tracemalloc.start()
    try:
        mine = call(answer, K)
        memory = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    mine = expect_array(mine, (n, n))
    if np.max(np.abs(mine.sum(axis=1))) > 1e-8 * n * np.max(np.abs(right)):
        raise NotYet("every row should sum to zero")
    expect_close(mine, right, "this is not the centered kernel")
    if memory > K.nbytes / 2:
        raise NotYet("your function formed another n × n array, or something nearly as large")
    expect_close(K, right, "the matrix that was handed in should itself be centered afterwards")
    far = expect_array(call(answer, (X + 1e7) @ (X + 1e7).T), (n, n))
    expect_close(far, right, "far from the origin too many digits are lost: shift all entries first", 1e-5)


@exercise("centering-3")
def center_new(answer):
    rng = np.random.default_rng(3)
    for n, m in [(7, 3), (12, 12)]:
        X, new = rng.standard_normal((n, 2)), rng.standard_normal((m, 2)) + 1
        K, k_new = gaussian_kernel(X), gaussian_kernel(new, X)
        right = center_new_kernel(k_new, K.mean(axis=0))
        mine = expect_array(call(answer, k_new.copy(), K.copy()), (m, n))
        alone = expect_array(call(answer, k_new[:1].copy(), K.copy()), (1, n))
        if np.max(np.abs(alone - mine[:1])) > 1e-8:
            raise NotYet("the first new point has another row when it comes alone")
        if np.max(np.abs(mine.sum(axis=1))) > 1e-8:
            raise NotYet("every row should sum to zero: the mean of the point's own row is missing, or counted twice")
        expect_close(mine, right, "a training point passed as new should give its row of the centered kernel")


@exercise("centering-4")
def what_may_be_added(answer):
    right = {"constant": "same", "border": "same", "diagonal": "different", "anchor": "same", "double": "different"}
    if not isinstance(answer, dict) or set(answer) != set(right):
        raise NotYet(f"a dictionary with the keys {', '.join(right)} is wanted")
    reasons = {
        "constant": "compare H(K + 7·11ᵀ)H with HKH, where H1 = 0",
        "border": "compare the distances before and after, K_ii - 2 K_ij + K_jj",
        "diagonal": "the eigenvectors stay, but the eigenvalues do not, and the scores are scaled by their roots",
        "anchor": "this moves the origin to the first image, and distances do not see the origin",
        "double": "the eigenvectors stay, but the eigenvalues do not, and the scores are scaled by their roots",
    }
    for key, wanted in right.items():
        if str(answer[key]) != wanted:
            raise NotYet(f"{key} is not so: {reasons[key]} ('same' or 'different')")


@exercise("centering-5")
def bad_company(answer):
    training = np.array([[0.0, 0], [4, 0], [0, 4], [8, 8]])
    new = expect_array(answer, (2, 2))
    model = KernelPCA(1, sigma=3.0).fit(training)
    placed = model.transform(new)[:, 0]
    if placed[0] * placed[1] <= 0:
        raise NotYet("the training mean places these two on different sides already")
    if np.min(np.abs(placed)) < 0.2:
        raise NotYet(f"with the training mean, one is only {np.min(np.abs(placed)):.2f} from the origin")
    apart = abs(placed[0] - placed[1]) / 2  # centered with their own mean they land at plus and minus this
    if apart < 0.1:
        raise NotYet(f"with their own mean, they land only {apart:.2f} from the origin")


@exercise("centering-6")
def all_substrings(answer):
    pairs = [("aba", "ab"), ("banana", "bandana"), ("aaaa", "aa"), ("abc", "xyz"), ("x", "x"), ("cab", "abcab")]
    for s, t in pairs:
        mine = expect_number(call(answer, s, t))
        right = sum(s[i:j] == t[k:m] for i, j in _spans(s) for k, m in _spans(t))
        if mine != right:
            raise NotYet(f"for {s!r} and {t!r} the kernel is {right}, yours is {mine:g}")


def _spans(word):
    """Start and end of every nonempty substring."""
    return [(i, j) for i in range(len(word)) for j in range(i + 1, len(word) + 1)]


@exercise("centering-7")
def share_of_the_mean(answer):
    images, _ = datasets.faces(n=200)
    right = gaussian_kernel(images, sigma=median_distance(images)).mean()
    given = expect_number(answer)
    if abs(given - (1 - right)) < 0.006:
        raise NotYet("this is the share that is left for the components")
    if abs(given - right) > 0.006:
        raise NotYet("the share is n times the squared length of the mean, divided by the trace of K")
