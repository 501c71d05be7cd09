"""Every script of the suite prints the same when it is migrated, to the last digit, or is refused with its reason."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # `suite`, under --import-mode=importlib

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
    """Mode -> name of the script -> its run. The originals start, then the others are migrated and start too."""
    if find_spec("tensorflow") is None:
        pytest.skip("needs TensorFlow")
    folder = tmp_path_factory.mktemp("soundness")
    started = {"original": start("original", folder / "original.json", ALL)}
    texts = []
    for path in ALL:
        target = folder / path.relative_to(SCRIPTS)
        target.parent.mkdir(exist_ok=True)
        target.write_text(migrated_text(path))
        texts.append(target)
    started["migrated"] = start("migrated", folder / "migrated.json", texts)
    for mode, process in started.items():
        _, said = process.communicate(timeout=1200)
        assert process.returncode == 0, f"{mode}: {said[-3000:]}"
    found = {mode: json.loads((folder / f"{mode}.json").read_text()) for mode in started}
    return {
        mode: {"/".join(Path(one).with_suffix("").parts[-2:]): run for one, run in rows.items()}
        for mode, rows in found.items()
    }


def start(mode: str, out: Path, scripts: list[Path]) -> subprocess.Popen:
    command = [sys.executable, str(HERE / "run_many.py"), mode, str(out), *map(str, scripts)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_original_runs(path: Path, runs: dict) -> None:
    run = runs["original"][name_of(path)]
    assert run["error"] is None, run["traceback"]
    assert sum(character.isdigit() for character in run["stdout"]) >= 5


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_same(path: Path, runs: dict) -> None:
    code = expected_refusal(path)
    left = [finding.code for finding in migrated(path).left]
    if code is not None:
        assert code in left
        return
    assert not left
    name = name_of(path)
    difference = first_difference(runs["original"][name], runs["migrated"][name])
    assert difference is None, f"{difference}\n{runs['migrated'][name]['traceback']}"
