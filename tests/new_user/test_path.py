"""The path of a new user: a wheel in a new environment, and four programs, migrated, run, verified and compared."""

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a new environment, with tf2towers from a wheel; other packages are those of the tests."""
    folder = tmp_path_factory.mktemp("new_user")
    source = folder / "source"
    shutil.copytree(ROOT / "tf2towers", source / "tf2towers", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, source], check=True)
    [wheel] = folder.glob("*.whl")
    venv.create(folder / "env", with_pip=False)
    [packages] = (folder / "env").glob("lib/python*/site-packages")
    subprocess.run([*pip, "install", "--no-deps", "--target", packages, wheel], check=True)
    folders = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "packages_of_the_tests.pth").write_text("\n".join(folders))
    return folder / "env" / "bin" / "python"


def run(python: Path, folder: Path, *words: str) -> str:
    """What a command prints on both streams; it has to end with status 0."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["TF_CPP_MIN_LOG_LEVEL"] = "2"
    done = subprocess.run(
        [python, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout + done.stderr


def started(folder: Path, program: str) -> None:
    """Copies a program into an empty folder."""
    found = PROGRAMS / program
    if found.is_dir():
        shutil.copytree(found, folder, dirs_exist_ok=True)
    else:
        shutil.copy(found, folder)


def test_the_wheel_is_what_runs(python: Path, tmp_path: Path) -> None:
    shown = run(python, tmp_path, "-c", "import tf2towers; print(tf2towers.__file__)")
    assert shown.startswith(str(python.parents[1])), shown


def test_a_cnn_with_fed_batch_norm(python: Path, tmp_path: Path) -> None:
    started(tmp_path, "cnn.py")
    assert "nothing left to you" in run(python, tmp_path, "-m", "tf2towers", "migrate", "cnn.py", "-o", "out")
    assert "step 5 loss" in run(python, tmp_path, "out/cnn.py")
    verify = ["-m", "tf2towers", "verify", "--steps", "4", "cnn.py", "out/cnn.py"]
    assert "PARITY: " in run(python, tmp_path, *verify)
    compare = ["-m", "tf2towers", "compare", "--report", "report", "cnn.py", "out/cnn.py", "--", "20"]
    assert "loss" in run(python, tmp_path, *compare)


def test_a_synchronous_cluster(python: Path, tmp_path: Path) -> None:
    started(tmp_path, "cluster.py")
    run(python, tmp_path, "-m", "tf2towers", "migrate", "cluster.py", "-o", "out")
    shown = run(python, tmp_path, "-m", "tf2towers", "launch", "--workers", "2", "--", "out/cluster.py")
    assert "worker 0 loss" in shown
    assert "worker 1 loss" in shown
    verify = ["-m", "tf2towers", "verify", "--steps", "4", "cluster.py", "out/cluster.py"]
    assert "PARITY: " in run(python, tmp_path, *verify)


def test_a_package_of_four_modules(python: Path, tmp_path: Path) -> None:
    started(tmp_path, "package")
    run(python, tmp_path, "-m", "tf2towers", "migrate", "train.py", "-o", "out")
    assert (tmp_path / "out" / "net" / "model.py").is_file()
    assert "step 4 loss" in run(python, tmp_path, "out/train.py", "--num_gpus=2")
    verify = ["-m", "tf2towers", "verify", "--steps", "4", "train.py", "out/train.py", "--", "--num_gpus=2"]
    assert "PARITY: " in run(python, tmp_path, *verify)


def code_of(notebook: Path) -> list[str]:
    """The texts of a notebook's code cells."""
    cells = json.loads(notebook.read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def test_a_notebook(python: Path, tmp_path: Path) -> None:
    started(tmp_path, "notebook.ipynb")
    run(python, tmp_path, "-m", "tf2towers", "migrate", "notebook.ipynb", "-o", "out")
    assert code_of(tmp_path / "out" / "notebook.ipynb")[0].startswith("%matplotlib inline\n")
    lines = [line for cell in code_of(tmp_path / "out" / "notebook.ipynb") for line in cell.splitlines()]
    (tmp_path / "out" / "script.py").write_text("\n".join(line for line in lines if line[:1] != "%"))
    assert "step 3 loss" in run(python, tmp_path, "out/script.py")
    verify = ["-m", "tf2towers", "verify", "--steps", "3", "notebook.ipynb", "out/notebook.ipynb"]
    shown = run(python, tmp_path, *verify)
    assert "PARITY: " in shown
    assert "left out of the notebook: 1 magic: %matplotlib inline (cell 1)" in shown
