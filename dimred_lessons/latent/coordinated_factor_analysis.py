"""Coordinated factor analysis: charts that share their coordinates, fitted together."""

from functools import partial

import numpy as np
from scipy import linalg
from sklearn.base import clone

from dimred_lessons.charts import align_charts, chart_coordinates, check_charts, reconstruction_form
from dimred_lessons.gaussians import em, log_density, responsibilities
from dimred_lessons.latent.base import MixtureModel
from dimred_lessons.parameters import check_integer, check_number, check_points


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
        Dimension of g; None for that of ``start``, or for all that the charts can give.
    start : array of shape (n_samples, n_components) or None, default None
        Coordinates to start from, such as those of a spectral method; None for those of `AlignedMixture`.
    n_neighbors : int, default 12
        k of `AlignedMixture`.
    min_noise : float below 1, default 1e-4
        Smallest noise variance, as a share of the mean variance of the columns.
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
    objectives_, log_likelihoods_ : arrays of shape (n_iter_,)
        Φ, which never falls, and the log-likelihood of the training points above it, at each step.
    embedding_ : array of shape (n_samples, n_components)
        Posterior means of g.
    n_iter_ : int
    n_features_in_ : int, how many columns ``fit`` saw

    Raises
    ------
    ValueError
        In ``fit``, if ``start`` does not have a row for each point and a column for each component, or the mixture
        refuses the points.

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
        "start": partial(check_points, none="for those of an aligned mixture"),
        "n_neighbors": check_integer,
        "min_noise": partial(check_number, below=1),
        "tol": partial(check_number, zero=True),
        "max_iter": check_integer,
    }

    def __init__(self, mixture, n_components=2, start=None, n_neighbors=12, min_noise=1e-4, tol=1e-6, max_iter=50):
        self.mixture = mixture
        self.n_components = n_components
        self.start = start
        self.n_neighbors = n_neighbors
        self.min_noise = min_noise
        self.tol = tol
        self.max_iter = max_iter

    def _embed(self, X):
        # 1. Start: coordinates of the points, and the charts that they belong to
        G, R = self._start(X)
        d, least = G.shape[1], self.min_noise * np.mean(np.var(X, axis=0))
        V = np.tile(0.05 * np.cov(G.T).reshape(d, d), (len(X), 1, 1))
        values = []

        def step(parameters):
            G, V, charts = parameters
            # 2. E: each chart votes for the place of a point; its vote is weighted by its precision
            joint, votes, precisions = _votes(X, charts)
            values.append(responsibilities(joint)[1].sum())
            R, G, V, objective = _agreement(joint, votes, precisions, G, V)
            # 3. M: every chart regresses its points on their coordinates
            return (G, V, _regressions(X, G, V, R, least)), objective

        # 4. Repeat until Φ no longer rises
        start = G, V, _regressions(X, G, V, R, least)
        (_, _, charts), self.objectives_ = em(step, start, self.tol, self.max_iter, X.size)
        self.log_likelihoods_, self.n_iter_ = np.array(values), len(values)
        parts = [np.array(part) for part in zip(*charts, strict=True)]
        self.weights_, self.centers_, self.spreads_, self.means_, self.loadings_, self.noise_variances_ = parts
        return self._place(X)

    def _start(self, X):
        mixture = clone(self.mixture).fit(X)
        R = mixture.responsibilities(X)
        if self.start is None:
            U = chart_coordinates(R, mixture.local_coordinates(X))
            G = U @ align_charts(U, reconstruction_form(U, X, self.n_neighbors), self.n_components)[1]
            self._require_components(G.shape[1], X)
        else:
            G = self._given_start(X, self.n_components)
        return G / G.std(axis=0), R

    def _charts(self):
        parts = self.weights_, self.centers_, self.spreads_, self.means_, self.loadings_, self.noise_variances_
        return list(zip(*parts, strict=True))

    def _log_joint(self, X):
        return _votes(X, self._charts())[0]

    def _place(self, X):
        joint, votes, _ = _votes(X, self._charts())
        return np.einsum("ns,nsi->ni", responsibilities(joint)[0], votes)  # (coordination-place)

    def _rebuild(self, Y):
        log_joint = np.empty((len(Y), len(self.weights_)))
        expected = np.empty((len(Y), *self.means_.shape))
        for s, (weight, center, spread, mean, B, _) in enumerate(self._charts()):
            lengths = linalg.solve_triangular(linalg.cholesky(spread, lower=True), (Y - center).T, lower=True)
            log_joint[:, s] = np.log(weight) - 0.5 * (np.linalg.slogdet(spread)[1] + np.sum(lengths**2, axis=0))
            expected[:, s] = mean + (Y - center) @ B.T
        return np.einsum("ns,nsj->nj", responsibilities(log_joint)[0], expected)

    def _draw(self, n, generator):
        s = generator.choice(len(self.weights_), n, p=self.weights_)
        steps = np.linalg.cholesky(self.spreads_)[s] @ generator.standard_normal((n, self.spreads_.shape[1], 1))
        noise = generator.standard_normal((n, self.means_.shape[1])) * np.sqrt(self.noise_variances_[s])
        return self.means_[s] + (self.loadings_[s] @ steps)[:, :, 0] + noise


def _votes(X, charts):
    """log p(s, x) (n, S), the mean of g given each point and chart (n, S, d), and its precision (S, d, d)."""
    joint, votes, precisions = [], [], []
    for weight, center, spread, mean, B, noise in charts:
        scaled = B / noise[:, np.newaxis]
        precision = linalg.inv(spread) + B.T @ scaled
        votes.append(center + linalg.solve(precision, scaled.T @ (X - mean).T, assume_a="pos").T)
        joint.append(np.log(weight) + log_density(X, mean, B @ linalg.cholesky(spread, lower=True), noise))
        precisions.append(precision)
    return np.column_stack(joint), np.stack(votes, axis=1), np.array(precisions)


def _agreement(joint, votes, precisions, G, V, n_rounds=20):
    """Raise Φ over Q: probabilities of the charts R (n, S), means G (n, d) and covariances V (n, d, d); and Φ."""
    d = G.shape[1]
    log_dets = np.linalg.slogdet(precisions)[1] - d * np.log(2 * np.pi)
    for _ in range(n_rounds):
        before = G
        R = responsibilities(_energies(joint, votes, precisions, log_dets, G, V))[0]
        V = np.linalg.inv(np.einsum("ns,sij->nij", R, precisions))
        G = np.einsum("nij,nj->ni", V, np.einsum("ns,sij,nsj->ni", R, precisions, votes))  # (coordination-vote)
        if np.abs(G - before).max() < 1e-9:
            break
    energies = _energies(joint, votes, precisions, log_dets, G, V)
    entropies = 0.5 * (d * (1 + np.log(2 * np.pi)) + np.linalg.slogdet(V)[1])
    log_R = np.log(np.maximum(R, np.finfo(float).tiny))
    return R, G, V, np.sum(entropies) + np.sum(R * (energies - log_R))  # (coordination-bound)


def _energies(joint, votes, precisions, log_dets, G, V):
    """E_Q log p(g, s, x), (n, S): high where a chart's vote agrees with the place of the point."""
    away = G[:, np.newaxis] - votes
    quadratic = np.einsum("nsi,sij,nsj->ns", away, precisions, away)
    return joint + 0.5 * (log_dets - quadratic - np.einsum("sij,nji->ns", precisions, V))


def _regressions(X, G, V, R, least):
    """Charts (p, κ, Ω, μ, B, ψ): moments of the coordinates, and the regression of the points on them."""
    charts, sizes = [], R.sum(axis=0) + 10 * np.finfo(float).eps
    for size, shares in zip(sizes, (R / sizes).T, strict=True):
        center, mean = shares @ G, shares @ X
        steps, deviations = G - center, X - mean
        spread = (steps.T * shares) @ steps + np.tensordot(shares, V, axes=1)
        cross = (deviations.T * shares) @ steps
        B = linalg.solve(spread, cross.T, assume_a="pos").T
        noise = np.maximum(shares @ deviations**2 - np.sum(B * cross, axis=1), least)
        charts.append((size / sizes.sum(), center, spread, mean, B, noise))
    return charts
