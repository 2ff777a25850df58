"""Tables of which we know what is in them: nothing, in many disguises, or one kind of structure."""

import numpy as np
import pandas as pd

# ---------------------------------------------------------------------------------------------------------
# Independent columns


def _one_hot(rng, n=200):
    numbers = {f"x{j}": rng.normal(size=n) for j in range(4)}
    return pd.DataFrame(numbers | {f"c{j}": rng.choice(list("abcd")[: 2 + j], n) for j in range(3)})


def _mixed_units(rng, n=150):
    return rng.normal(size=(n, 8)) * 10.0 ** rng.integers(-4, 5, 8) + 10.0 ** rng.integers(-4, 5, 8)


def _far_row(rng, n=150):
    X = rng.normal(size=(n, rng.integers(3, 12)))
    X[rng.integers(n)] = 50
    return X


def _holes(rng, n=150):
    X = rng.normal(size=(n, 6))
    X[rng.random(X.shape) < 0.2] = np.nan
    return X


def _holes_together(rng, n=150):
    X = rng.normal(size=(n, 6))
    X[: n // 3, :3] = np.nan
    return X


def _copied_rows(rng, n=120):
    X = rng.normal(size=(n, 6))
    return rng.permutation(np.vstack([X, X[: n // 4]]))


def _copied_columns(rng, n=150):
    X = rng.normal(size=(n, 5))
    return np.hstack([X, 2.54 * X[:, :2] + 1])


def _blocks(rng, n=150):
    columns = {f"c{j}": rng.choice(list("abcdef")[: 3 + j], n, p=rng.dirichlet(np.ones(3 + j))) for j in range(4)}
    return pd.DataFrame(columns)


NO_STRUCTURE = {
    "normal": lambda rng: rng.normal(size=(rng.integers(60, 800), rng.integers(3, 60))),
    "uniform": lambda rng: rng.uniform(size=(rng.integers(60, 400), rng.integers(3, 20))),
    "t with 3 degrees of freedom": lambda rng: rng.standard_t(3, size=(200, 10)),
    "Cauchy": lambda rng: rng.standard_cauchy(size=(200, 8)),
    "log-normal": lambda rng: np.exp(2 * rng.normal(size=(200, 6))),
    "1 to 5": lambda rng: rng.integers(1, 6, size=(200, 8)),
    "0 and 1": lambda rng: rng.integers(0, 2, size=(200, 8)),
    "Poisson": lambda rng: rng.poisson(2, size=(200, 6)),
    "mixed units": _mixed_units,
    "numbers and categories": _one_hot,
    "categories": _blocks,
    "one far row": _far_row,
    "holes at random": _holes,
    "holes together": _holes_together,
    "copied rows": _copied_rows,
    "copied columns": _copied_columns,
    "few rows": lambda rng: rng.normal(size=(rng.integers(8, 30), rng.integers(3, 12))),
}

# ---------------------------------------------------------------------------------------------------------
# One kind of structure: how to make it with n rows, and the right end


def _plane(rng, n):
    basis = np.linalg.qr(rng.normal(size=(10, 2)))[0].T
    return np.sqrt(10) * rng.normal(size=(n, 2)) @ basis + 0.3 * rng.normal(size=(n, 10))


def _two_factors(rng, n):
    factors = np.repeat(rng.normal(size=(n, 2)), 3, axis=1) + 0.5 * rng.normal(size=(n, 6))
    return np.hstack([factors, rng.normal(size=(n, 20))])


def _curve(rng, n):
    t = rng.uniform(-1, 1, n)
    X = np.stack([t, 2 * t**2, np.sin(3 * t), np.cos(2 * t)], axis=1)
    return X + 0.02 * rng.normal(size=X.shape)


def _roll(rng, n):
    t, height = 1.5 * np.pi * (1 + 2 * rng.random(n)), 21 * rng.random(n)
    return np.stack([t * np.cos(t), height, t * np.sin(t)], axis=1)


def _three_groups(rng, n, spreads=(1, 1, 1)):
    centers = 2 * np.array([[0, 0, 0, 0], [4, 0, 4, 0], [2, 4, 0, 4]])
    label = rng.integers(0, 3, n)
    return centers[label] + rng.normal(size=(n, 4)) * np.array(spreads)[label, np.newaxis]


def _mixed_types(rng, n):
    factor = rng.normal(size=n)
    cut = np.digitize(factor + 0.5 * rng.normal(size=n), [-0.7, 0.7])
    return pd.DataFrame(
        {f"x{j}": factor + 0.7 * rng.normal(size=n) for j in range(4)}
        | {"level": np.array(["low", "medium", "high"])[cut], "color": rng.choice(["red", "blue", "green"], n)}
    )


def _plane_with_far_row(rng, n):
    X = _plane(rng, n)
    X[rng.integers(n)] = 40
    return X


def _plane_with_holes(rng, n):
    X = _plane(rng, n)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


KNOWN = {  # with the kind, and the number of components, if it has one
    "plane": (_plane, "linear", 2),
    "two factors among noise": (_two_factors, "linear", 2),
    "curve": (_curve, "curved", None),
    "roll": (_roll, "curved", None),
    "three groups": (_three_groups, "groups", 3),
    "three groups of different spread": (lambda rng, n: _three_groups(rng, n, (0.3, 1, 2)), "groups", 3),
    "mixed types": (_mixed_types, "linear", 1),
    "plane with a far row": (_plane_with_far_row, "linear", 2),
    "plane with holes": (_plane_with_holes, "linear", 2),
}


def right(examination, kind, count):
    """Whether an examination ends where it should."""
    if examination.kind != kind:
        return False
    if kind == "groups":
        return len(examination.groups.sizes) == count
    return count is None or examination.chance.n_components == count
