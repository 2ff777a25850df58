"""What holds for every method, where it takes naming some: exceptions, a common graph, an unknown memory."""

import numpy as np
import pytest
from sklearn import manifold

from dimred_lessons import EMPCA, Isomap, LaplacianEigenmaps, ProbabilisticPCA, machine
from dimred_lessons.classroom.datasets import swiss_roll
from support.comparisons import assert_equal_up_to_signs
from support.peers import DATA, data, results_of_checks


@pytest.mark.parametrize(
    "method, message, expected",
    [
        (
            ProbabilisticPCA(),
            "n_components=2 is above the 1 that these data can give",
            {
                "check_estimators_overwrite_params",
                "check_estimators_fit_returns_self",
                "check_readonly_memmap_input",
                "check_fit_idempotent",
                "check_fit_check_is_fitted",
                "check_n_features_in",
            },
        ),
        (EMPCA(), "Row 13 of X has 1 of its 3 entries", {"check_estimators_pickle"}),
    ],
    ids=["ProbabilisticPCA", "EMPCA"],
)
def test_with_two_components_exactly_the_checks_on_too_few_columns_fail_and_with_our_message(method, message, expected):
    failed = [result for result in results_of_checks(method) if result["status"] == "failed"]
    assert {result["check_name"] for result in failed} == expected
    assert all(message in str(result["exception"]) for result in failed)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("weights", ["heat", "binary"])
def test_laplacian_eigenmaps_agree_with_scikit_learn_on_the_same_graph(weights, name):
    ours = LaplacianEigenmaps(n_components=3, n_neighbors=10, weights=weights).fit(data(name))
    peer = manifold.SpectralEmbedding(3, affinity="precomputed", random_state=0)
    theirs = peer.fit_transform(ours.adjacency_.toarray())
    unit = [Y / np.linalg.norm(Y, axis=0) for Y in (ours.embedding_, theirs)]
    assert_equal_up_to_signs(*unit)


def test_where_the_system_cannot_tell_its_memory_nothing_is_refused(monkeypatch):
    def cannot_tell(name):
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr(machine.os, "sysconf", cannot_tell)
    Isomap(n_neighbors=8).fit(swiss_roll(600)[0])
