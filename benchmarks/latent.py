"""Rows of the table for the latent methods and for directions: as in `run`, ours and the peers that do the same.

The last column holds
- the mean log-likelihood of a point less the peer's, for densities and for independent components;
- the error of the missing entries relative to the peer's;
- the largest relative error of a squared distance, for random projections;
- the mean square distance of the points from the sheet relative to the peer's, for GTM.
"""

import importlib
import warnings

import numpy as np
from scipy.spatial.distance import cdist, pdist
from sklearn import decomposition, mixture, random_projection

from dimred_lessons import (
    GTM,
    ICA,
    FactorAnalysis,
    MixtureOfFactorAnalyzers,
    ProbabilisticPCA,
    RandomProjection,
)
from dimred_lessons.classroom.datasets import digits, s_curve, swiss_roll

NOT_INSTALLED = []


def optional(module, package=None):
    """A module that is compared if it is installed; None if not."""
    try:
        return importlib.import_module(module)
    except ImportError:
        NOT_INSTALLED.append(package or module)
        return None


picard, ppca, pyppca, ugtm = optional("picard", "python-picard"), optional("ppca"), optional("pyppca"), optional("ugtm")


def varying_digits(n=1797):
    """Digits without the columns that hardly vary."""
    X = digits()[0]
    return X[:n, X.std(axis=0) > 0.3]


def likelier(X):
    """Mean log-likelihood of the points by our model, less that by the peer's."""
    return lambda ours, peer: float(ours.score(X) - peer.score(X))


def quietly(fit):
    """A fit that is stopped on purpose after a number of steps warns of that."""

    def work(X):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fit(X)

    return work


def factor_analysis(d=10):
    X = varying_digits()
    peers = {
        "scikit-learn, tol 1e-6": decomposition.FactorAnalysis(d, tol=1e-6, max_iter=5000, svd_method="lapack").fit,
        "scikit-learn, default": decomposition.FactorAnalysis(d, random_state=0).fit,
    }
    return FactorAnalysis(d).fit, peers, X, 3, likelier(X)


def probabilistic_pca(n=1797, d=10):
    X = varying_digits(n)
    peers = {"scikit-learn": decomposition.PCA(d, svd_solver="full").fit}
    return ProbabilisticPCA(d).fit, peers, X, 15, likelier(X)


def holes(n=600, d=10, share=0.2):
    """Each stops by its own rule; the errors show that none of them stops early."""
    X = varying_digits(n)
    missing = np.random.default_rng(0).random(X.shape) < share

    def error(completed):
        return np.sqrt(np.mean((completed - X)[missing] ** 2))

    def ours(holey):
        method = ProbabilisticPCA(d, tol=1e-4).fit(holey)
        return method.inverse_transform(method.embedding_)

    def by_ppca(holey):
        peer = ppca.PPCA()
        peer.fit(data=holey.copy(), d=d, tol=1e-6, min_obs=1)
        return peer.transform() @ peer.C.T * peer.stds + peer.means

    peers = {"ppca": by_ppca} if ppca else {}
    if pyppca:
        peers["pyppca"] = lambda holey: pyppca.ppca(holey.copy(), d, False)[-1]
    return ours, peers, np.where(missing, np.nan, X), 9, lambda Y, Z=X: float(error(Y) / error(Z))


def independent_components(n=5000, d=6):
    rng = np.random.default_rng(0)
    X = rng.laplace(size=(n, d)) @ rng.standard_normal((d, d))

    def value(W):
        """Mean log-likelihood of a point, each source scaled as the likelihood requires: E tanh(y) y = 1."""
        Y = (X - X.mean(axis=0)) @ W.T
        scales = np.ones(d)
        for _ in range(100):
            scales /= np.sqrt(np.mean(np.tanh(scales * Y) * scales * Y, axis=0))
        Y, W = scales * Y, scales[:, np.newaxis] * W
        return np.linalg.slogdet(W)[1] - np.mean(np.sum(np.log(np.cosh(Y)), axis=1)) - d * np.log(np.pi)

    def by_picard(X):
        K, W, _ = picard.picard(X.T, ortho=False, fun="tanh", extended=False, random_state=0, tol=1e-7, max_iter=500)
        return W @ K

    fast = decomposition.FastICA(fun="logcosh", random_state=0, tol=1e-6, max_iter=1000, whiten="unit-variance")
    peers = {"picard": by_picard} if picard else {}
    peers["scikit-learn"] = lambda X: fast.fit(X).components_
    return (lambda X: ICA().fit(X).components_), peers, X, 9, lambda W, V: float(value(W) - value(V))


def random_projections(kind, n=2000, D=10_000, d=500):
    X = np.random.default_rng(0).standard_normal((n, D))
    laws = {
        "gaussian": "GaussianRandomProjection",
        "sparse": "SparseRandomProjection",
        "fast": "SparseRandomProjection",
    }
    peer = getattr(random_projection, laws[kind])(d, random_state=0)
    distances = pdist(X[:100], "sqeuclidean")

    def distortion(Y, _):
        return float(np.abs(pdist(Y[:100], "sqeuclidean") / distances - 1).max())

    name = "scikit-learn" if kind == "gaussian" else "scikit-learn, sparse"
    return RandomProjection(d, kind=kind).fit_transform, {name: peer.fit_transform}, X, 5, distortion


def mixtures(X, noise, n_mixtures, d, n_steps, min_noise=1e-3):
    """As many steps of EM each, from clusters of k-means."""
    ours = MixtureOfFactorAnalyzers(
        n_mixtures, n_components=d, noise=noise, min_noise=min_noise, tol=0, max_iter=n_steps
    )
    peer = mixture.GaussianMixture(n_mixtures, tol=0, max_iter=n_steps, reg_covar=min_noise, random_state=0)
    return quietly(ours.fit), {"scikit-learn, full": quietly(peer.fit)}, X, 5, likelier(X)


def topographic_mapping(n=500, n_steps=30):
    """As many steps of EM each; the widths of the functions are not comparable."""
    X = s_curve(n, noise=0.05)[0]
    X = (X - X.mean(axis=0)) / X.std()
    method = GTM(grid=12, n_centers=5, tol=0, max_iter=n_steps)

    def ours(X):
        fitted = method.fit(X)
        return fitted.inverse_transform(fitted.nodes_)

    def distance(sheet):
        return np.mean(cdist(X, sheet).min(axis=1) ** 2)

    peers = {}
    if ugtm:
        peers["ugtm"] = lambda X: ugtm.runGTM(X, k=12, m=5, s=0.3, regul=0.001, niter=n_steps).matY.T
    return quietly(ours), peers, X, 5, lambda Y, Z=None: float(distance(Y) / (1 if Z is None else distance(Z)))


BENCHMARKS = {
    "factor analysis, digits, d = 10": factor_analysis,
    "probabilistic PCA, digits, d = 10": probabilistic_pca,
    "probabilistic PCA, digits, 20% holes": holes,
    "ICA, n = 5000, six sources": independent_components,
    **{
        f"random projection, {kind}, 2000 × 10,000": lambda kind=kind: random_projections(kind)
        for kind in ("gaussian", "sparse", "fast")
    },
    "mixture of PPCA, roll, S = 6, 60 steps": lambda: mixtures(swiss_roll(1000)[0], "isotropic", 6, 2, 60),
    "mixture of FA, digits, S = 10, 20 steps": lambda: mixtures(varying_digits(), "diagonal", 10, 5, 20, 1e-2),
    "GTM, S-curve, n = 500, 30 steps": topographic_mapping,
}
