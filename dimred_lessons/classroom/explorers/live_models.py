"""Live figures of mixtures, sources, random directions and curves where nothing moves."""

import warnings

import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from dimred_lessons import ICA, PCA, PrincipalCurve
from dimred_lessons.classroom.explorers.live_parts import GRAY, Figure, counted, fixed
from dimred_lessons.classroom.metrics import axis_correlations
from dimred_lessons.classroom.palette import CATEGORIES
from dimred_lessons.directions.random_projection import johnson_lindenstrauss_dimension
from dimred_lessons.distances import require_distinct, squared_distances
from dimred_lessons.gaussians import log_density, principal_factors, responsibilities

# --- EM for two Gaussians, from where the first two points stand

_GROUPS = {"first": CATEGORIES[0], "second": CATEGORIES[5], "likelihood": CATEGORIES[3], "axis": GRAY}
_LAST = 300  # steps, after which hardly anything moves
_THINNEST = 1e-3  # variance in any direction, as a share of that of the points
_TINY = 1e-300  # share of a Gaussian that gets no point


def _em_path(X, steps):
    """Weights, and charts (mean, loadings, noise) of both Gaussians, shares and mean log-likelihood, for each step."""
    starts, X = X[:2], X[2:]
    require_distinct(len(X), X != X[:1])
    variance = X.var(axis=0).mean()
    weights, charts = np.full(2, 0.5), [(start, np.zeros((2, 1)), np.full(2, variance)) for start in starts]
    for _ in range(steps + 1):
        log_joint = np.column_stack([log_density(X, *chart) for chart in charts]) + np.log(weights)
        R, log_densities = responsibilities(log_joint)  # (mfa-responsibilities)
        yield charts, R, log_densities.mean()
        sizes = np.maximum(R.sum(axis=0), _TINY)
        weights, charts = sizes / len(X), [_chart(X, share, _THINNEST * variance) for share in (R / sizes).T]


def _chart(X, share, least):
    """The likeliest Gaussian for points with weights of sum 1, no variance below the least."""
    mean = share @ X
    variances, V = np.linalg.eigh(((X - mean).T * share) @ (X - mean))
    B, noise = principal_factors(np.maximum(variances[::-1], 0), V[:, ::-1], 1, least)
    return mean, B, np.full(2, noise)


def _draw_mixture(ax, X, steps):
    path = list(_em_path(X, steps))
    charts = path[-1][0]
    circle = np.stack([np.cos(t := np.linspace(0, 2 * np.pi, 97)), np.sin(t)])
    for s, color in enumerate([_GROUPS["first"], _GROUPS["second"]]):
        mean, B, noise = charts[s]
        root = np.linalg.cholesky(B @ B.T + np.diag(noise))
        for size in (1, 2):
            ax.plot(*(mean[:, np.newaxis] + size * root @ circle), color=color, linewidth=1.5)
        ax.plot(*np.transpose([charts[s][0] for charts, _, _ in path]), color=color, linestyle=":")
        ax.scatter(*X[s], s=80, color=color, zorder=2)


def _draw_likelihoods(ax, X, steps):
    values = [value for _, _, value in _em_path(X, _LAST)]
    ax.plot(np.log1p(np.arange(_LAST + 1)), values, color=_GROUPS["likelihood"])
    ax.plot(np.log1p(steps), values[steps], "o", color=_GROUPS["likelihood"])
    shown, ends = [0, 10, _LAST], [values[0], values[-1]]
    ax.set_xticks(np.log1p(shown), shown)
    ax.set_yticks(ends, [fixed(value) for value in ends])
    ax.set(title="log-likelihood of a point", xlabel="step")


def _shades_mixture(X, steps):
    *_, (_, R, _) = _em_path(X, steps)
    return np.concatenate([[0, 1], R[:, 1]])


def _say_mixture(X, steps):
    values = [value for _, _, value in _em_path(X, _LAST)]
    return (
        f"After {counted(steps, 'step')} the log-likelihood of a point is {fixed(values[steps])}; "
        f"it ends at {fixed(values[-1])}."
    )


# --- ICA of two sounds, mixed by the two points

_SOUNDS = {"string": CATEGORIES[0], "bell": CATEGORIES[5], "instants": GRAY}
_SECONDS, _INSTANTS = 2, 400
_GOLDEN = 0.6180339887498949


def _two_sounds():
    """A plucked string and a bell at the instants of the page, (n, 2)."""
    t = _SECONDS * (_GOLDEN * np.arange(_INSTANTS) % 1)
    string = np.exp(-7 * (t % 0.5)) * np.sin(2 * np.pi * 196 * t)
    bell = np.exp(-9 * ((t + 0.2) % 0.4)) * np.sin(2 * np.pi * 311 * t)
    return np.column_stack([string, bell])


def _draw_sounds(ax, X, _):
    ax.scatter(*(_two_sounds() @ X).T, s=2, color=_SOUNDS["instants"])  # (ica-model)
    for tip, color in zip(X, [_SOUNDS["string"], _SOUNDS["bell"]]):
        ax.plot(*np.stack([0 * tip, tip]).T, color=color, linewidth=2)
        ax.scatter(*tip, s=80, color=color, zorder=2)


def _draw_unmixed(ax, X, _):
    ax.scatter(*ICA().fit_transform(_two_sounds() @ X).T, s=2, color=_SOUNDS["instants"])
    ax.set(title="unmixed by ICA", xticks=[], yticks=[], aspect="equal")


def _say_sounds(X, _):
    sounds = _two_sounds()
    mixtures = sounds @ X[:2]
    found, pca = (
        axis_correlations(model.fit_transform(mixtures), sounds).max(axis=0) for model in (ICA(2, tol=1e-10), PCA(2))
    )
    return (
        f"ICA finds the two sounds with correlations of {fixed(found[0])} and {fixed(found[1])}, "
        f"PCA with {fixed(pca[0])} and {fixed(pca[1])}."
    )


# --- Random projections of a plane

_PAIRS = {
    "directions": GRAY,
    "shrunk": CATEGORIES[2],
    "stretched": CATEGORIES[5],
    "pairs": CATEGORIES[0],
    "promise": CATEGORIES[5],
}
_ERROR = 0.3  # that the lemma of Johnson and Lindenstrauss is asked for


def _normals(count):
    """Standard normal numbers (Box and Muller) from a congruence (Park and Miller): the first draw of the page."""
    state, uniform = 1, []
    for _ in range(10 + count + count % 2):
        state = 16807 * state % (2**31 - 1)
        uniform.append(state / (2**31 - 1))
    radius, angle = np.sqrt(-2 * np.log(uniform[10::2])), 2 * np.pi * np.array(uniform[11::2])
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]).ravel()[:count]


def _projected_pairs(X, d):
    """The d directions, and the pairs of points that are apart with the ratios of their squared distances."""
    before = squared_distances(X)
    require_distinct(len(X), before)
    R = _normals(2 * d).reshape(d, 2) / np.sqrt(d)  # (rp-gaussian)
    after = squared_distances(X @ R.T)
    i, j = np.nonzero(np.tril(before))
    return R, np.stack([i, j], axis=1), after[i, j] / before[i, j]


def _draw_directions(ax, X, d):
    R, pairs, ratios = _projected_pairs(X, d)
    for row in R[:60]:
        ax.axline((X.min(axis=0) + X.max(axis=0)) / 2, slope=row[1] / row[0], color=_PAIRS["directions"], linewidth=0.5)
    for color, pair in [("shrunk", pairs[ratios.argmin()]), ("stretched", pairs[ratios.argmax()])]:
        ax.plot(*X[pair].T, color=_PAIRS[color], linewidth=2)


def _draw_ratios(ax, X, d):
    ratios = _projected_pairs(X, d)[2]
    ax.hist(np.minimum(ratios, 2.49), bins=np.linspace(0, 2.5, 26), color=_PAIRS["pairs"])
    for end in (1 - _ERROR, 1 + _ERROR):
        ax.axvline(end, color=_PAIRS["promise"], linestyle="--")
    ax.set(title="squared distances, after / before", xticks=[0, 1, 2], yticks=[])


def _say_ratios(X, d):
    ratios = _projected_pairs(X, d)[2]
    needed = johnson_lindenstrauss_dimension(len(X), _ERROR)
    return (
        f"Squared distances become {fixed(ratios.min())} to {fixed(ratios.max())} times what they were, "
        f"{np.abs(ratios - 1).mean():.1%} off on average; "
        f"for any {len(X)} points, {needed} directions promise 0.70 to 1.30."
    )


# --- A principal curve, step by step

_CURVE = {"curve": CATEGORIES[5], "misses": GRAY}


def _curve(X, steps):
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # it may use all its steps
        return PrincipalCurve(span=0.3, max_iter=steps, tol=1e-300).fit(X)


def _draw_curve(ax, X, steps):
    curve = _curve(X, steps)
    feet = curve.inverse_transform(curve.embedding_)
    ax.plot(*np.stack([X, feet], axis=1).transpose(2, 1, 0), color=_CURVE["misses"], linewidth=0.8)
    ax.plot(*curve.nodes_.T, color=_CURVE["curve"], linewidth=2)


def _say_curve(X, steps):
    curve = _curve(X, steps)
    missed, length = np.sqrt(curve.objective_path_[-1]), np.ptp(curve.embedding_)
    return f"After {counted(steps, 'step')} the points are {fixed(missed)} away from a curve of length {fixed(length)}."


def _between(one, other, colors):
    return LinearSegmentedColormap.from_list("between", [colors[one], colors[other]])


FIGURES = {
    "mixture": Figure(
        _draw_mixture,
        _say_mixture,
        _GROUPS,
        4,
        "steps",
        beside=_draw_likelihoods,
        shades=_shades_mixture,
        cmap=_between("first", "second", _GROUPS),
    ),
    "ICA": Figure(
        _draw_sounds,
        _say_sounds,
        _SOUNDS,
        2,
        beside=_draw_unmixed,
        shades=lambda X, _: np.array([0, 1]),
        cmap=_between("string", "bell", _SOUNDS),
        most=2,
        box=[-1.7, 1.7, -1.7, 1.7],
    ),
    "random projection": Figure(_draw_directions, _say_ratios, _PAIRS, 3, "d", beside=_draw_ratios),
    "principal curve": Figure(
        _draw_curve, _say_curve, _CURVE, 4, "steps", shades=lambda X, steps: _curve(X, steps).embedding_[:, 0]
    ),
}
