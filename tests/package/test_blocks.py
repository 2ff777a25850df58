"""New points are placed in blocks: in the same places, in memory that holds no array of all pairs."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from dimred_lessons import (
    ClassicalMDS,
    DualPCA,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    SemidefiniteEmbedding,
    memory,
)
from dimred_lessons.classroom.datasets import swiss_roll
from dimred_lessons.kernels import linear_kernel
from support.memory import peak

ROLL, NEW = swiss_roll(500)[0], swiss_roll(6000, random_state=1)[0]
METHODS = [
    DualPCA(),
    KernelPCA(),
    KernelPCA(kernel=linear_kernel),
    ClassicalMDS(),
    ClassicalMDS(metric="cityblock"),
    Isomap(n_neighbors=8),
    Isomap(n_neighbors=8, conformal=True),
    Isomap(n_neighbors=8, n_landmarks=200, random_state=0),
    LocallyLinearEmbedding(),
    LaplacianEigenmaps(),
    LaplacianEigenmaps(radius=4.0),
    SemidefiniteEmbedding(n_components=1, n_neighbors=6, angles=False, n_landmarks=10, tol=1e-2),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: str(method).partition(" at 0x")[0])
def test_memory_of_transform_does_not_grow_with_training_times_new_points(method, monkeypatch):
    method.fit(ROLL)
    expected = method.transform(NEW)
    monkeypatch.setattr(memory, "BLOCK", 2**16)  # half a megabyte
    np.testing.assert_allclose(method.transform(NEW), expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    assert peak(method.transform, NEW) < 8 * len(ROLL) * len(NEW) / 2  # bytes of all pairs


def test_memory_of_pre_images_and_residuals_does_not_grow_either(monkeypatch):
    method = KernelPCA(sigma=5.0).fit(ROLL)
    Y = method.transform(NEW)
    expected = method.feature_residual(NEW)
    monkeypatch.setattr(memory, "BLOCK", 2**16)
    np.testing.assert_allclose(method.feature_residual(NEW), expected, atol=1e-9)
    assert peak(method.feature_residual, NEW) < 8 * len(ROLL) * len(NEW) / 2
    assert peak(method.inverse_transform, Y[:3000]) < 8 * len(ROLL) * 3000 / 2


def test_errors_name_the_row_among_all_new_points(monkeypatch):
    monkeypatch.setattr(memory, "BLOCK", 2**10)
    far = NEW.copy()
    far[4321] = 1e6
    with pytest.raises(ValueError, match="Row 4321 of X has no training point within radius=4"):
        Isomap(radius=4.0).fit(ROLL).transform(far)
    D = np.ones((900, 500))
    D[777, 3] = -1
    with pytest.raises(ValueError, match="the dissimilarity of 777 and 3 is -1"):
        ClassicalMDS(metric="precomputed").fit(cdist(ROLL, ROLL)).transform(D)
