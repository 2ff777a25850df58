"""The solver behind semidefinite embedding: a primal-dual interior-point method, and a certificate.

Given are m pairs (i, j) with squared distances d_a; e_a = e_i − e_j is row a of their incidence matrix E:

    maximize tr K   subject to   K ⪰ 0,  K1 = 0,  e_aᵀ K e_a ≤ d_a  (or = d_a)  for every pair a.

Its dual asks for edge weights w of the graph of pairs, whose Laplacian is L(w) = Eᵀ diag(w) E:

    minimize wᵀd   subject to   Z = L(w) − H ⪰ 0,  w ≥ 0  (or of any sign).

Weak duality: wᵀd − tr K = Σ_a w_a (d_a − e_aᵀKe_a) + ⟨K, Z⟩ ≥ 0, so a feasible w bounds all traces. The
method follows the central path, K Z = μI and w_a s_a = μ for the slacks s, to μ = 0 by Newton steps (in the
direction of Helmberg, Kojima and Monteiro, predictor and corrector after Mehrotra). A general conic solver
carries a dense block of n(n + 1)/2 rows; here every e_a e_aᵀ has rank one, and one m × m matrix is left,
S = (E K Eᵀ) ∘ (E Z⁻¹ Eᵀ), entry by entry.
"""

from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse
from tqdm import tqdm

from dimred_lessons.engine.threads import one_blas_thread
from dimred_lessons.kernels import center_kernel
from dimred_lessons.memory import blocks, require_memory
from dimred_lessons.messages import warn

_EPS = np.finfo(float).eps
_BLOCK = 256  # rows of S that are made at a time
_STALLED = 25  # rounds without progress that end the iteration
_LARGE = 3000  # from this many pairs on, threads of BLAS share the work


class Certificate(NamedTuple):
    """What is proved about a claimed solution; see `certificate`."""

    primal_value: float
    dual_bound: float
    gap: float
    violation: float
    smallest_slack_eigenvalue: float


class Solution(NamedTuple):
    """What `maximize_variance` found: K (n, n), w (m,), its certificate, rounds, and whether gap ≤ tol."""

    K: np.ndarray
    w: np.ndarray
    certificate: Certificate
    n_iter: int
    converged: bool


def incidence_matrix(pairs, n):
    """Incidence matrix of pairs of points: row a is e_i − e_j for pair a = (i, j).

    Parameters
    ----------
    pairs : integer array of shape (m, 2)
    n : int
        How many points there are.

    Returns
    -------
    sparse CSR array of shape (m, n)

    References
    ----------
    Equation (sde-incidence).
    """
    m = len(pairs)
    signs = np.tile([1.0, -1.0], m)
    return sparse.csr_array((signs, np.ravel(pairs), np.arange(0, 2 * m + 1, 2)), shape=(m, n))


def certificate(K, w, pairs, squared_distances, constraints="shrink", basis=None):
    """Prove how good a claimed solution is: nothing about where it came from is trusted.

    Both sides are made feasible first. K is centered, its negative eigenvalues are cut off, and it is shrunk
    until no distance is too long; negative weights become 0, and w is divided by the smallest eigenvalue of
    L(w) off the constant vector, less a bound on its rounding. After that

        tr K ≤ optimum ≤ wᵀd

    holds whatever K and w were. With equal distances no shrinking helps: the bound still holds, but the
    primal value counts only together with the violation.

    Parameters
    ----------
    K : array of shape (n, n), symmetric
    w : array of shape (m,)
    pairs : integer array of shape (m, 2)
    squared_distances : array of shape (m,), positive
    constraints : "shrink" or "equal"
    basis : array of shape (n, r) or None
        Orthonormal columns Q, orthogonal to 1: K is Φ (r, r), and the bound is one on all QΦQᵀ.

    Returns
    -------
    Certificate
        ``primal_value`` and ``dual_bound``, in squared units of the data (an infinite bound if L(w) has
        another eigenvalue that is not positive); ``gap``, their difference divided by the bound;
        ``violation``, the largest e_aᵀKe_a / d_a − 1 of K as it was given (its absolute value for "equal");
        ``smallest_slack_eigenvalue``, of Z = L(w) − H off the constant vector, for w as it was given.

    References
    ----------
    Equations (sde-dual) and (sde-certificate); Sun, Boyd, Xiao and Diaconis (2006).
    """
    d, equal = np.asarray(squared_distances, dtype=float), constraints == "equal"
    E = _rows(pairs, len(K), basis)
    excess = _quadratic(E, K) / d - 1
    violation = np.abs(excess).max() if equal else max(excess.max(), 0)
    eigenvalues, U = linalg.eigh(center_kernel(K) if basis is None else K)
    Y = U * np.sqrt(np.maximum(eigenvalues, 0))
    longest = np.max(np.sum((E @ Y) ** 2, axis=1) / d)
    primal = np.sum(Y**2) / (1 if equal else max(1, longest))  # (sde-certificate)
    slack = _smallest_eigenvalue(E, w) - 1
    w = w if equal else np.maximum(w, 0)
    scale = _smallest_eigenvalue(E, w)
    bound = w @ d / scale if scale > 0 else np.inf
    gap = 1 - primal / bound if scale > 0 else np.inf
    return Certificate(*map(float, (primal, bound, gap, violation, slack)))


def _rows(pairs, n, basis):
    """The rows e_a of the incidence matrix, or e_aᵀQ."""
    return incidence_matrix(pairs, n) if basis is None else incidence_matrix(pairs, len(basis)) @ basis


def _smallest_eigenvalue(E, w):
    """The smallest eigenvalue of L(w), off the constant vector, less what rounding may have added."""
    L = _laplacian(E, w)
    n, norm = len(L), np.abs(L).sum(axis=1).max()
    L += norm / n if sparse.issparse(E) else 0  # moves the constant vector to the far end
    return linalg.eigvalsh(L)[0] - n * _EPS * norm


def maximize_variance(
    pairs, squared_distances, n, basis=None, constraints="shrink", tol=1e-6, max_iter=100, verbose=False
):
    """Largest trace of a centered K ⪰ 0 that keeps the squared distances of all pairs, or shrinks them.

    Parameters
    ----------
    pairs : integer array of shape (m, 2)
        Rows of the points, each pair once; the pairs must connect all points, or the trace has no bound.
    squared_distances : array of shape (m,), positive
    n : int
        Number of points.
    basis : array of shape (n, r) or None
        Orthonormal columns Q, orthogonal to 1: seek K = QΦQᵀ, and return Φ (r, r); None for any K.
    constraints : "shrink" or "equal"
        e_aᵀKe_a ≤ d_a, or = d_a. Equality is fragile: points that are all neighbors of each other, more
        than D + 1 of them, pin a singular block of K, so that no K ≻ 0 is feasible and no w need be optimal.
        The path then has no center, weights grow without limit, and tiny violations gain much trace.
    tol : float
        Largest gap, relative to the dual bound; for "equal" with Σ |w_a (d_a − e_aᵀKe_a)| added, the trace that
        violations may have gained, to first order.
    max_iter : int
    verbose : bool
        Show progress.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        If the pairs do not connect all points, a distance is zero, or m × m matrices do not fit into memory.

    Warns
    -----
    UserWarning
        If ``tol`` is not reached, in ``max_iter`` rounds or because rounding stops all progress.

    References
    ----------
    Algorithm alg-sde-interior-point; sources G-67 to G-70, L-21, L-26, L-28; Helmberg, Rendl,
    Vanderbei and Wolkowicz (1996); Mehrotra (1992).
    """
    d, m, equal = np.asarray(squared_distances, dtype=float), len(pairs), constraints == "equal"
    if not d.min() > 0:
        i, j = pairs[np.argmin(d)]
        raise ValueError(f"Points {i} and {j} coincide: merge them, since all distances must be positive.")
    landmarks = ", or set n_landmarks" if basis is None and not equal else ""
    require_memory(2, m, m, f"keep fewer pairs, by a smaller n_neighbors or angles=False{landmarks}")
    # 1. Start inside both cones, in a unit in which squared distances are about 1
    unit, best, best_iter = d.mean(), np.inf, 0
    path = _CentralPath(_rows(pairs, n, basis), d / unit, equal)
    rounds = tqdm(range(max_iter + 1), "Interior point", disable=not verbose)
    with one_blas_thread(small=m < _LARGE):
        for n_iter in rounds:
            # 2. Stop where the gap is small enough, or has not shrunk for a while
            error = path.error()
            if error < best:
                best, best_iter, K, w = error, n_iter, path.K, path.w
            rounds.set_postfix_str(f"gap {best:.1e}")
            if best <= 0.8 * tol or n_iter == max_iter or n_iter - best_iter == _STALLED:
                break
            # 3. Step toward K Z = 0 and w_a s_a = 0
            if not path.advance():
                break
    rounds.close()
    K = K * unit if basis is not None else center_kernel(K * unit)
    # 4. Prove how good the solution is
    proof = certificate(K, w, pairs, d, constraints, basis)
    if best > tol:
        hint = ', or use constraints="shrink", which is well posed' if equal else ""
        warn(
            f"tol={tol:g} is not reached after {n_iter} iterations: the gap is {proof.gap:.1e}, the "
            f"violation {proof.violation:.1e}; raise max_iter or tol{hint}."
        )
    return Solution(K, w, proof, n_iter, bool(best <= tol))


class _CentralPath:
    """Where the method stands: K, w, the slacks s_a = d_a − e_aᵀKe_a, and Z = L(w) − H.

    K1 = 0 becomes a penalty that is zero at the optimum: tr K − ⟨penalty, K⟩ is maximized, penalty = 2·11ᵀ/n.
    Equal distances have no slacks: s stays 0, and w may have any sign.
    """

    def __init__(self, E, d, equal):
        """w = c·1 makes L(w) ⪰ 2H, and K = εI is strictly feasible (or, if equal, about as long as allowed)."""
        (m, n), identity = E.shape, np.eye(E.shape[1])
        penalty = np.full((n, n), 2 / n) if sparse.issparse(E) else np.zeros((n, n))
        smallest = linalg.eigvalsh(_laplacian(E, np.ones(m)) + m * penalty)[0]
        if smallest < 10 * m * _EPS:
            raise ValueError("The pairs do not connect all points, so that the trace has no bound: add pairs.")
        self.E, self.d, self.penalty, self.equal = E, d, penalty, equal
        self.bounded = slice(0 if equal else m)  # the pairs for which w_a and s_a must stay positive
        self.w = np.full(m, 2 / smallest)
        longest = d / _quadratic(E, identity)
        self.K = identity * (longest.mean() if equal else longest.min() / 2)
        self.s = np.zeros(m) if equal else d - _quadratic(E, self.K)
        self.Z = _laplacian(E, self.w) + penalty - identity  # (sde-dual)
        self.chol_K, self.chol_Z = np.sqrt(self.K), linalg.cholesky(self.Z, lower=True)
        self.target, self.miss = d, 0

    def error(self):
        """Relative gap between wᵀd and tr K, and what violated distances may have gained."""
        excess, bound = _quadratic(self.E, self.K) - self.d, self.w @ self.d
        wrong = np.abs(self.w) @ np.abs(excess) / bound if self.equal else max(0, np.max(excess / self.d))
        return abs(bound - np.trace(self.K) + np.vdot(self.penalty, self.K)) / abs(bound) + wrong

    def advance(self):
        """Go one step along the path; False if Newton's matrix cannot be factored, and nothing has moved."""
        E, K, w, s, Z, bounded = self.E, self.K, self.w, self.s, self.Z, self.bounded
        # Newton's matrix, from the differences E K and E Z⁻¹ = (C⁻ᵀF)ᵀ, where Z = CCᵀ and F = C⁻¹Eᵀ
        C = self.chol_Z
        F = linalg.solve_triangular(C, E.T.toarray() if sparse.issparse(E) else E.T, lower=True)
        EK, EZ = E @ K, linalg.solve_triangular(C, F, lower=True, trans=1).T
        factor = _schur_factor(E, EK, EZ, s / w)
        if factor is None:
            return False
        # Rounding makes distances miss the target of the last step: lower it by as much, at most by half
        self.miss = max(self.miss, np.abs(_rowwise(E, EK) + s - self.target).max())
        self.target = self.d if self.equal else self.d - np.minimum(self.miss, self.d / 2)
        CKC = C.T @ K @ C  # on the path it is μI: rounding errors are small in every direction of K

        def back(M):
            """C⁻ᵀMC⁻¹, which is dK for M = CᵀdKC."""
            half = linalg.solve_triangular(C, M, lower=True, trans=1)
            return _symmetric(linalg.solve_triangular(C, half.T, lower=True, trans=1))

        def newton(mu, cross, cross_s):
            """The step to K Z = μI and w s = μ, feasible in both problems, less known second-order terms.

            The last two matrices returned are CᵀdKC and C⁻¹dZC⁻ᵀ, and ``cross`` is in these coordinates, too: large
            terms of K L(w) Z⁻¹ would cancel, and leave errors longer than the shortest slacks.
            """
            goal = np.zeros(len(w))
            goal[bounded] = ((mu - cross_s) / w)[bounded]
            right = mu * np.sum(F**2, axis=0) - _quadratic(E, back(cross)) + goal - self.target
            dw = linalg.cho_solve(factor, right, check_finite=False)  # (sde-newton)
            CZC = (F * dw) @ F.T
            CdKC = mu * np.eye(len(C)) - CKC - cross - _symmetric(CKC @ CZC)
            return back(CdKC), dw, _laplacian(E, dw), goal - s - s / w * dw, CdKC, CZC

        def lengths(dK, dw, dZ, ds):
            """How far K and s, and how far Z and w, may go."""
            a = _step(self.chol_K, dK, s[bounded], ds[bounded])
            return a, _step(self.chol_Z, dZ, w[bounded], dw[bounded])

        # Predictor: straight to μ = 0; how far it gets tells how much centering is needed
        dK, dw, dZ, ds, CdKC, CZC = newton(0, np.zeros_like(K), np.zeros(len(w)))
        a, b = lengths(dK, dw, dZ, ds)
        now = np.vdot(K, Z) + s @ w
        ahead = np.vdot(K + a * dK, Z + b * dZ) + (s + a * ds) @ (w + b * dw)
        mu = min(1, max(0, ahead / now) ** 3) * now / (len(K) + len(w[bounded]))
        # Corrector: with the second-order terms that the predictor reveals
        dK, dw, dZ, ds, *_ = newton(mu, _symmetric(CdKC @ CZC), ds * dw)
        a, b = lengths(dK, dw, dZ, ds)
        a, self.chol_K = _definite(K, dK, a, self.chol_K)
        b, self.chol_Z = _definite(Z, dZ, b, self.chol_Z)
        self.K, self.w, self.s, self.Z = K + a * dK, w + b * dw, s + a * ds, Z + b * dZ
        return True


def maximize_variance_in_span(pairs, squared_distances, basis, tol=1e-6, max_iter=100, verbose=False):
    """Largest trace of K = QΦQᵀ whose distances are at most those of the pairs, for many pairs and small Φ.

    An optimal Φ (r, r) is held in place by at most r(r + 1)/2 pairs: solve with a few, and add those that come out
    too long until none does.

    Parameters
    ----------
    pairs, squared_distances : arrays of shapes (m, 2) and (m,), see `maximize_variance`
    basis : array of shape (n, r)
        Q, with orthonormal columns that are orthogonal to 1.
    tol, max_iter, verbose : see `maximize_variance`

    Returns
    -------
    Solution
        K is Φ (r, r); the certificate bounds the traces of all feasible QΦQᵀ, not of all K.

    References
    ----------
    Equation (sde-span); Weinberger, Sha, Zhu and Saul (2007).
    """
    d, m = np.asarray(squared_distances, dtype=float), len(pairs)
    E, used, accuracy = _rows(pairs, None, basis), np.zeros(m, dtype=bool), 1e-2
    used[np.linspace(0, m - 1, min(m, 4 * basis.shape[1])).astype(int)] = True
    while True:
        # A rough solution shows just as well which pairs are missing
        few = pairs[used], d[used], None, basis, "shrink", accuracy / 2, max_iter, verbose
        solution = maximize_variance(*few)
        excess = _quadratic(E, solution.K) / d - 1
        long = np.flatnonzero(excess > accuracy / 2)
        if len(long) == 0 and accuracy <= tol:
            break
        used[long[np.argsort(-excess[long])[: used.sum()]]] = True
        accuracy = max(tol, accuracy / 10) if len(long) < 0.1 * used.sum() else accuracy
    w = np.zeros(m)
    w[used] = solution.w
    proof = certificate(solution.K, w, pairs, d, "shrink", basis)
    return solution._replace(w=w, certificate=proof)


def _laplacian(E, w):
    """L(w) = Eᵀ diag(w) E, dense; (sde-laplacian)."""
    L = E.T @ (sparse.diags_array(w) @ E)
    return L.toarray() if sparse.issparse(L) else L


def _quadratic(E, K):
    """e_aᵀ K e_a for every pair: squared distances if K is a kernel."""
    return _rowwise(E, E @ K)


def _rowwise(E, EK):
    """The same, from E K."""
    products = E.multiply(EK) if sparse.issparse(E) else E * EK
    return np.asarray(products.sum(axis=1)).ravel()


def _symmetric(M):
    """The symmetric part."""
    return (M + M.T) / 2


def _schur_factor(E, EK, EZ, diagonal):
    """Cholesky factor of S + diag(s / w), S = (E K Eᵀ) ∘ (E Z⁻¹ Eᵀ), made in place and in blocks of rows.

    Where rounding leaves it singular, the diagonal grows until it is not; None if even 1e-6 is too little.
    """
    m = len(EK)
    S = np.empty((m, m))
    for ridge in (1e-15, 1e-12, 1e-9, 1e-6):
        for rows in blocks(m, 1, _BLOCK):
            before = slice(rows.stop)
            S[rows, before] = (E[before] @ EK[rows].T).T  # (sde-schur)
            S[rows, before] *= (E[before] @ EZ[rows].T).T
        S[np.diag_indices(m)] = S.diagonal() * (1 + ridge) + diagonal
        try:  # the transpose has the column-major order that LAPACK overwrites
            return linalg.cho_factor(S.T, lower=False, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            continue
    return None


def _step(chol, D, x, dx):
    """95% of the step, at most 1, at which M + step D or x + step dx meets the boundary; M = chol cholᵀ."""
    D = linalg.solve_triangular(chol, D, lower=True)
    D = linalg.solve_triangular(chol, D.T, lower=True)
    fastest = max(-linalg.eigvalsh(D)[0], np.max(-dx / x, initial=0))
    return min(1, 0.95 / max(fastest, _EPS))


def _definite(M, D, step, chol):
    """The largest of step, step / 2, ... at which M + step D has a Cholesky factor in floating point."""
    while step > _EPS:
        try:
            return step, linalg.cholesky(M + step * D, lower=True)
        except linalg.LinAlgError:
            step /= 2
    return 0, chol
