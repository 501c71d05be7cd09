"""A program of modern/, copied with the modules it imports into an empty folder, runs with TensorFlow alone."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.modern.clusters import Job

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

MODERN = Path(__file__).parents[2] / "modern"
#: Refuses whatever `pip install tensorflow` does not bring, then runs the program in this folder.
RUN = """
import importlib.metadata, os, re, runpy, sys
def needed(name, found):
    if name not in found:
        found.add(name)
        try:
            lines = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            return found
        for line in lines:
            if 'extra ==' not in line:
                needed(re.match(r'[\\w.-]+', line)[0].lower().replace('_', '-'), found)
    return found
allowed = needed('tensorflow', set())
class Only:
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, path=None, target=None):
        owners = {owner.lower().replace('_', '-') for owner in OWNERS.get(name.partition('.')[0], allowed)}
        return self.finder.find_spec(name, path, target) if owners & allowed else None
OWNERS = {**importlib.metadata.packages_distributions(), 'tf2towers': ['tf2towers']}
sys.meta_path[:] = map(Only, sys.meta_path)
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name='__main__')
"""


def with_its_modules(script: str, folder: Path) -> None:
    """Copies it, and what it imports of modern/."""
    if (folder / script).exists():
        return
    shutil.copy(MODERN / script, folder)
    for node in ast.walk(ast.parse((MODERN / script).read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            if (MODERN / f"{name}.py").exists():
                with_its_modules(f"{name}.py", folder)


CIFAR = ("--max_steps=20", "--train_dir=out", "--log_every=19", "--summary_every=10")
MOBILENET = ("--num_gpus=1", "--num_epochs=1", "--max_images=16", "--batch_size=8", "--train_dir=out")
PROGRAMS = {
    "single_device.py": ((), r"7\. 7\."),
    "several_devices.py": ((), r"7\., 7\."),
    "cifar10_mirrored.py": (CIFAR, r"Number of devices: 2(.|\n)*step 19, loss = "),
    "mobilenet_mirrored.py": (MOBILENET, r"Number of devices: 1(.|\n)*^epoch 1: "),
    "mobilenet_by_hand.py": (MOBILENET, r"Number of devices: 1(.|\n)*^epoch 1: "),
    "mnist_multi_worker.py": (
        ("--train_steps=20", "--log_dir=out"),
        r"After 20 training step\(s\), validation cross entropy = ",
    ),
}


@pytest.mark.parametrize("script", PROGRAMS)
def test_it_runs_with_tensorflow_alone(script, tmp_path):
    import socket

    flags, expected = PROGRAMS[script]
    with socket.create_server(("localhost", 0)) as probe:
        port = probe.getsockname()[1]
    with_its_modules(script, tmp_path)
    imports = re.compile(r"^\s*(import|from) tf2towers", re.MULTILINE)
    assert not any(imports.search(path.read_text()) for path in tmp_path.iterdir())
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    jobs = {"worker": [f"localhost:{port}"]}
    environment["TF_CONFIG"] = json.dumps({"cluster": jobs, "task": {"type": "worker", "index": 0}})
    done = subprocess.run(
        [sys.executable, "-c", RUN, script, *flags],
        cwd=tmp_path, env=environment, text=True, capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    assert re.search(expected, done.stdout + done.stderr, re.MULTILINE), done.stdout + done.stderr
    assert done.returncode == 0
    if script.startswith(("cifar10", "mnist_multi")):
        assert done.stdout.count("scikit-learn is not installed: training on made-up images") == 1


def test_parameter_servers_run_with_tensorflow_alone(tmp_path):
    script = "mnist_parameter_server.py"
    with_its_modules(script, tmp_path)
    flags = ("--train_steps=60", "--steps_per_request=5", "--log_every=20")
    with Job(["-c", RUN, str(tmp_path / script)], tmp_path, *flags, ps=1, workers=2) as job:
        for task in (("ps", 0), ("worker", 1), ("worker", 0)):
            job.start(*task)
        assert job.processes["worker", 0].wait(timeout=180) == 0, job.printed("worker", 0)
        assert "After 60 training step(s), validation cross entropy = " in job.printed("worker", 0)
        assert (
            job.printed("worker", 0).count("scikit-learn is not installed: training on made-up images") == 1
        )


@pytest.mark.parametrize("script", [*PROGRAMS, "mnist_parameter_server.py"])
def test_each_is_read_in_one_sitting(script, tmp_path):
    """At most 400 lines with all that it imports of modern/; nanoGPT's trainer and model have 336 and 330."""
    with_its_modules(script, tmp_path)
    assert sum(len(path.read_text().splitlines()) for path in tmp_path.iterdir()) <= 400


def test_the_programs_are_all_that_can_be_run():
    runnable = {path.name for path in MODERN.glob("*.py") if '__name__ == "__main__"' in path.read_text()}
    assert {*PROGRAMS, "mnist_parameter_server.py"} == runnable


@pytest.mark.parametrize("script", [*PROGRAMS, "mnist_parameter_server.py"])
def test_its_docstring_names_its_modules(script, tmp_path):
    with_its_modules(script, tmp_path)
    _, _, named = ast.get_docstring(ast.parse((MODERN / script).read_text())).partition("Beside it stand")
    modules = {path.name for path in tmp_path.iterdir()} - {script}
    assert set(re.findall(r"\w+\.py", named)) == modules
