"""The wheel: it has all files of the package, and runs from an empty folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parents[2]
TOWERS = """
import tensorflow as tf
opt = tf.train.GradientDescentOptimizer(0.1)
for i in range(2):
    with tf.device('/gpu:%d' % i):
        opt.compute_gradients(tf.square(tf.get_variable('w%d' % i, [])))
tf.Session()
"""


def test_the_wheel_is_complete_and_runs(tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(ROOT / "tf2towers", source / "tf2towers", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", tmp_path, source], check=True)
    [wheel] = tmp_path.glob("*.whl")
    packed = {name for name in ZipFile(wheel).namelist() if name.startswith("tf2towers/")}
    assert packed == {
        path.relative_to(source).as_posix() for path in (source / "tf2towers").rglob("*") if path.is_file()
    }

    installed, empty = tmp_path / "installed", tmp_path / "empty"
    subprocess.run([*pip, "install", "--no-deps", "--target", installed, wheel], check=True)
    empty.mkdir()
    (empty / "train.py").write_text(TOWERS)

    def run(*arguments: str) -> str:
        environment = os.environ | {"PYTHONPATH": str(installed)}
        command = [sys.executable, *arguments]
        done = subprocess.run(command, cwd=empty, env=environment, capture_output=True, text=True, check=True)
        return done.stdout + done.stderr

    assert str(installed) in run("-c", "import tf2towers; print(tf2towers.__file__)")
    assert "wrote out/train.py" in run("-m", "tf2towers", "migrate", "train.py", "-o", "out", "--vendor")
    assert "strategy.run(tower, args=(strategy.replica_ids,))" in (empty / "out" / "train.py").read_text()
    assert run("-m", "tf2towers", "rules").count("\n") > 20
    assert "After:" in run(str(installed / "bin" / "tf2towers"), "explain", "T2T605", "T2T601")
