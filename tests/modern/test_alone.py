"""A program of modern/, copied with the modules it imports into an empty folder, needs TensorFlow alone.

The clusters' programs are run so by test_clusters.py.
"""

import ast
import os
import re
import subprocess
import sys

import pytest

from tests.modern.alone import MADE_UP, MODERN, RUN, imported, with_its_modules

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

PROGRAMS = (
    "single_device.py", "several_devices.py", "cifar10_mirrored.py", "mobilenet_mirrored.py", "mobilenet_by_hand.py",
    "mnist_multi_worker.py", "mnist_parameter_server.py",
)  # fmt: skip
#: what `pip install tensorflow` brings, as the runs below show
BROUGHT = {"tensorflow", "keras", "numpy", "absl"}
CIFAR = ("--max_steps=20", "--train_dir=out", "--log_every=19", "--summary_every=10")
MOBILENET = ("--num_gpus=1", "--num_epochs=1", "--max_images=16", "--batch_size=8", "--train_dir=out")


@pytest.mark.parametrize(
    ("script", "flags", "expected"),
    [
        ("cifar10_mirrored.py", CIFAR, r"Number of devices: 2(.|\n)*step 19, loss = "),
        ("mobilenet_mirrored.py", MOBILENET, r"Number of devices: 1(.|\n)*^epoch 1: "),
    ],
)
def test_it_runs_with_tensorflow_alone(script, flags, expected, tmp_path):
    with_its_modules(script, tmp_path)
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        [sys.executable, "-c", RUN, script, *flags],
        cwd=tmp_path, env=environment, text=True, capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    assert re.search(expected, done.stdout + done.stderr, re.MULTILINE), done.stdout + done.stderr
    assert done.returncode == 0
    assert done.stdout.count(MADE_UP) == 1


@pytest.mark.parametrize("script", PROGRAMS)
def test_what_tensorflow_does_not_bring_is_only_tried(script, tmp_path):
    with_its_modules(script, tmp_path)
    own = {path.stem for path in tmp_path.iterdir()}
    for path in tmp_path.iterdir():
        tree = ast.parse(path.read_text())
        tried = {part for node in ast.walk(tree) if isinstance(node, ast.Try) for part in ast.walk(node)}
        names = {name.partition(".")[0] for node in set(ast.walk(tree)) - tried for name in imported(node)}
        assert names <= own | BROUGHT | sys.stdlib_module_names, path.name


@pytest.mark.parametrize("script", PROGRAMS)
def test_each_is_read_in_one_sitting(script, tmp_path):
    """At most 400 lines with all that it imports of modern/; nanoGPT's trainer and model have 336 and 330."""
    with_its_modules(script, tmp_path)
    assert sum(len(path.read_text().splitlines()) for path in tmp_path.iterdir()) <= 400


def test_the_programs_are_all_that_can_be_run():
    runnable = {path.name for path in MODERN.glob("*.py") if '__name__ == "__main__"' in path.read_text()}
    assert set(PROGRAMS) == runnable


@pytest.mark.parametrize("script", PROGRAMS)
def test_its_docstring_names_its_modules(script, tmp_path):
    with_its_modules(script, tmp_path)
    _, _, named = ast.get_docstring(ast.parse((MODERN / script).read_text())).partition("Beside it stand")
    modules = {path.name for path in tmp_path.iterdir()} - {script}
    assert set(re.findall(r"\w+\.py", named)) == modules
