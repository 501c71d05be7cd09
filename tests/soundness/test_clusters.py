"""Every parameter-server script, migrated, prints in each of its tasks what the original prints there."""

import json
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # `suite`, under --import-mode=importlib

from suite import SCRIPTS, first_difference, migrated  # noqa: E402

pytestmark = pytest.mark.tensorflow

ALL = sorted((SCRIPTS / "clusters").glob("*.py"))


@pytest.fixture(scope="session")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict]]:
    """`original` and `migrated` -> name of the script -> task -> its run."""
    if find_spec("tensorflow") is None:
        pytest.skip("needs TensorFlow")
    folder = tmp_path_factory.mktemp("clusters")
    texts = []
    for path in ALL:
        change = next(change for change in migrated(path).changes if change.path == path)
        target = folder / path.name
        target.write_text(change.after)
        texts.append(target)
    scripts = {"original": ALL, "migrated": texts}
    running = {mode: started(mode, folder / f"{mode}.json", scripts[mode]) for mode in scripts}
    return {mode: ended(process, folder / f"{mode}.json") for mode, process in running.items()}


def started(mode: str, out: Path, scripts: Sequence[Path]) -> subprocess.Popen[str]:
    command = [sys.executable, HERE / "run_clusters.py", mode, out, *scripts]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str], out: Path) -> dict[str, dict]:
    """Name of the script -> task -> its run."""
    _, said = process.communicate(timeout=600)
    assert process.returncode == 0, said[-3000:]
    return {Path(script).stem: row for script, row in json.loads(out.read_text()).items()}


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_nothing_is_left(path: Path) -> None:
    assert not migrated(path).left


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_same_in_every_task(path: Path, clusters: dict) -> None:
    check(clusters["original"][path.stem], clusters["migrated"][path.stem])


def check(original: dict, other: dict) -> None:
    """Each task prints what the original's does."""
    for task, run in original.items():
        if task != "seconds":
            assert run["error"] is None, f"{task}: {run['traceback']}"
            difference = first_difference(run, other[task])
            assert difference is None, f"{task}, {difference}\n{other[task]['traceback']}"
    assert any(run["stdout"] for task, run in original.items() if task != "seconds")
