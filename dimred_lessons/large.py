"""Points in blocks: a fit that adds up what it needs block by block, and new points placed block by block.

The blocks are those of a Dask array, which may be on disk and larger than memory. Dask reads them, spreads them
over processes or machines, and computes them again where one is lost; the estimators stay as they are, NumPy in and
NumPy out. This module is a layer above them: it fills in the attributes that ``fit`` of one of them would have found.
It needs the extra ``large``.
"""

import copy
import os

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from dimred_lessons.eigenpairs import column_signs, top_eigenpairs
from dimred_lessons.inputs import as_numbers, as_table, require_finite
from dimred_lessons.memory import BLOCK, blocks, in_bytes, physical_memory
from dimred_lessons.parameters import check_integer
from dimred_lessons.spectral.pca import PCA

try:
    from dask import array, delayed, distributed
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "dimred_lessons.large works on Dask arrays, and Dask is not installed: pip install 'dask[array,distributed]'."
    ) from None

# A process needs memory for more than its arrays, which may take this share of what it has left.
_SHARE = 0.8


def fit_pca(X: array.Array, n_components: int | None = 2) -> PCA:
    """`PCA` of points that are too many for memory, block by block.

    One pass over the blocks adds up their number, their sum and their products: with the columns A = [1, X − 1x₀ᵀ],
    where x₀ is the first point, AᵀA of all points is the sum of AᵀA of the blocks. A second pass finds the largest
    score of each axis, which determines its sign, as for `PCA`. A process holds a block at a time, and (D + 1)²
    numbers for each of a few.

    Parameters
    ----------
    X : Dask array of shape (n_samples, n_features)
        Finite real numbers, in blocks of whole rows; computed with in float64.
    n_components : int or None, default 2
        d; None for all that the data can give.

    Returns
    -------
    PCA
        Fitted. It agrees with ``PCA(n_components).fit`` of the same points, signs included, up to the rounding of sums
        of squares: components whose variance is below about 2e-15 D of the largest are lost, as with `DualPCA`.
        ``embedding_`` is a Dask array in the blocks of X, computed when it is asked for.

    Raises
    ------
    TypeError
        If X is not a Dask array.
    ValueError
        Before any work, if X does not hold real numbers, has blocks of unknown size or blocks of parts of rows, or if a
        block is too large for the memory that a process has left; while the blocks are read, if a number is missing or
        infinite: the first one in its block is named by its row and its column; in the end, if the data cannot give
        ``n_components``.

    Warns
    -----
    UserWarning
        If the last axis and the next one have the same eigenvalue up to rounding.

    References
    ----------
    Algorithm alg-large-pca, equations (large-products) and (large-scatter).
    """
    _require_blocks_of_rows(X)
    check_integer("n_components", n_components, none="for all attainable")
    n, D = X.shape
    if n < 2:
        raise ValueError(f"X has n_samples={n}, but a variance needs at least two points: give more rows.")
    _require_memory_for_blocks(X, 8 * (2 * BLOCK + 3 * (D + 1) ** 2))
    # 1. Products of the columns of A = [1, X − 1x₀ᵀ], added up over the blocks
    origin = as_table(X[:1].compute())[0]
    once = (1,) * X.numblocks[0]
    G = X.map_blocks(_products, origin=origin, new_axis=2, chunks=(once, (D + 1,), (D + 1,)), meta=np.empty((0,) * 3))
    G = G.sum(axis=0, split_every=8).compute()  # (large-products)
    # 2. The mean, and the scatter around it
    offset = G[0, 1:] / n
    scatter = G[1:, 1:] - n * np.outer(offset, offset)  # (large-scatter)
    # 3. Its largest eigenvalues
    pca = PCA(n_components)
    pca.eigenvalues_, V = top_eigenpairs(scatter, n_components)
    pca._require_components(len(pca.eigenvalues_), X)
    pca.n_features_in_, pca.mean_, pca.total_variance_ = D, origin + offset, scatter.trace() / (n - 1)
    # 4. Signs: the largest score of each axis is positive
    extremes = X.map_blocks(_largest_scores, mean=pca.mean_, V=V, chunks=(once, V.shape[1:]), meta=np.empty((0, 0)))
    V = V * column_signs(extremes.compute())
    pca.components_, pca.embedding_ = V.T, np.empty((0, V.shape[1]))
    # 5. The scores of all points, when they are asked for
    pca.embedding_ = transform(copy.copy(pca), X)
    return pca


def transform(method: BaseEstimator, X: array.Array) -> array.Array:
    """Place points that are too many for memory, block by block, by a method that has been fitted.

    Parameters
    ----------
    method : estimator
        Fitted, with a ``transform``: one of this package or of scikit-learn. Each process gets a copy.
    X : Dask array of shape (n_new, n_features)
        Points, in blocks of whole rows.

    Returns
    -------
    Y : Dask array of shape (n_new, n_components)
        In the same blocks, each computed by ``method.transform`` when it is asked for.

    Raises
    ------
    TypeError
        If X is not a Dask array, or the method cannot place new points.
    ValueError
        At once, if X does not have the columns that the method was fitted to, or blocks as for `fit_pca`; when Y is
        computed, if a number is infinite, or missing although the method does not take missing entries, or if the
        method refuses a block, with the rows of the block.

    References
    ----------
    Equation (large-transform).
    """
    if not hasattr(method, "transform"):
        raise TypeError(f"{type(method).__name__} has no transform: it cannot place new points.")
    check_is_fitted(method)
    _require_blocks_of_rows(X)
    D, d = X.shape[1], len(method.get_feature_names_out())
    if method.n_features_in_ != D:
        raise ValueError(f"X has {D} columns, but {type(method).__name__} was fitted to {method.n_features_in_}.")
    _require_memory_for_blocks(X, 8 * 2 * BLOCK, 8 * (D * (X.dtype != np.float64) + d))
    if isinstance(getattr(method, "embedding_", None), array.Array):  # of no use here, so it is not sent along
        method = copy.copy(method)
        method.embedding_ = np.empty((0, d))
    return X.map_blocks(  # (large-transform)
        _places, method=delayed(method), d=d, chunks=(X.chunks[0], (d,)), meta=np.empty((0, 0))
    )


# -------------------------------------------------------------------------------------------------------
# What is done with one block


def _products(block, origin, block_info):
    """AᵀA of the rows of a block, as an array of shape (1, D + 1, D + 1)."""
    G = np.zeros((len(origin) + 1,) * 2)
    with np.errstate(invalid="ignore", over="ignore"):  # reported below
        for rows in blocks(len(block), len(origin)):
            A = np.ones((rows.stop - rows.start, len(G)))
            np.subtract(_finite(block[rows], block_info, rows.start), origin, out=A[:, 1:])
            G += A.T @ A  # (large-products)
    if not np.isfinite(G).all():
        raise ValueError(f"{_rows(block_info)} hold a number that is too large to be squared: rescale the columns.")
    return G[np.newaxis]


def _largest_scores(block, mean, V):
    """The score of largest magnitude on each axis, with its sign, as an array of shape (1, d)."""
    extremes = np.zeros((1, V.shape[1]))
    for rows in blocks(len(block), len(V)):
        Y = (as_numbers(block[rows]) - mean) @ V
        signed = np.abs(Y).max(axis=0) * column_signs(Y)
        extremes = np.vstack([extremes, signed])
    return np.abs(extremes).max(axis=0, keepdims=True) * column_signs(extremes)


def _places(block, method, d, block_info):
    """A block of the embedding."""
    if not len(block):
        return np.empty((0, d))
    block = _finite(block, block_info, missing=get_tags(method).input_tags.allow_nan)
    try:
        return np.asarray(method.transform(block), dtype=np.float64)
    except ValueError as refused:
        raise ValueError(f"{_rows(block_info)}: {str(refused).splitlines()[0]}") from None


def _finite(rows, block_info, start=0, missing=False):
    """Some rows of a block, from ``start`` on, as finite numbers; those that are not are named."""
    try:
        A = as_numbers(rows)
        require_finite(A, missing=missing, first_row=block_info[0]["array-location"][0][0] + start)
    except ValueError as refused:
        raise ValueError(f"{_rows(block_info)}: {refused}") from None
    return A


def _rows(block_info):
    """The rows that a block holds, in words for a message."""
    start, stop = block_info[0]["array-location"][0]
    return f"Rows {start} to {stop - 1} of X"


# -------------------------------------------------------------------------------------------------------
# What is refused before any work


def _require_blocks_of_rows(X):
    """Refuse what is not a matrix of real numbers in blocks of whole rows."""
    if not isinstance(X, array.Array):
        raise TypeError(f"X is of type {type(X).__name__}: give a Dask array, or use the method itself.")
    if X.ndim != 2 or X.dtype.kind not in "iuf":
        raise ValueError(f"X has {X.ndim} axes and the type {X.dtype}: give a matrix of real numbers.")
    if np.isnan(X.shape).any():
        raise ValueError("X has blocks of unknown size: call X.compute_chunk_sizes() first.")
    if X.numblocks[1] > 1:
        raise ValueError(
            f"X is cut across its columns, in {X.numblocks[1]} parts: a block has to hold whole rows; use "
            "X.rechunk({1: -1}), with fewer rows in a block."
        )


def _require_memory_for_blocks(X, working, row_bytes=0):
    """Refuse blocks that do not fit into the memory a process has left: ``working`` bytes, and some for each row."""
    rows, D = max(X.chunks[0]), X.shape[1]
    row_bytes += X.dtype.itemsize * D
    needed, free = rows * row_bytes + working, _SHARE * _free_memory()
    if needed > free:
        fitting = int((free - working) // row_bytes)
        advice = f"rechunk X to {fitting} rows in a block" if fitting > 0 else "give each process more memory"
        amount, limit = in_bytes(needed, max(free, 0))
        raise ValueError(
            f"Working on a block of {rows} × {D} numbers takes {amount}, but a process has {limit} for it: {advice}."
        )


def _free_memory():
    """Bytes left per thread on the worker that has least of them; without workers, on this machine."""
    try:
        workers = distributed.default_client().scheduler_info()["workers"].values()
    except ValueError:  # no cluster: the threads of this process
        return physical_memory() / (os.cpu_count() or 1)
    left = [
        ((worker["memory_limit"] or np.inf) - worker["metrics"]["memory"]) / worker["nthreads"] for worker in workers
    ]
    return min(left, default=np.inf)
