"""Checks of the exercises on principal components analysis."""

import numpy as np

from dimred_lessons import PCA
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    BY_HAND,
    NotYet,
    call,
    exercise,
    expect_array,
    expect_choice,
    expect_close,
    expect_number,
    expect_share,
    expect_smallest_count,
)
from dimred_lessons.classroom.metrics import aligned_signs


@exercise("pca-1")
def two_by_two_covariance(answer):
    larger, smaller, share = expect_array(answer, (3,))
    expect_close(larger + smaller, 10, "the two eigenvalues should add up to the trace of S", BY_HAND)
    expect_close(larger * smaller, 16, "the product of the eigenvalues should be the determinant of S", BY_HAND)
    if larger < smaller:
        raise NotYet("give the larger eigenvalue first")
    expect_close(expect_share(share), 0.8, "the share is the larger eigenvalue over the sum of both", BY_HAND)


@exercise("pca-2")
def unit_of_the_second_coordinate(answer):
    c = expect_number(answer)
    if not 0 < c < 1e6:
        raise NotYet("c should be positive and of moderate size")
    stretched = np.diag([1, c]) @ [[4, 1], [1, 1]] @ np.diag([1, c])
    direction = np.linalg.eigh(stretched)[1][:, -1]
    expect_close(abs(direction), np.sqrt([0.5, 0.5]), f"with c = {c:g} the first direction is not at 45 degrees")


@exercise("pca-3")
def reconstruction(answer):
    rng = np.random.default_rng(3)
    points = rng.normal(size=(45, 6)) @ rng.normal(size=(6, 6)) + rng.normal(size=6) * 20
    training, new = points[:40], points[40:] + 3
    for d in (1, 3):
        pca = PCA(d).fit(training)
        mine = expect_array(call(answer, training, new, d), new.shape)
        plane = mine - training.mean(axis=0)
        on_plane = plane @ pca.components_.T @ pca.components_
        expect_close(on_plane, plane, "your reconstructions do not lie on the plane through the training mean")
        right = pca.inverse_transform(pca.transform(new))
        expect_close(mine, right, "your reconstructions lie on the right plane, but not at its nearest points")


@exercise("pca-4")
def power_method(answer):
    rng = np.random.default_rng(4)
    factor = rng.normal(size=(5, 5))
    S, start = factor @ factor.T, rng.normal(size=5)
    once = expect_array(call(answer, S, start, 1), (5,))
    right = S @ start / np.linalg.norm(S @ start)
    expect_close(np.linalg.norm(once), 1, "the result should have unit length")
    expect_close(aligned_signs(once, right), right, "after one step the result should be S times the start, scaled")
    converged = expect_array(call(answer, S, start, 2000), (5,))
    alignment = abs(converged @ np.linalg.eigh(S)[1][:, -1])
    expect_close(alignment, 1, "after 2000 steps the result should be the top eigenvector")


@exercise("pca-5")
def forgotten_mean(answer):
    X = expect_array(answer, (5, 2))
    centered = X - X.mean(axis=0)
    variances, directions = np.linalg.eigh(centered.T @ centered)
    if variances[1] <= 0.9 * variances.sum():
        raise NotYet("the true first direction should retain more than 90 % of the variance")
    uncentered = np.linalg.eigh(X.T @ X)[1][:, 1]
    angle = np.degrees(np.arccos(min(1.0, abs(uncentered @ directions[:, 1]))))
    if angle < 80:
        raise NotYet(f"the two directions are only {angle:.0f} degrees apart")


@exercise("pca-6")
def equal_singular_values(answer):
    reasons = {
        "a": "the second direction may be any unit vector of a plane",
        "b": "the error is the sum of the discarded squared singular values, whichever directions are kept",
        "d": "the first singular value is larger than the others, so its direction is fixed up to sign",
    }
    expect_choice(answer, "c", reasons)


@exercise("pca-7")
def components_of_the_digits(answer):
    digits, _ = datasets.digits()
    expect_smallest_count(answer, PCA(n_components=None).fit(digits).explained_variance_ratio_.cumsum(), 0.9)
