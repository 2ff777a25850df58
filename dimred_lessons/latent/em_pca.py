"""EM for PCA: two regressions in turn, which also work where entries are missing."""

from functools import partial

import numpy as np
from scipy import linalg
from sklearn.utils import check_random_state

from dimred_lessons.eigenpairs import thin_svd
from dimred_lessons.gaussians import center_seen, em, find_holes, posterior, regress_on_factors
from dimred_lessons.latent.base import LatentModel
from dimred_lessons.parameters import check_integer, check_number, check_option, check_seed

# Squares of a column that are this much larger than those of another one, on average, are in a larger unit.
_LARGE_UNIT = 1e4
# Up to this factor, squares of columns are alike: their sum is what the gain of a step is compared with.
_ALIKE = 10
# Where nothing is left over, what is computed of it is rounding, whose squares are this share of those of the points.
_LEFT_BY_ROUNDING = 1e-16


class EMPCA(LatentModel):
    """Find the principal subspace by regressing the points on their coordinates, and the coordinates on the basis.

    Minimizes the squared error Σ (x_ij − mean_j − c_jᵀz_i)² over the entries that are seen, with a basis C (D, d) that
    need not be orthonormal. For complete points a step multiplies the subspace by S_n: it is orthogonal iteration,
    and converges by the factor α_{d+1}/α_d per step. PCA then finds the components within the subspace.

    Parameters
    ----------
    n_components : int or None, default 2
        d, at most the rank of the centered data; None for the rank.
    missing : "least-squares" or "complete", default "least-squares"
        How a step finds the basis where entries are missing (NaN): each column from the rows that have it, or
        from all rows, with the holes filled in by the last fit (Roweis). Both lower the same error.
    max_iter : int, default 1000
    tol : float, default 1e-10
        The iteration stops when a step lowers the error by less than this share of the squared deviations from the
        mean, of which columns in a large unit count as ten times the median one, and all as 10⁴ times the smallest.
    random_state : int, RandomState or None, default 0
        Draws the basis that the iteration starts from. With missing entries some starts diverge: compare the last
        of ``objective_path_`` for several.

    Attributes
    ----------
    mean_ : array of shape (n_features,)
    basis_ : array of shape (n_features, n_components)
        C where the iteration ended: it spans the subspace, but its columns are not the components.
    components_ : array of shape (n_components, n_features)
        Orthonormal principal directions within the subspace, as rows.
    objective_path_ : array of shape (n_iter_,)
        Squared error of the seen entries before each step; it never rises.
    embedding_ : array of shape (n_samples, n_components)
        The scores, in the unit of the data; those of PCA if no entry is missing.
    n_iter_ : int
    n_components_ : int
        d, the number of columns of Y.
    n_features_in_ : int
        How many columns ``fit`` saw.

    Raises
    ------
    ValueError
        In ``fit``, if ``n_components`` is above the rank, rows or columns have too few entries, or columns differ so
        much in size that rounding hides the components; in ``transform``, if a row has fewer than d.

    Warns
    -----
    UserWarning
        If ``max_iter`` steps were too few.

    References
    ----------
    Algorithm alg-em-pca; sources R-27 to R-30; Roweis (1998).

    Examples
    --------
    Points of a plane in ten dimensions, with a tenth of their entries missing, are filled in:

    >>> import numpy as np
    >>> from dimred_lessons import EMPCA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 2)) @ rng.standard_normal((2, 10))
    >>> em = EMPCA(n_components=2).fit(np.where(rng.random(X.shape) < 0.1, np.nan, X))
    >>> bool(np.allclose(em.inverse_transform(em.embedding_), X, atol=1e-3))
    True
    """

    _parameters = {
        "missing": partial(check_option, options=("least-squares", "complete")),
        "max_iter": check_integer,
        "tol": partial(check_number, zero=True),
        "random_state": check_seed,
    }
    _missing = "entries"

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        missing: str = "least-squares",
        max_iter: int = 1000,
        tol: float = 1e-10,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_components = n_components
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _embed(self, X):
        # 1. Center the points, each column by its seen entries; a random basis
        R, mean = center_seen(X)
        holes = find_holes(X)
        C, (total, typical) = self._start(R), _squares(R)

        def step(fit):
            shift, C = fit
            # 2. E: the coordinates of each point are its regression on the basis, Z = XC(CᵀC)⁻¹
            Z = _coordinates(R, shift, C)  # (em-pca-e)
            residuals = R - shift - Z @ C.T
            # 3. M: the basis is the regression of the points on their coordinates, C = XᵀZ(ZᵀZ)⁻¹
            if holes is None:
                better = shift, linalg.solve(Z.T @ Z, Z.T @ R, assume_a="pos").T  # (em-pca-m)
            elif self.missing == "complete":
                filled = np.where(holes.seen > 0, R, shift + Z @ C.T)
                Z1 = np.column_stack([Z, np.ones(len(Z))])
                C1 = linalg.solve(Z1.T @ Z1, Z1.T @ filled, assume_a="pos").T  # (em-pca-complete)
                better = C1[:, -1], C1[:, :-1]
            else:
                better = regress_on_factors(np.nan_to_num(R), holes, Z)[:2]  # (em-pca-least-squares)
            return better, -np.nansum(residuals**2) / typical

        # 4. Repeat until the error no longer falls
        try:
            start = np.zeros(len(mean)), C
            (shift, self.basis_), path = em(step, start, self.tol, self.max_iter, size=1, magnitude=total / typical)
        except (linalg.LinAlgError, RuntimeError) as error:  # a singular regression, or an error that rose
            raise ValueError(
                f"The seen entries do not determine n_components={self.n_components}, or only their rounding does: "
                "bring the columns of X to similar units, or ask for fewer."
            ) from error
        self.objective_path_, self.n_iter_ = -typical * path, len(path)
        # 5. Components: PCA of the fitted points, which lie on the subspace. C = QT is solved for Q row by row, which
        # keeps the digits of a column in a small unit
        T = linalg.qr(self.basis_, mode="r")[0][: self.basis_.shape[1]]
        Q = linalg.solve_triangular(T, self.basis_.T, trans="T").T
        Z = _coordinates(R, shift, self.basis_) @ T.T
        center = Z.mean(axis=0)
        V = thin_svd(Z - center, Z.shape[1])[2]
        self.mean_, self.components_ = mean + shift + Q @ center, (Q @ V).T  # (em-pca-components)
        return self._place(X)

    def _start(self, R):
        """A random basis; if ``n_components`` is None, with as many columns as the data have dimensions."""
        filled = np.nan_to_num(R)
        d = self.n_components or min(R.shape)
        C = check_random_state(self.random_state).standard_normal((R.shape[1], d))
        rank = len(thin_svd(filled @ C)[1]) if filled.any() else 0
        self._require_components(rank, R)
        self._require_entries(R, rank, rank + 1)
        return C[:, :rank]

    def _place(self, X):
        d = len(self.components_)
        self._require_entries(X, d, 0)
        try:
            return _coordinates(X, self.mean_, self.components_.T)  # (em-pca-encode)
        except linalg.LinAlgError as error:
            raise ValueError("The seen entries of a row do not determine its coordinates: leave it out.") from error

    def _rebuild(self, Y):
        return self.mean_ + Y @ self.components_


def _squares(R):
    """Squared deviations, of which columns in a large unit count only as far as rounding goes; and of typical ones.

    What a step gains is compared with the second, in which a column in a large unit does not hide the others; what
    rounding may lower, with the first.
    """
    squares = np.nansum(R**2, axis=0)
    positive = squares[squares > 0]
    total = min(squares.sum(), _LARGE_UNIT * len(squares) * positive.min())
    typical = min(total, _ALIKE * len(squares) * np.median(positive))
    return max(total, _LEFT_BY_ROUNDING * squares.sum()), typical


def _coordinates(X, mean, C):
    """Least-squares coordinates of each point on a basis C (D, d), from its seen entries."""
    return posterior(X, mean, C, np.ones(len(C)), prior=0.0)[0]
