"""Every case that trains, trained before and after: the same weights to the bit, the same lines printed."""

import numpy as np
import pytest
import training
from cases import after, all_cases, is_left, towers

pytestmark = pytest.mark.tensorflow

JOBS = [(name, count) for name, case in all_cases().items() if not is_left(case) for count in towers(case)]


@pytest.fixture(scope="module")
def results(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("training")
    tests = [item for item in request.session.items if item.fspath == request.fspath]
    jobs = [(item.callspec.params["name"], item.callspec.params["count"]) for item in tests]
    before = [(f"{name}-{n}", all_cases()[name], all_cases()[name].script, n) for name, n in jobs]
    migrated = [(f"{name}-{n}", all_cases()[name], after(name), n) for name, n in jobs]
    processes = {"legacy": training.start("legacy", before, folder)}
    processes["migrated"] = training.start("migrated", migrated, folder)
    return {mode: training.finish(mode, process, folder) for mode, process in processes.items()}


@pytest.mark.parametrize(("name", "count"), JOBS)
def test_same_weights_and_same_output(name, count, results):
    before, migrated = (results[mode][f"{name}-{count}"] for mode in ("legacy", "migrated"))
    assert before["error"] is None, before["error"]
    assert migrated["error"] is None, migrated["error"]
    assert migrated["printed"] == before["printed"]
    assert set(migrated["weights"]) == set(before["weights"])
    assert before["weights"]
    for variable, value in before["weights"].items():
        np.testing.assert_array_equal(migrated["weights"][variable], value, err_msg=variable, strict=True)
