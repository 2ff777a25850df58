"""Checks of the exercises on kernel centering."""

import numpy as np
from scipy.spatial.distance import pdist

from dimred_lessons import KernelPCA
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    BY_HAND,
    NotYet,
    call,
    call_measured,
    exercise,
    expect_array,
    expect_close,
    expect_keys,
    expect_number,
    refusals_as_not_yet,
)
from dimred_lessons.classroom.exercises.values import choices, differs, near, share, smallest_count, table
from dimred_lessons.kernels import center_kernel, center_new_kernel, gaussian_kernel


@exercise("centering-1")
@table(3, 3)
def center_by_hand(mine):
    K = np.array([[9.0, 3, 0], [3, 3, 0], [0, 0, 0]])
    yield differs(mine, mine.T), "the centered kernel should be symmetric, as K is"
    yield differs(sum(mine.columns), 0, scale=3), "every row should sum to zero"
    otherwise = "the rows sum to zero, but some entry is not K_ij - r_i - r_j + the mean of all"
    yield differs(mine, center_kernel(K)), otherwise


@exercise("centering-2")
def center_in_place(answer):
    n = 200
    X = np.random.default_rng(2).integers(-5, 6, (n, 3)).astype(float)
    right = center_kernel(X @ X.T)
    K = X @ X.T + 3
    mine, memory = call_measured(answer, K)
    mine = expect_array(mine, (n, n))
    expect_close(mine.sum(axis=1), 0, "every row should sum to zero", scale=np.max(np.abs(right)))
    expect_close(mine, right, "this is not the centered kernel")
    if memory > K.nbytes / 2:
        raise NotYet("your function formed another n × n array, or something nearly as large")
    expect_close(K, right, "the matrix that was passed in should itself be centered afterward")
    far = expect_array(call(answer, (X + 1e7) @ (X + 1e7).T), (n, n))
    otherwise = "far from the origin too many digits are lost: subtract one of the entries from all of them first"
    expect_close(far, right, otherwise, tolerance=1e-5)


@exercise("centering-3")
def center_new(answer):
    rng = np.random.default_rng(3)
    for n, m in [(7, 3), (12, 12)]:
        X, new = rng.standard_normal((n, 2)), rng.standard_normal((m, 2)) + 1
        K, k_new = gaussian_kernel(X), gaussian_kernel(new, X)
        mine = expect_array(call(answer, k_new, K), (m, n))
        alone = expect_array(call(answer, k_new[:1], K), (1, n))
        expect_close(alone, mine[:1], "the row of the first new point changes when it comes alone", scale=1)
        otherwise = "every row should sum to zero: is the mean of the point's own row missing, or counted twice?"
        expect_close(mine.sum(axis=1), 0, otherwise, scale=1)
        right = center_new_kernel(k_new, K.mean(axis=0))
        expect_close(mine, right, "a training point, passed as a new one, should get its row of the centered kernel")


@exercise("centering-4")
@choices
def what_may_be_added():
    scaled = "the eigenvectors stay, but the eigenvalues do not, and the scores are scaled by their square roots"
    return {
        "constant": ("same", "compare H(K + 7·11ᵀ)H with HKH, where H1 = 0"),
        "border": ("same", "compare the distances before and after, K_ii - 2 K_ij + K_jj"),
        "diagonal": ("different", scaled),
        "anchor": (
            "same",
            "this moves the origin to the first feature vector, and distances do not depend on the origin",
        ),
        "double": ("different", scaled),
    }


@exercise("centering-5")
def bad_company(answer):
    training = np.array([[0.0, 0], [4, 0], [0, 4], [8, 8]])
    placed = KernelPCA(1, sigma=3.0).fit(training).transform(expect_array(answer, (2, 2)))[:, 0]
    if placed[0] * placed[1] <= 0:
        raise NotYet("the training mean already places these two on different sides")
    nearest = np.min(np.abs(placed))
    if nearest < 0.2:
        raise NotYet(f"with the training mean, one of them is only {nearest:.2f} from the origin")
    apart = abs(placed[0] - placed[1]) / 2  # centered with their own mean they land at plus and minus this
    if apart < 0.1:
        raise NotYet(f"with their own mean, they land only {apart:.2f} from the origin")


@exercise("centering-6")
def all_substrings(answer):
    pairs = [
        ("aba", "ab"),
        ("banana", "bandana"),
        ("aaaa", "aa"),
        ("abc", "xyz"),
        ("x", "x"),
        ("cab", "abcab"),
    ]
    for s, t in pairs:
        mine = expect_number(call(answer, s, t))
        right = sum(s[i:j] == t[k:m] for i, j in _spans(s) for k, m in _spans(t))
        if mine != right:
            raise NotYet(f"for {s!r} and {t!r} the kernel is {right}, yours is {mine:g}")


def _spans(word):
    """Start and end of every nonempty substring."""
    return [(i, j) for i in range(len(word)) for j in range(i + 1, len(word) + 1)]


@exercise("centering-7")
@share()
def share_of_the_mean(given):
    images, _ = datasets.faces(n=200)
    right = gaussian_kernel(images, sigma=np.median(pdist(images))).mean()
    yield near(given, 1 - right, BY_HAND, 1), "this is the share that is left for the components"
    yield differs(given, right), "the share is n times the squared length of the mean, divided by the trace of K"


@exercise("centering-8")
def distance_of_means(answer):
    rng = np.random.default_rng(8)
    for n, ones in [(9, 3), (14, 10)]:
        features = rng.standard_normal((n, 4)) + 3
        group = rng.permutation(np.arange(n) < ones).astype(int)
        mine = expect_number(call(answer, features @ features.T, group))
        right = np.sum((features[group == 1].mean(axis=0) - features[group == 0].mean(axis=0)) ** 2)
        expect_close(mine, right, "this is not the squared distance between the two means", scale=right)


@exercise("centering-9")
@table(3, 3)
def another_origin(K_q):
    yield differs(K_q, K_q.T), "the new matrix should be symmetric, as K is"
    first, second, _ = K_q.columns
    otherwise = "seen from the new origin, the weighted mean should be zero: K_q q = 0"
    yield differs(0.5 * first + 0.5 * second, 0, scale=4.5), otherwise
    right = [[1.5, -1.5, -1.5], [-1.5, 1.5, 1.5], [-1.5, 1.5, 4.5]]
    yield differs(K_q, right), "K_q q = 0 holds, but these are not the dot products: expand the product"


@exercise("centering-10")
@choices
def kernels_made_of_kernels():
    always = "this is one of the rules for building kernels from kernels"
    return {
        "sum": ("always", always),
        "product": ("always", always),
        "difference": ("not always", "what if the first kernel is zero?"),
        "maximum": ("not always", "try two 3 × 3 matrices of zeros and ones"),
        "cosine": ("always", "this is DKD with a diagonal matrix D"),
        "exponential": ("always", "write it as a power series: its coefficients are positive"),
    }


@exercise("centering-11")
def own_kernel(answer):
    expect_keys(answer, ["kernel", "components"])
    K = expect_array(answer["kernel"], (None, None))
    if len(K) != K.shape[1] or not 10 <= len(K) <= 1000:
        raise NotYet(f"a square matrix of 10 to 1000 objects is expected, but yours is {K.shape}")
    if K.sum() < 1e-8 * np.trace(K):
        raise NotYet("the kernel is centered already: give it as it is")
    with refusals_as_not_yet("kernel PCA"):
        variances = KernelPCA(None, kernel="precomputed").fit(K).eigenvalues_
    smallest_count(0.9)(lambda: variances.cumsum() / variances.sum())(answer["components"])
