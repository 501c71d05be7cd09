"""`verify` from a wheel, installed in an environment of its own: nothing of it is on the other interpreter's path."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

pytest.importorskip("tensorflow")
pytestmark = [pytest.mark.tensorflow, pytest.mark.long]

ROOT = Path(__file__).parents[2]
SMALL = ROOT / "tests/verify/mistakes/legacy/small_towers.py"
TF1 = os.environ.get("TF2TOWERS_TF1_PYTHON", "")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The installed command; what tf2towers needs is taken from the environment of the tests."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    wheel = [*pip, "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder), str(ROOT)]
    subprocess.run(wheel, check=True, cwd=folder)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "env")], check=True)
    [packages] = (folder / "env").glob("lib/python*/site-packages")
    [built] = folder.glob("*.whl")
    subprocess.run([*pip, "install", "-q", "--no-deps", "--target", str(packages), str(built)], check=True)
    (packages / "of_the_tests.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    # what must not be seen from there: TensorFlow 1 alone imports it, and Python 3.7 cannot read it
    (packages / "keras_applications.py").write_text("match 1:\n    case _: pass\n")
    return folder / "env" / "bin" / "python"


def run(program: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(program), "-m", "tf2towers", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, text=True, capture_output=True, check=False)


@pytest.mark.skipif(not TF1, reason="TF2TOWERS_TF1_PYTHON names no interpreter")
def test_against_tensorflow_1(program: Path, tmp_path: Path) -> None:
    done = run(program, "migrate", str(SMALL), "-o", str(tmp_path / "out"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    pair = [str(SMALL), str(tmp_path / "out" / SMALL.name)]
    done = run(
        program, "verify", "--steps=3", f"--legacy-python={TF1}", "--report=report", *pair, cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("WITHIN") and "TensorFlow 1." in done.stdout
    numbers = tmp_path / "numbers.json"
    options = ["--steps=3", f"--legacy-python={TF1}", f"--json={numbers}"]
    done = run(program, "compare", *options, *pair, cwd=tmp_path)
    assert done.returncode == 0 and numbers.exists(), done.stdout + done.stderr
