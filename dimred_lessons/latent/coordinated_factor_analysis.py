"""Coordinated factor analysis: charts that share their coordinates, fitted together."""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from sklearn.base import BaseEstimator, clone

from dimred_lessons.charts import align_charts, chart_coordinates, check_charts, reconstruction_form
from dimred_lessons.gaussians import em, log_density, responsibilities
from dimred_lessons.latent.base import MixtureModel
from dimred_lessons.parameters import check_integer, check_number, check_points


class Chart(NamedTuple):
    """A chart of the common coordinates: g ~ N(center, spread), x = mean + loadings · (g − center) + noise."""

    weight: float  # p, the probability of the chart
    center: np.ndarray  # κ (d,)
    spread: np.ndarray  # Ω (d, d)
    mean: np.ndarray  # μ (D,)
    loadings: np.ndarray  # B (D, d)
    noise: np.ndarray  # ψ (D,), variances


class Votes(NamedTuple):
    """What each chart, by itself, says about the points: that it made them, and where in g they then are."""

    log_joint: np.ndarray  # log p(s, x) (n, S)
    places: np.ndarray  # mean of g, given point and chart (n, S, d)
    precisions: np.ndarray  # inverse covariance of g, given point and chart (S, d, d): the same for all points


class Places(NamedTuple):
    """Q, one description of each point for all charts: g ~ N(mean, covariance), and which chart it is from."""

    shares: np.ndarray  # probabilities of the charts (n, S)
    means: np.ndarray  # (n, d)
    covariances: np.ndarray  # (n, d, d)


class CoordinatedFactorAnalysis(MixtureModel):
    """Fit a mixture of factor analyzers whose charts share their coordinates g.

    Component s has g ~ N(κ_s, Ω_s) and x = μ_s + B_s(g − κ_s) + noise, noise ~ N(0, Ψ_s) diagonal. Maximizes
    Φ = log-likelihood − Σ_n KL(Q_n ‖ P(g, s | x_n)), where Q_n, one Gaussian in g times probabilities of the
    charts, describes where the point is: Φ is high only where all charts that claim a point agree. Φ does not tell
    which coordinates unroll the cloud: the iteration climbs from where it starts.

    Parameters
    ----------
    mixture : estimator with charts, such as `MixtureOfFactorAnalyzers`
        The iteration starts from its responsibilities.
    n_components : int or None, default 2
        Dimension of g; None for that of ``init``, or for all that the charts can give.
    init : array of shape (n_samples, n_components) or None, default None
        Coordinates to start from, such as those of a spectral method; None for those of `AlignedMixture`.
    n_neighbors : int, default 12
        k of `AlignedMixture`.
    min_noise : float below 1, default 1e-4
        Smallest noise variance of a column, as a share of its variance (of the mean variance, if it has none).
    tol : float, default 1e-6
        The iteration stops when a step raises Φ by less than this per entry (in nats).
    max_iter : int, default 50

    Attributes
    ----------
    weights_ : array of shape (S,)
        Probabilities p_s of the charts.
    centers_, spreads_ : arrays of shapes (S, d) and (S, d, d)
        κ_s and Ω_s: where each chart lies in the common coordinates.
    means_, loadings_, noise_variances_ : arrays of shapes (S, D), (S, D, d) and (S, D)
        μ_s, B_s and the diagonals of Ψ_s.
    objective_path_, log_likelihood_path_ : arrays of shape (n_iter_,)
        Φ, which never falls, and the log-likelihood of the training points above it, at each step.
    embedding_ : array of shape (n_samples, n_components)
        Posterior means of g.
    n_iter_ : int
    n_components_ : int, d
    n_features_in_ : int, how many columns ``fit`` saw

    Raises
    ------
    ValueError
        In ``fit``, if ``init`` does not have a row for each point and a column for each component, or the mixture
        refuses the points.

    Warns
    -----
    UserWarning
        If ``max_iter`` steps were too few, for this model or for the mixture that it starts from, or an axis of the
        aligned mixture costs nothing.

    References
    ----------
    Algorithm alg-coordination; sources R-47 to R-50, R-53; Roweis, Saul and Hinton (2002), Verbeek (2006).

    Examples
    --------
    A mixture whose charts agree about the coordinates, and of which new points can be drawn:

    >>> from sklearn.datasets import make_s_curve
    >>> from dimred_lessons import CoordinatedFactorAnalysis, MixtureOfFactorAnalyzers
    >>> X, _ = make_s_curve(400, random_state=0)
    >>> model = CoordinatedFactorAnalysis(MixtureOfFactorAnalyzers(10)).fit(X)
    >>> model.embedding_.shape, model.sample(3, random_state=0).shape
    ((400, 2), (3, 3))
    """

    _parameters = {
        "mixture": check_charts,
        "init": partial(check_points, none="for those of an aligned mixture"),
        "n_neighbors": check_integer,
        "min_noise": partial(check_number, below=1),
        "tol": partial(check_number, zero=True),
        "max_iter": check_integer,
    }

    def __init__(
        self,
        mixture: BaseEstimator,
        n_components: int | None = 2,
        *,
        init: ArrayLike | None = None,
        n_neighbors: int = 12,
        min_noise: float = 1e-4,
        tol: float = 1e-6,
        max_iter: int = 50,
    ) -> None:
        self.mixture = mixture
        self.n_components = n_components
        self.init = init
        self.n_neighbors = n_neighbors
        self.min_noise = min_noise
        self.tol = tol
        self.max_iter = max_iter

    def _embed(self, X):
        # 1. Start: coordinates of the points, and the charts that they belong to
        places, least = self._start(X), self._noise_floor(X)
        log_likelihoods = []

        def step(state):
            places, charts = state
            # 2. E: each chart votes for the place of a point; its vote is weighted by its precision
            votes = _votes(X, charts)
            log_likelihoods.append(responsibilities(votes.log_joint)[1].sum())
            places, objective = _agreement(votes, places)
            # 3. M: every chart regresses its points on their coordinates
            return (places, _regressions(X, places, least)), objective

        # 4. Repeat until Φ no longer rises
        start = places, _regressions(X, places, least)
        (_, charts), self.objective_path_ = em(step, start, self.tol, self.max_iter, X.size)
        self.log_likelihood_path_, self.n_iter_ = np.array(log_likelihoods), len(log_likelihoods)
        together = Chart(*map(np.array, zip(*charts, strict=True)))
        self.weights_, self.centers_, self.spreads_ = together.weight, together.center, together.spread
        self.means_, self.loadings_, self.noise_variances_ = together.mean, together.loadings, together.noise
        return self._place(X)

    def _start(self, X):
        mixture = clone(self.mixture).fit(X)
        R = mixture.responsibilities(X)
        if self.init is None:
            U = chart_coordinates(R, mixture.local_coordinates(X))
            G = U @ align_charts(U, reconstruction_form(U, X, self.n_neighbors), self.n_components)[1]
            self._require_components(G.shape[1], X)
        else:
            G = self._given_init(X, self.n_components)
        G = G / G.std(axis=0)
        return Places(R, G, np.tile(0.05 * np.atleast_2d(np.cov(G.T)), (len(X), 1, 1)))

    def _charts(self):
        parts = self.weights_, self.centers_, self.spreads_, self.means_, self.loadings_, self.noise_variances_
        return [Chart(*part) for part in zip(*parts, strict=True)]

    def _log_joint(self, X):
        return _votes(X, self._charts()).log_joint

    def _place(self, X):
        votes = _votes(X, self._charts())
        return np.einsum("ns,nsi->ni", responsibilities(votes.log_joint)[0], votes.places)  # (coordination-place)

    def _rebuild(self, Y):
        charts = self._charts()
        shares = responsibilities(np.column_stack([_log_density_of_place(Y, chart) for chart in charts]))[0]
        expected = [chart.mean + (Y - chart.center) @ chart.loadings.T for chart in charts]
        return np.einsum("ns,nsj->nj", shares, np.stack(expected, axis=1))

    def _draw(self, n, generator):
        s = generator.choice(len(self.weights_), n, p=self.weights_)
        steps = np.linalg.cholesky(self.spreads_)[s] @ generator.standard_normal((n, self.spreads_.shape[1], 1))
        noise = generator.standard_normal((n, self.means_.shape[1])) * np.sqrt(self.noise_variances_[s])
        return self.means_[s] + (self.loadings_[s] @ steps)[:, :, 0] + noise


def _votes(X, charts):
    """Each chart by itself: a posterior of g for every point."""
    log_joint, places, precisions = [], [], []
    for p, center, spread, mean, B, noise in charts:
        scaled = B / noise[:, np.newaxis]
        precision = linalg.inv(spread) + B.T @ scaled
        places.append(center + linalg.solve(precision, scaled.T @ (X - mean).T, assume_a="pos").T)
        log_joint.append(np.log(p) + log_density(X, mean, B @ linalg.cholesky(spread, lower=True), noise))
        precisions.append(precision)
    return Votes(np.column_stack(log_joint), np.stack(places, axis=1), np.array(precisions))


def _agreement(votes, places, n_rounds=20):
    """E: places that raise Φ for given votes, from given ones, and Φ."""
    for _ in range(n_rounds):
        before = places.means
        R = responsibilities(_expected_log_joint(votes, places))[0]
        V = np.linalg.inv(np.einsum("ns,sij->nij", R, votes.precisions))
        weighted = np.einsum("ns,sij,nsj->ni", R, votes.precisions, votes.places)
        places = Places(R, np.einsum("nij,nj->ni", V, weighted), V)  # (coordination-vote)
        if np.abs(places.means - before).max() < 1e-9:
            break
    R, d = places.shares, places.means.shape[1]
    entropies = 0.5 * (d * (1 + np.log(2 * np.pi)) + np.linalg.slogdet(places.covariances)[1])
    log_R = np.log(np.maximum(R, np.finfo(float).tiny))
    return places, np.sum(entropies) + np.sum(R * (_expected_log_joint(votes, places) - log_R))  # (coordination-bound)


def _expected_log_joint(votes, places):
    """E_Q log p(g, s, x), (n, S): high where a chart's vote agrees with the place of the point."""
    away = places.means[:, np.newaxis] - votes.places
    quadratic = np.einsum("nsi,sij,nsj->ns", away, votes.precisions, away)
    spread = np.einsum("sij,nji->ns", votes.precisions, places.covariances)
    log_dets = np.linalg.slogdet(votes.precisions)[1] - places.means.shape[1] * np.log(2 * np.pi)
    return votes.log_joint + 0.5 * (log_dets - quadratic - spread)


def _regressions(X, places, least):
    """M: charts from the moments of the coordinates, and the regression of the points on them."""
    charts, sizes = [], places.shares.sum(axis=0) + 10 * np.finfo(float).eps
    for size, shares in zip(sizes, (places.shares / sizes).T, strict=True):
        center, mean = shares @ places.means, shares @ X
        steps, deviations = places.means - center, X - mean
        spread = (steps.T * shares) @ steps + np.tensordot(shares, places.covariances, axes=1)
        cross = (deviations.T * shares) @ steps
        B = linalg.solve(spread, cross.T, assume_a="pos").T  # (coordination-regression)
        noise = np.maximum(shares @ deviations**2 - np.sum(B * cross, axis=1), least)
        charts.append(Chart(size / sizes.sum(), center, spread, mean, B, noise))
    return charts


def _log_density_of_place(Y, chart):
    """log p(s, g), but for a constant, of coordinates g, the rows of Y."""
    scaled = linalg.solve_triangular(linalg.cholesky(chart.spread, lower=True), (Y - chart.center).T, lower=True)
    return np.log(chart.weight) - 0.5 * (np.linalg.slogdet(chart.spread)[1] + np.sum(scaled**2, axis=0))
