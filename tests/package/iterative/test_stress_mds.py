"""Stress majorization: the stress never rises, agrees with scikit-learn, holes, weights, order, no collapse."""

import numpy as np
import pytest
from scipy import linalg, optimize
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn import manifold
from sklearn.base import clone

from dimred_lessons import ClassicalMDS, StressMDS, memory
from dimred_lessons.classroom.datasets import digits
from support.comparisons import assert_same_distances

DIGITS = digits(60)[0]
TABLE = squareform(pdist(DIGITS))
PLANE = np.random.default_rng(0).random((40, 2)) * [3, 1]
NOT_EUCLIDEAN = TABLE**2 / 50


def raw_stress(Y, delta, w=1):
    return np.sum(w * (delta - cdist(Y, Y)) ** 2) / 2


@pytest.mark.parametrize("level", ["ratio", "ordinal"])
@pytest.mark.parametrize("weights", ["equal", "sammon", 1 / (1 + TABLE)])
@pytest.mark.parametrize("start", ["classical", "random"])
def test_the_stress_never_rises(level, weights, start):
    path = StressMDS(level=level, weights=weights, init=start, metric="precomputed").fit(NOT_EUCLIDEAN).objective_path_
    assert len(path) > 10
    assert np.diff(path).max() <= 1e-13


def test_steps_are_those_of_scikit_learn():
    start = np.random.default_rng(0).standard_normal((60, 2)) * 10
    theirs, _ = manifold.smacof(TABLE, metric=True, init=start, n_init=1, max_iter=20, eps=0, normalized_stress=False)
    with pytest.warns(UserWarning, match="not converged in 20 steps"):
        ours = StressMDS(init=start, metric="precomputed", max_iter=20).fit(TABLE)
    assert_same_distances(ours.embedding_, theirs, 1e-9)


@pytest.mark.parametrize("level", ["ratio", "ordinal"])
def test_it_ends_no_higher_than_scikit_learn(level):
    start = ClassicalMDS(metric="precomputed").fit_transform(TABLE)
    theirs, _ = manifold.smacof(
        TABLE,
        metric=level == "ratio",
        init=start,
        n_init=1,
        max_iter=3000,
        eps=1e-10,
        normalized_stress=level != "ratio",
    )
    ours = StressMDS(level=level, metric="precomputed", tol=1e-10, max_iter=10_000).fit(TABLE)
    w = np.triu(np.ones((60, 60)), k=1) > 0
    d = cdist(theirs, theirs)[w]
    wanted = TABLE[w]
    if level == "ordinal":
        order = np.lexsort((d, wanted))
        wanted = np.empty_like(d)
        wanted[order] = optimize.isotonic_regression(d[order]).x
    stress_1 = np.sqrt(1 - (wanted @ d) ** 2 / (wanted @ wanted) / (d @ d))
    assert ours.stress_1_ < stress_1 + 1e-4


def test_the_end_is_stationary():
    fitted = StressMDS(metric="precomputed", tol=1e-12, max_iter=20_000).fit(NOT_EUCLIDEAN)
    gradient = optimize.approx_fprime(
        fitted.embedding_.ravel(), lambda y: raw_stress(y.reshape(60, 2), NOT_EUCLIDEAN), 1e-6
    )
    assert np.abs(gradient).max() < 1e-3 * raw_stress(fitted.embedding_, NOT_EUCLIDEAN)


@pytest.mark.parametrize("level", ["ratio", "ordinal"])
def test_distances_in_the_plane_are_recovered(level):
    fitted = StressMDS(level=level, init="random", n_init=2, tol=1e-12, max_iter=20_000).fit(PLANE[:25])
    assert fitted.stress_ < 1e-4
    scale = pdist(PLANE[:25]).mean() / pdist(fitted.embedding_).mean()
    assert_same_distances(scale * fitted.embedding_, PLANE[:25], {"ratio": 1e-4, "ordinal": 0.05}[level])


def test_missing_distances_are_filled_by_the_others():
    holes = cdist(PLANE, PLANE)
    i, j = np.random.default_rng(1).integers(40, size=(2, 300))
    holes[i, j] = holes[j, i] = np.nan
    assert np.isnan(holes).mean() > 0.25
    fitted = StressMDS(metric="precomputed", tol=1e-13, max_iter=20_000).fit(holes)
    assert_same_distances(fitted.embedding_, PLANE, 1e-4)
    assert (np.isnan(fitted.disparities_) == (np.isnan(holes) | np.eye(40, dtype=bool))).all()
    one_way = np.where(np.tri(40, dtype=bool), cdist(PLANE, PLANE), np.nan)
    whole = clone(fitted).fit(cdist(PLANE, PLANE)).embedding_
    np.testing.assert_array_equal(clone(fitted).fit(one_way).embedding_, whole)


def test_a_weight_of_zero_is_a_missing_distance():
    w = (np.random.default_rng(1).random((40, 40)) < 0.8).astype(float)
    w = np.minimum(w, w.T)
    delta = cdist(PLANE, PLANE)
    by_weights = StressMDS(weights=w, metric="precomputed").fit(delta + 5 * (w == 0) - 5 * np.diag(np.diag(w) == 0))
    by_holes = StressMDS(metric="precomputed").fit(np.where((w > 0) | np.eye(40, dtype=bool), delta, np.nan))
    np.testing.assert_allclose(by_weights.embedding_, by_holes.embedding_, atol=1e-9)


def test_sammon_weights_keep_short_distances_better():
    short = TABLE[np.triu_indices(60, 1)] < np.quantile(pdist(DIGITS), 0.1)
    kept = {}
    for weights in ("equal", "sammon"):
        Y = StressMDS(weights=weights, metric="precomputed").fit(TABLE).embedding_
        kept[weights] = np.mean(np.abs(pdist(Y) / pdist(DIGITS) - 1)[short])
    assert kept["sammon"] < kept["equal"]


def test_the_stress_of_sammon_is_that_of_the_paper():
    fitted = StressMDS(weights="sammon").fit(DIGITS)
    delta, d = pdist(DIGITS), pdist(fitted.embedding_)
    np.testing.assert_allclose(fitted.stress_, np.sum((delta - d) ** 2 / delta) / delta.sum())


def test_any_increasing_function_of_the_dissimilarities_gives_the_same_nonmetric_map():
    method = StressMDS(level="ordinal", metric="precomputed", init=DIGITS[:, 20:22] + 0.01 * DIGITS[:, 30:32])
    first, second = (clone(method).fit(table) for table in (TABLE, np.expm1(TABLE / 20)))
    scale = np.sqrt(np.sum(np.expm1(TABLE / 20) ** 2) / np.sum(TABLE**2))
    np.testing.assert_allclose(second.stress_1_, first.stress_1_, rtol=1e-6)
    assert_same_distances(second.embedding_, scale * first.embedding_, 1e-4)


def test_disparities_rise_with_the_dissimilarities_and_keep_their_size_so_that_nothing_collapses():
    fitted = StressMDS(level="ordinal", metric="precomputed").fit(NOT_EUCLIDEAN)
    pairs = np.triu_indices(60, 1)
    disparities, delta = fitted.disparities_[pairs], NOT_EUCLIDEAN[pairs]
    assert np.diff(disparities[np.lexsort((disparities, delta))]).min() >= -1e-9
    np.testing.assert_allclose(np.sum(disparities**2), np.sum(delta**2))
    assert 0.5 < pdist(fitted.embedding_).mean() / delta.mean() < 2
    assert fitted.stress_1_ < StressMDS(metric="precomputed").fit(NOT_EUCLIDEAN).stress_1_


def test_stress_1_is_the_least_over_all_sizes():
    fitted = StressMDS(metric="precomputed").fit(NOT_EUCLIDEAN)
    delta, d = NOT_EUCLIDEAN[np.triu_indices(60, 1)], pdist(fitted.embedding_)
    sizes = np.linspace(0.5, 2, 3001)
    least = min(np.sqrt(np.sum((delta - size * d) ** 2) / np.sum((size * d) ** 2)) for size in sizes)
    np.testing.assert_allclose(fitted.stress_1_, least, rtol=1e-5)


def test_the_best_result_of_several_starts_is_kept():
    runs = [StressMDS(init="random", metric="precomputed", n_init=n).fit(NOT_EUCLIDEAN).stress_ for n in (1, 2, 6)]
    assert runs[0] >= runs[1] >= runs[2]


def test_axes_are_principal_and_centered():
    Y = StressMDS(3).fit(DIGITS).embedding_
    covariance = np.cov(Y.T)
    np.testing.assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-8)
    assert (np.diff(np.diag(covariance)) < 0).all()
    assert np.abs(Y.mean(axis=0)).max() < 1e-10


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [1e-50, 1e-6, 1, 1e6, 1e50])
def test_a_fit_without_stress_is_done_in_any_unit(unit):
    plane = unit * squareform(pdist(PLANE[:20]))
    from_far = {"metric": "precomputed", "init": "random", "random_state": 2}
    for method, X in [
        (StressMDS(level="ordinal", metric="precomputed"), plane**2),  # in the order of distances in the plane
        (StressMDS(**from_far), plane),
        (StressMDS(weights="sammon", **from_far), plane),
        (StressMDS(tol=0), unit * PLANE),
    ]:
        fitted = method.fit(X)
        assert fitted.stress_ < 1e-10
        assert fitted.stress_1_ < 1e-4
        assert fitted.n_iter_ == len(fitted.objective_path_) - 1 < 3000


@pytest.mark.filterwarnings("error")
def test_a_start_that_the_dissimilarities_leave_open_is_no_reason_to_ask_for_other_axes():
    corners = 1.0 - np.eye(6)  # all objects are equally unlike
    assert np.isfinite(StressMDS(metric="precomputed").fit(corners).embedding_).all()


def test_single_precision_adds_no_axes():
    X = np.random.default_rng(0).standard_normal((30, 3))
    D = squareform(pdist(X)).astype(np.float32)
    D[0, 1] = D[1, 0]
    assert StressMDS(None, metric="precomputed").fit(D).embedding_.shape == (30, 3)
    with pytest.raises(ValueError, match="n_components=4 is above the 3 that classical scaling can give"):
        StressMDS(4, metric="precomputed").fit(D)


def test_a_first_map_without_stress_needs_no_step():
    flat = StressMDS().fit(PLANE)
    assert flat.n_iter_ == 0 and len(flat.objective_path_) == 1
    assert_same_distances(flat.embedding_, PLANE, 1e-6)


def test_a_run_that_is_cut_short_warns():
    with pytest.warns(UserWarning, match="The stress has not converged in 3 steps: raise max_iter, or tol"):
        StressMDS(max_iter=3).fit(DIGITS)


# New points, and landmarks


@pytest.mark.parametrize("weights", ["equal", "sammon"])
def test_a_new_point_is_placed_where_its_own_stress_is_least(weights):
    old, new = DIGITS[:50], DIGITS[50:]
    fitted = StressMDS(weights=weights).fit(old)
    for y, delta in zip(fitted.transform(new), cdist(new, old), strict=True):
        w = 1 / delta if weights == "sammon" else np.ones_like(delta)

        def own_stress(y, w=w, delta=delta):
            return np.sum(w * (delta - np.linalg.norm(y - fitted.embedding_, axis=1)) ** 2)

        found = optimize.minimize(own_stress, y)
        assert own_stress(y) <= found.fun * (1 + 1e-6)


def test_a_new_point_of_the_plane_goes_to_its_place():
    fitted = StressMDS().fit(PLANE[:25])
    np.testing.assert_allclose(
        cdist(fitted.transform(PLANE[25:]), fitted.embedding_), cdist(PLANE[25:], PLANE[:25]), atol=1e-5
    )


def test_a_new_point_needs_some_of_its_dissimilarities_only():
    fitted = StressMDS(metric="precomputed").fit(cdist(PLANE[:25], PLANE[:25]))
    some = cdist(PLANE[25:], PLANE[:25])
    some[:, ::3] = np.nan
    placed = fitted.transform(some)
    np.testing.assert_allclose(cdist(placed, fitted.embedding_), cdist(PLANE[25:], PLANE[:25]), atol=1e-5)
    some[4] = np.nan
    with pytest.raises(ValueError, match="No dissimilarity between point 4 and the 25 of the map counts"):
        fitted.transform(some)
    with pytest.raises(ValueError, match="Negative values in data"):
        fitted.transform(-cdist(PLANE[25:], PLANE[:25]))


def test_any_increasing_function_of_the_dissimilarities_gives_new_points_the_same_places_on_a_nonmetric_map():
    method = StressMDS(level="ordinal", metric="precomputed", init=DIGITS[:50, 20:22] + 0.01 * DIGITS[:50, 30:32])
    expected = method.fit(TABLE[:50, :50]).transform(TABLE[50:, :50])
    raised = TABLE**6
    placed = clone(method).fit(raised[:50, :50]).transform(raised[50:, :50])
    scale = np.sqrt(np.sum(raised[:50, :50] ** 2) / np.sum(TABLE[:50, :50] ** 2))
    np.testing.assert_allclose(placed / scale, expected, atol=0.01)


@pytest.mark.parametrize("level", ["ratio", "ordinal"])
@pytest.mark.parametrize("weights", ["equal", "sammon", 1 / (1 + TABLE)])
def test_all_points_as_landmarks_give_the_map_of_all(level, weights):
    method = StressMDS(level=level, weights=weights)
    whole, landmarks = method.fit(DIGITS).embedding_, clone(method).set_params(n_landmarks=60).fit(DIGITS)
    np.testing.assert_array_equal(landmarks.embedding_, whole)
    np.testing.assert_array_equal(landmarks.landmarks_, np.arange(60))


def test_with_landmarks_a_point_knows_its_distances_to_them_only():
    w = 1 / (1 + TABLE)
    method = StressMDS(n_landmarks=20, metric="precomputed", weights=w)
    first = method.fit(TABLE).embedding_
    others = np.setdiff1d(np.arange(60), method.landmarks_)
    changed, weights = TABLE.copy(), w.copy()
    changed[np.ix_(others, others)] *= 2
    weights[np.ix_(others, others)] = 0
    np.testing.assert_allclose(clone(method).set_params(weights=weights).fit(changed).embedding_, first, atol=1e-9)
    weights[np.ix_(others, method.landmarks_[:10])] = 0
    weights[np.ix_(method.landmarks_[:10], others)] = 0
    assert not np.allclose(clone(method).set_params(weights=weights).fit(TABLE).embedding_, first, atol=1e-3)
    assert method.disparities_.shape == (20, 20)


def test_a_point_needs_a_landmark_that_counts():
    landmarks = StressMDS(n_landmarks=20).fit(DIGITS).landmarks_
    other = np.setdiff1d(np.arange(60), landmarks)[3]
    w = np.ones((60, 60))
    w[other, landmarks] = w[landmarks, other] = 0
    with pytest.raises(ValueError, match=f"No dissimilarity between point {other} and the 20 of the map counts"):
        StressMDS(n_landmarks=20, weights=w).fit(DIGITS)


def test_landmarks_at_dissimilarity_zero_keep_places_of_their_own_and_copies_of_them_share_these():
    table = squareform(pdist(np.vstack([DIGITS[:30], DIGITS[:30]])))
    table[2, 3] = table[3, 2] = 0
    fitted = StressMDS(n_landmarks=40, metric="precomputed", random_state=1).fit(table)
    np.testing.assert_array_equal(
        fitted.embedding_[fitted.landmarks_],
        StressMDS(metric="precomputed").fit(table[np.ix_(fitted.landmarks_, fitted.landmarks_)]).embedding_,
    )
    others = np.setdiff1d(np.arange(60), fitted.landmarks_)
    copies = [i for i in others if (i + 30) % 60 in fitted.landmarks_ and i % 30 not in (2, 3)]
    assert len(copies) > 5
    np.testing.assert_array_equal(fitted.embedding_[copies], fitted.embedding_[[(i + 30) % 60 for i in copies]])


def test_more_landmarks_lower_the_stress_of_all_pairs():
    def stress(m, seed=0):
        return raw_stress(StressMDS(n_landmarks=m, random_state=seed).fit(DIGITS).embedding_, TABLE)

    few, more = (np.median([stress(m, seed) for seed in range(5)]) for m in (6, 40))
    assert few > more > 0.999 * stress(None)


def test_landmarks_beat_classical_scaling_of_all_points():
    whole = ClassicalMDS().fit_transform(DIGITS)
    assert raw_stress(StressMDS(n_landmarks=30).fit(DIGITS).embedding_, TABLE) < raw_stress(whole, TABLE)


def test_landmarks_of_many_points_never_make_an_n_by_n_array():
    import tracemalloc

    X = np.random.default_rng(0).random((8000, 3))  # n × n would be 512 MB
    tracemalloc.start()
    StressMDS(n_landmarks=50, tol=1e-4).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6


def test_too_many_landmarks_for_the_memory_are_refused_with_their_number(monkeypatch):
    monkeypatch.setattr(memory, "physical_memory", lambda: 1e4)
    with pytest.raises(ValueError, match="8 matrices of 50 × 50 numbers need .*: choose fewer landmarks"):
        StressMDS(n_landmarks=50).fit(DIGITS)


BLOCKS = linalg.block_diag(np.ones((30, 30)), np.ones((30, 30)))


@pytest.mark.parametrize(
    "X, parameters, message",
    [
        (TABLE[:, :-1], {}, "The dissimilarity matrix must be square"),
        (np.triu(TABLE), {}, "The dissimilarity matrix is not symmetric"),
        (-TABLE, {}, "Negative values in data"),
        (np.where(np.eye(60), 0, np.nan), {}, "All 60 points coincide"),
        (np.where(BLOCKS, TABLE, np.nan), {}, "The pairs that count leave 2 groups of points apart"),
        (TABLE, {"weights": BLOCKS}, "The pairs that count leave 2 groups of points apart"),
        (TABLE, {"weights": BLOCKS[:9, :9]}, r"weights has the shape \(9, 9\), but 60 points need \(60, 60\)"),
        (TABLE, {"weights": np.triu(BLOCKS)}, "The matrix of weights is not symmetric"),
        (TABLE, {"weights": -BLOCKS}, "Negative values"),
        (TABLE, {"weights": "inverse"}, 'weights=\'inverse\' must be "equal", or "sammon", or a matrix'),
        (TABLE * (TABLE > TABLE[0, 1]), {"weights": "sammon"}, "is 0, but Sammon's weight divides by it"),
        (TABLE, {"level": "interval"}, 'level=\'interval\' must be "ratio" or "ordinal"'),
        (TABLE, {"n_components": 60}, "n_components=60 is above the 59 that these data can give"),
        (TABLE, {"n_landmarks": 2}, "n_landmarks=2 must be above n_components=2 and at most n_samples=60"),
        (TABLE, {"n_landmarks": 61}, "n_landmarks=61 must be above n_components=2 and at most n_samples=60"),
        (np.triu(TABLE), {"n_landmarks": 9}, "The dissimilarity matrix is not symmetric"),
        (TABLE, {"n_init": 0}, "n_init=0 must be a positive integer"),
    ],
)
def test_bad_input_is_named(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        StressMDS(metric="precomputed").set_params(**parameters).fit(X)


def test_points_must_be_complete():
    with pytest.raises(ValueError, match="Input X contains NaN"):
        StressMDS().fit(np.where(DIGITS == 3, np.nan, DIGITS))


@pytest.mark.parametrize("sides", [(2, 2, 0.2), (5, 5, 2), (3, 3, 3)])
def test_the_stress_never_rises_from_a_start_that_puts_points_together(sides):
    corners = np.stack(np.meshgrid(*([0.0, side] for side in sides)), axis=-1).reshape(-1, 3)
    path = StressMDS(2).fit(corners).objective_path_
    assert np.all(np.diff(path) <= 1e-8 * path[0]) and path[-1] < 0.9 * path[0]
