"""Forces of all pairs under Student's kernel, in blocks of rows that stay in the cache.

The gradient of t-SNE is 4 L(A) Y with A = (P − K/Z)∘K, where K_ij = 1/(1 + ‖y_i − y_j‖²) off the diagonal, Z is the
sum of K, and L(A) = Deg − A, with the row sums of A in Deg. As it reads, it takes some ten passes over n × n numbers,
each from memory and back, and Z has to be known before the first force. L is linear:

    L(A) Y = L(P∘K) Y − L(K∘K) Y / Z.

So a single pass over the rows collects attraction, repulsion and Z, and divides once at the end. A block of rows of K
is made, used three times, and forgotten while it is in the cache. Three details save the rest of the passes:

- 1 + ‖y_i − y_j‖² is one dot product, (−2y_i, ‖y_i‖² + 1, 1)·(y_j, 1, ‖y_j‖²): a block of it is one product.
- Row sums and products with Y are one product, with (Y, 1).
- The diagonal of K, which is 1, pulls no point, since y_i − y_i = 0; only Z has to leave out its n ones.

Error. The dot product has d + 2 terms, whose sizes add up to at most 1 + 2(‖y_i‖² + ‖y_j‖²): a kernel is right up to
the fraction (d + 3) ε (1 + 2‖y_i‖² + 2‖y_j‖²) K_ij, at most (d + 3) ε (1 + 4 max ‖y‖²) after centering. For maps 200
wide, this is 10⁻¹⁰; from widths of 10⁷ on, nothing can be said.
"""

import numpy as np

from dimred_lessons.memory import CACHED, blocks


def student_gradient(P: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """4 L(A) Y for A = (P − K/Z)∘K, with Student's kernel K of Y and its sum Z.

    Parameters
    ----------
    P : array of shape (n, n), zero on the diagonal
    Y : array of shape (n, d)

    Returns
    -------
    array of shape (n, d)
    """
    n, Y = len(Y), Y - Y.mean(axis=0)
    squares, ones = np.sum(Y**2, axis=1), np.ones(n)
    left, right = np.column_stack([-2 * Y, squares + 1, ones]), np.column_stack([Y, ones, squares]).T
    Y_1, total = np.column_stack([Y, ones]), -n  # without the diagonal, which is 1
    attraction, repulsion = np.empty_like(Y_1), np.empty_like(Y_1)
    for rows in blocks(n, n, CACHED):
        K = np.reciprocal(left[rows] @ right)
        total += K.sum()
        attraction[rows] = (P[rows] * K) @ Y_1
        repulsion[rows] = np.square(K, out=K) @ Y_1
    A_Y = attraction - repulsion / total
    return 4 * (A_Y[:, -1:] * Y - A_Y[:, :-1])
