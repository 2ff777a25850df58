"""Principal curves: self-consistency, the principal component as a special case, a cost that falls, starts."""

import numpy as np
import pytest

from dimred_lessons import Isomap, PrincipalCurve
from dimred_lessons.classroom.metrics import aligned_signs

RNG = np.random.default_rng(0)
ANGLE = RNG.uniform(0, 1.2 * np.pi, 400)
ARC = np.column_stack([np.cos(ANGLE), np.sin(ANGLE)]) + 0.05 * RNG.standard_normal((400, 2))
METHODS = ["local-lines", "polygonal"]


@pytest.mark.parametrize("method", METHODS)
def test_an_arc_is_followed_at_unit_speed(method):
    fitted = PrincipalCurve(method=method).fit(ARC)
    Y = fitted.embedding_[:, 0]
    assert abs(np.corrcoef(Y, ANGLE)[0, 1]) > 0.995
    assert abs(np.ptp(Y) / np.ptp(ANGLE) - 1) < 0.05
    assert fitted.objective_path_[-1] < 0.1 * fitted.objective_path_[0]
    np.testing.assert_allclose(np.linalg.norm(fitted.nodes_, axis=1), 1, atol=0.1)


def test_the_polyline_lowers_its_cost_in_every_step():
    path = PrincipalCurve(method="polygonal", bending=1e-3, tol=1e-7, max_iter=3000).fit(ARC).objective_path_
    assert len(path) > 5
    assert np.diff(path).max() <= 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_the_embedding_is_the_arc_length_of_the_nearest_point_of_the_curve(method):
    fitted = PrincipalCurve(method=method).fit(ARC)
    fine = np.linspace(fitted.embedding_.min(), fitted.embedding_.max(), 20001)[:, np.newaxis]
    curve = fitted.inverse_transform(fine)
    for x, y in zip(ARC[:20], fitted.embedding_[:20], strict=True):
        distances = np.linalg.norm(curve - x, axis=1)
        feet = fitted.inverse_transform([y])
        assert np.linalg.norm(feet - x) <= distances.min() + 1e-6
        assert abs(fine[np.argmin(distances), 0] - y[0]) < 1e-3
    np.testing.assert_allclose(np.linalg.norm(np.diff(curve, axis=0), axis=1), np.diff(fine[:, 0]), rtol=0.05)


def test_points_are_the_middle_of_what_is_projected_to_them():
    fitted = PrincipalCurve(span=0.1).fit(ARC)
    order = np.argsort(fitted.embedding_[:, 0])
    feet = fitted.inverse_transform(fitted.embedding_)
    for part in np.array_split(order, 15)[1:-1]:
        assert np.linalg.norm(ARC[part].mean(axis=0) - feet[part].mean(axis=0)) < 0.01


@pytest.mark.parametrize("method", METHODS)
def test_the_curve_of_an_elliptic_cloud_is_its_first_principal_component(method):
    X = np.random.default_rng(1).standard_normal((5000, 2)) * [3, 1]
    fitted = PrincipalCurve(method=method, span=0.6, bending=1.0).fit(X)
    scores = X[:, :1] - X[:, :1].mean()
    assert np.corrcoef(aligned_signs(fitted.embedding_, scores).T, scores.T)[0, 1] > 0.995


def test_a_wide_span_cuts_corners():
    radii = [np.linalg.norm(PrincipalCurve(span=span).fit(ARC).nodes_[20:40], axis=1).mean() for span in (0.1, 0.5)]
    assert radii[1] < 0.97 < radii[0]


@pytest.mark.filterwarnings("ignore:The curve has not converged")  # a tangle may go on moving for long
def test_a_spiral_needs_a_spectral_start():
    t = np.linspace(np.pi, 5 * np.pi, 600)
    length = t**2
    spiral = np.column_stack([t * np.cos(t), t * np.sin(t)])
    found = []
    for seed in range(3):
        X = spiral + 0.1 * np.random.default_rng(seed).standard_normal((600, 2))
        starts = ("pca", Isomap(1, n_neighbors=8).fit_transform(X))
        fits = (PrincipalCurve(init=start, span=0.05).fit(X) for start in starts)
        found.append([abs(np.corrcoef(fit.embedding_[:, 0], length)[0, 1]) for fit in fits])
    by_pca, by_isomap = np.transpose(found)
    assert np.median(by_pca) < 0.9
    assert by_isomap.min() > 0.99


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", ["local-lines", "polygonal"])
@pytest.mark.parametrize("unit, offset", [(1e-6, 0), (1, 0), (1e6, 0), (1, 1.7e9)])
def test_points_of_a_line_are_done_at_once_in_any_unit(method, unit, offset):
    t = np.sort(np.random.default_rng(0).uniform(0, 3, 30))
    curve = PrincipalCurve(method=method).fit(unit * np.column_stack([t, 2 * t, -t]) + offset)
    assert curve.n_iter_ < 5
    np.testing.assert_allclose(
        np.abs(np.diff(curve.embedding_[:, 0])), unit * np.sqrt(6) * np.diff(t), atol=2e-6 * unit
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("power", [-500, -40, 40, 500])
@pytest.mark.parametrize("init", ["pca", ANGLE[:, np.newaxis]])
def test_the_curve_is_the_same_in_every_unit_however_large(method, power, init):
    unit = 2.0**power
    expected = PrincipalCurve(method, init=init).fit(ARC)
    found = PrincipalCurve(method, init=init if isinstance(init, str) else unit * init).fit(unit * ARC)
    np.testing.assert_array_equal(found.embedding_, unit * expected.embedding_)
    np.testing.assert_array_equal(found.nodes_, unit * expected.nodes_)
    np.testing.assert_array_equal(found.transform(unit * ARC), found.embedding_)
    again = found.inverse_transform(found.embedding_)
    np.testing.assert_array_equal(again, unit * expected.inverse_transform(expected.embedding_))
    np.testing.assert_allclose(found.objective_path_, unit**2 * expected.objective_path_)


@pytest.mark.parametrize("method", METHODS)
def test_the_path_is_that_of_the_first_curve_and_of_every_step(method):
    whole = PrincipalCurve(method).fit(ARC)
    assert len(whole.objective_path_) == whole.n_iter_ + 1
    with pytest.warns(UserWarning, match="has not converged in 3 steps"):
        short = PrincipalCurve(method, max_iter=3).fit(ARC)
    assert short.n_iter_ == 3
    np.testing.assert_array_equal(short.objective_path_, whole.objective_path_[:4])


def test_a_run_that_is_cut_short_warns():
    with pytest.warns(UserWarning, match="The curve has not converged in 2 steps: raise max_iter, or tol"):
        PrincipalCurve(max_iter=2).fit(ARC)


def test_few_points_and_copies_do_no_harm():
    for X in (ARC[:3], np.repeat(ARC[:2], 10, axis=0), np.column_stack([np.arange(5.0), np.zeros(5)])):
        assert np.isfinite(PrincipalCurve().fit(X).embedding_).all()


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"span": 1.5}, "span=1.5 must be a positive number, below 1"),
        ({"n_nodes": 2}, "n_nodes=2 must be an integer of at least 3"),
        ({"method": "spline"}, 'method=\'spline\' must be "local-lines" or "polygonal"'),
        ({"init": ARC}, r"init has the shape \(400, 2\), but n_samples=400 and n_components=1"),
    ],
)
def test_bad_input_is_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        PrincipalCurve(**parameters).fit(ARC)
