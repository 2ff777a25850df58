"""Checks of the exercises on principal components analysis."""

import numpy as np

from dimred_lessons import PCA
from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.exercises.mechanism import (
    BY_HAND,
    IN_CODE,
    NotYet,
    call,
    exercise,
    expect_array,
    expect_close,
    expect_drawn,
    expect_fitted,
    expect_integer,
    expect_keys,
    expect_share,
)
from dimred_lessons.classroom.exercises.values import choice, differs, near, number, numbers, smallest_count
from dimred_lessons.classroom.metrics import aligned_signs


@exercise("pca-1")
@numbers(3)
def two_by_two_covariance(answer, variance=5, covariance=3):
    larger, smaller, kept = answer
    yield differs(larger + smaller, 2 * variance), "the two eigenvalues should add up to the trace of S"
    yield (
        differs(larger * smaller, variance**2 - covariance**2),
        "the product of the eigenvalues should be the determinant of S",
    )
    yield larger < smaller, "give the larger eigenvalue first"
    yield (kept < 0) | (kept > 1), "a share is expected as a fraction, between 0 and 1"
    right = (variance + covariance) / (2 * variance)
    yield differs(kept, right), "the share is the larger eigenvalue over the sum of both"


@exercise("pca-2")
@number()
def unit_of_the_second_coordinate(c, variances=(4, 1)):
    yield (c <= 0) | (c >= 1e6), "c should be positive and of moderate size"
    # At c = 2 + ε the first direction of [[4, c], [c, c²]] is ε/2 beyond 45 degrees
    yield (
        differs(c, np.sqrt(variances[0] / variances[1]), IN_CODE),
        f"with c = {c:g} the first direction is not at 45 degrees",
    )


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
        raise NotYet("the true first direction should retain more than 90% of the variance")
    uncentered = np.linalg.eigh(X.T @ X)[1][:, 1]
    angle = np.degrees(np.arccos(min(1.0, abs(uncentered @ directions[:, 1]))))
    if angle < 80:
        raise NotYet(f"the two directions are only {angle:.0f} degrees apart")


@exercise("pca-6")
@choice("c")
def equal_singular_values():
    return {
        "a": "the second direction may be any unit vector of a plane",
        "b": "the error is the sum of the discarded squared singular values, whichever directions are kept",
        "d": "the first singular value is larger than the others, so its direction is fixed up to sign",
    }


@exercise("pca-7")
@smallest_count(0.95)
def components_of_the_digits():
    digits, _ = datasets.digits()
    return PCA(n_components=None).fit(digits).explained_variance_ratio_.cumsum()


@exercise("pca-8")
def whitening(answer):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(50, 4)) @ rng.normal(size=(4, 4)) * [1, 10, 0.1, 1] + [5, 0, -3, 100]
    white = expect_array(call(answer, X), X.shape)
    expect_close(white.mean(axis=0), 0, "the new columns should have mean zero", scale=1)
    covariance = np.cov(white, rowvar=False)
    expect_close(np.diag(covariance), 1, "the variance of each new column, divided by n - 1, should be 1")
    expect_close(covariance, np.eye(4), "the new columns should be uncorrelated")
    fitted = X - X.mean(axis=0)
    fitted = fitted @ np.linalg.lstsq(fitted, white, rcond=None)[0]
    expect_close(fitted, white, "each new column should be a linear function of the centered points")


@exercise("pca-9")
@number()
def turn_by_noise(angle, largest=8, second=2, noise=0.75):
    bound = 2 * noise / (largest - second)
    right = np.degrees(np.arcsin(np.sqrt(bound)))
    yield near(angle, np.radians(right), BY_HAND, 1), "give the angle in degrees"
    yield near(angle, np.degrees(np.arcsin(bound)), 0.1, 1), "the bound is for the square of the sine"
    yield differs(angle, right), "solve the bound, with equality, for the angle"


@exercise("pca-10")
def linear_autoencoder(answer):
    rng = np.random.default_rng(10)
    X = rng.normal(size=(30, 6)) * [5, 4, 3, 2, 1, 0.5]
    X -= X.mean(axis=0)
    for d in (1, 3):
        pair = call(answer, X, d)
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise NotYet("your function should return two matrices, A and B")
        A, B = expect_array(pair[0], (6, d)), expect_array(pair[1], (d, 6))
        least = np.sum(np.linalg.svd(X, compute_uv=False)[d:] ** 2)
        expect_close(np.sum((X - X @ A @ B) ** 2), least, f"with d = {d} your pair does not reach the smallest error")
        if np.allclose(A.T @ A, np.eye(d), atol=IN_CODE):
            raise NotYet("your pair reaches the smallest error, but the columns of A are orthonormal: find another")


@exercise("pca-11")
def own_table(answer):
    expect_keys(answer, ("shares", "kept", "retained"))
    shares = expect_array(answer["shares"], (None,))
    if len(shares) < 5:
        raise NotYet("give the shares of all axes: a table of five columns or more has five axes or more")
    if shares.min() < -IN_CODE or np.any(np.diff(shares) > IN_CODE):
        raise NotYet("give the share of each axis, not cumulative sums, in order, the largest first, and none negative")
    expect_close(shares.sum(), 1, "the shares of all axes should add up to 1", BY_HAND)
    kept = expect_integer(answer["kept"], 1, len(shares), "the number of components that you keep")
    right = shares[:kept].sum()
    expect_close(expect_share(answer["retained"]), right, f"the first {kept} shares do not add up to this", BY_HAND)


@exercise("pca-12")
def one_point_turns_the_line(answer):
    expect_keys(answer, ["points", "outlier"])
    points = expect_drawn(answer["points"], 6)
    outlier = expect_integer(answer["outlier"], 0, len(points) - 1, "the row of the outlier")
    lines = [expect_fitted(PCA(1), X).components_[0] for X in (points, np.delete(points, outlier, axis=0))]
    turn = np.degrees(np.arccos(min(1, abs(lines[0] @ lines[1]))))
    if turn < 45:
        raise NotYet(f"without this point the line turns by {turn:.0f}°, and 45° are asked for: pull it farther away")
