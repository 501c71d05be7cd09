"""Every parameter-server script, migrated, prints in each of its tasks what the original prints there."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from suite import Program, all_programs, ended, first_difference, migrated, started

pytestmark = pytest.mark.tensorflow

HAS_ESTIMATORS = find_spec("tensorflow_estimator") is not None
ALL = [each for each in all_programs("clusters") if HAS_ESTIMATORS or "tf.estimator" not in each.text]


#: name of the program -> the codes of what `migrate` leaves
left: dict[str, list[str]] = {}


@pytest.fixture(scope="session")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict]]:
    """`original` and `migrated` -> name of the script -> task -> its run."""
    if find_spec("tensorflow") is None:
        pytest.skip("needs TensorFlow")
    folder = tmp_path_factory.mktemp("clusters")
    scripts: dict[str, list[Path]] = {"original": [], "migrated": []}
    for program in ALL:
        path = program.write(folder / "original")
        result = migrated(path)
        after = next(change.after for change in result.changes if change.path == path)
        scripts["original"].append(path)
        scripts["migrated"].append(Program(program.name, after).write(folder / "migrated"))
        left[program.name] = [finding.code for finding in result.left]
    running = {
        mode: started("run_clusters.py", mode, folder / f"{mode}.json", scripts[mode]) for mode in scripts
    }
    return {mode: ended(process, folder / f"{mode}.json") for mode, process in running.items()}


@pytest.mark.parametrize("program", ALL, ids=lambda program: program.name)
def test_same_in_every_task(program: Program, clusters: dict) -> None:
    """Nothing is left, and each task prints what the original's does."""
    assert left[program.name] == []
    original, other = (clusters[mode][program.name] for mode in ("original", "migrated"))
    for task, run in original.items():
        if task != "seconds":
            assert run["error"] is None, f"{task}: {run['traceback']}"
            difference = first_difference(run, other[task])
            assert difference is None, f"{task}, {difference}\n{other[task]['traceback']}"
    assert any(run["stdout"] for task, run in original.items() if task != "seconds")
