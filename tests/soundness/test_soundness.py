"""Every script of the suite prints the same when it is migrated, to the last digit, or is refused with its reason."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # `suite`, under --import-mode=importlib

from run_many import run_all  # noqa: E402
from suite import (  # noqa: E402
    SCRIPTS,
    all_scripts,
    expected_refusal,
    first_difference,
    migrated,
    migrated_text,
    name_of,
)

pytestmark = pytest.mark.tensorflow

ALL = all_scripts()


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict]]:
    """Mode of `run_many.py` -> name of the script -> its run."""
    if find_spec("tensorflow") is None:
        pytest.skip("needs TensorFlow")
    folder = tmp_path_factory.mktemp("soundness")
    processes = {"original": start("original", folder, ALL)}
    texts = []
    for path in ALL:
        target = folder / path.relative_to(SCRIPTS)
        target.parent.mkdir(exist_ok=True)
        target.write_text(migrated_text(path))
        texts.append(target)
    processes["migrated"] = start("migrated", folder, texts)
    found = {"original": result(processes["original"], folder / "original.json")}
    processes["rewriting"] = start("rewriting", folder, texts)
    found["migrated"] = result(processes["migrated"], folder / "migrated.json")
    found["rewriting"] = result(processes["rewriting"], folder / "rewriting.json")
    return found


def result(process: subprocess.Popen, out: Path) -> dict[str, dict]:
    """What a process wrote down, by the names of the scripts."""
    _, said = process.communicate(timeout=1200)
    assert process.returncode == 0, said[-3000:]
    rows = json.loads(out.read_text())
    return {"/".join(Path(script).with_suffix("").parts[-2:]): row for script, row in rows.items()}


def start(mode: str, folder: Path, scripts: list[Path]) -> subprocess.Popen:
    command = [
        sys.executable,
        str(HERE / "run_many.py"),
        mode,
        str(folder / f"{mode}.json"),
        *map(str, scripts),
    ]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_original_runs(path: Path, runs: dict) -> None:
    run = runs["original"][name_of(path)]
    assert run["error"] is None, run["traceback"]
    assert sum(character.isdigit() for character in run["stdout"]) >= 5


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_refused_or_not(path: Path) -> None:
    left = [finding.code for finding in migrated(path).left]
    code = expected_refusal(path)
    assert code in left if code else not left


@pytest.mark.parametrize("path", [path for path in ALL if not expected_refusal(path)], ids=name_of)
def test_same(path: Path, runs: dict) -> None:
    check(runs, name_of(path), "migrated")


@pytest.mark.parametrize("path", [path for path in ALL if not expected_refusal(path)], ids=name_of)
def test_nearly_the_same_where_graphs_are_rewritten(path: Path, runs: dict) -> None:
    check(runs, name_of(path), "rewriting")


def check(runs: dict, name: str, mode: str) -> None:
    """The migrated program prints what the original does; where that raced with itself, what it does another time.

    TF1's variables are written in place while other operations still read them: such an original prints one of two
    results, by chance. A wrong program prints neither, to the last digit.
    """
    path = str(SCRIPTS / f"{name}.py")
    original = runs["original"][name]
    for _ in range(4):
        difference = first_difference(original, runs[mode][name], nearly=mode == "rewriting")
        if difference is None:
            return
        original = run_all("original", [path])[path]
    raise AssertionError(f"{difference}\n{runs[mode][name]['traceback']}")
