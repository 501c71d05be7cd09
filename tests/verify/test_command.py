"""`tf2towers verify` and `migrate --verify` as a user runs them: statuses, messages, files, nothing left over."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).resolve().parents[2]
AVERAGE = "        grads = strategy.reduce('MEAN', tower_grads)\n"
SMALL = ROOT / "tests/verify/mistakes/legacy/small_towers.py"
TRAINS = """\
import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [4, 3])
w = tf.get_variable('w', [3, 1], initializer=tf.ones_initializer())
loss = tf.reduce_mean(tf.matmul(x, w) ** 2)
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
{body}
"""
STEP = "sess.run(train_op, {x: np.ones((4, 3))})"
CANNOT = {  # what a script does -> what verify says
    "no optimizer": ("import tensorflow as tf\ntf.Session().run(tf.constant(1.0))\n", "ended without training"),
    "no step": (TRAINS.format(body="print('built')"), "it builds an update"),
    "a crash": (TRAINS.format(body=f"{STEP}\nraise ValueError('the disk is full')"), "the disk is full"),
    "a hang": (TRAINS.format(body=f"{STEP}\nimport time\ntime.sleep(1000)"), "1 of 10 training steps within"),
    "a question": (TRAINS.format(body="input('continue? ')"), "asked for input"),
    "Python 2": ("print 'hello'\n", "is Python 2, which nothing here runs: `tf2towers migrate --python3"),
    "a missing module": ("import nowhere_to_be_found\n", "nowhere_to_be_found"),
    "a contrib symbol": (
        "import tensorflow as tf\ntf.contrib.tensorrt.create_inference_graph\n", "--legacy-python"
    ),
}  # fmt: skip


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tf2towers", *arguments]
    return subprocess.run(command, cwd=cwd, text=True, capture_output=True, check=False)


Case = Callable[[str], subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the module's runs leave; all are made at once, two at a time beside the one that hangs."""
    folder = tmp_path_factory.mktemp("verify")
    (folder / "user").mkdir()
    jobs: dict[str, Future[subprocess.CompletedProcess[str]]] = {}
    with ThreadPoolExecutor(3) as pool:
        flags = ["--steps=6"]
        migrated = folder / "migrated"
        jobs["migrate"] = pool.submit(
            run, "migrate", "--verify", "--steps=4", "-o", str(migrated), str(SMALL), "--", *flags
        )
        for name, (text, _) in sorted(CANNOT.items(), key=lambda case: case[0] != "a hang"):
            script = folder / f"{name.replace(' ', '_')}.py"
            script.write_text(text)
            jobs[name] = pool.submit(
                run,
                "verify",
                "--timeout=30" if name == "a hang" else "--timeout=240",
                str(script),
                str(script),
                cwd=folder / "user",
            )
        jobs["modern"] = pool.submit(
            run, "verify", "--gradients-only", "--steps=3", str(ROOT / "legacy/cifar10_towers.py"),
            str(ROOT / "modern/cifar10_mirrored.py"), "--", "--num_gpus=2", "--batch_size=4", "--batch_norm",
            "--log_every=1", cwd=folder / "user",
        )  # fmt: skip
        jobs["migrate"].result()
        right = (migrated / SMALL.name).read_text(encoding="utf-8")
        assert AVERAGE in right
        mutant = folder / "small_towers_without_average.py"
        alone = "        grads = strategy.experimental_local_results(tower_grads)[0]\n"
        mutant.write_text(right.replace(AVERAGE, alone), encoding="utf-8")
        jobs["differs"] = pool.submit(
            run, "verify", "--steps=4", f"--report={folder / 'report'}", f"--json={folder / 'result.json'}",
            str(SMALL), str(mutant), "--", *flags,
        )  # fmt: skip
    for name, job in jobs.items():
        done = job.result()
        (folder / f"{name}.status").write_text(str(done.returncode))
        (folder / f"{name}.text").write_text(done.stdout + done.stderr)
    return folder


def verified(folder: Path, name: str) -> tuple[int, str]:
    return int((folder / f"{name}.status").read_text()), (folder / f"{name}.text").read_text()


@pytest.mark.parametrize("name", CANNOT)
def test_what_cannot_be_verified(name: str, made: Path) -> None:
    status, text = verified(made, name)
    assert status == 2, text
    assert CANNOT[name][1] in text, text
    assert "Traceback (most recent call last)" not in text.split("it wrote last")[0]


def test_nothing_is_written_where_the_user_is(made: Path) -> None:
    assert list((made / "user").iterdir()) == []


def test_a_verified_migration_is_written(made: Path) -> None:
    status, text = verified(made, "migrate")
    assert status == 0, text
    assert "PARITY" in text
    assert (made / "migrated" / SMALL.name).exists()


def test_parity_with_keras(made: Path) -> None:
    """Keras 3's names are paired."""
    status, text = verified(made, "modern")
    words = "PARITY: every gradient and loss of 3 steps on 2 towers is bit-identical"
    assert (status, words in text) == (0, True), text


def test_differs_is_said_after_two_recordings_of_each_side(made: Path) -> None:
    status, text = verified(made, "differs")
    assert status == 1, text
    assert text.startswith("DIFFERS")
    assert "no averaging" in text and "confidence" not in text
    stages = ["original", "migrated", "original again", "migrated again", "original steps", "migrated steps"]
    assert (
        re.findall(r"^(.*): (?:\d+ session calls, )?\d+ training steps, \d+:\d\d$", text, re.MULTILINE)
        == stages
    )
    result = json.loads((made / "result.json").read_text())
    assert (result["status"], result["outcome"]) == (1, "differs")
    assert result["diagnoses"][0]["name"] == "no averaging"


def test_a_report_has_text_page_json_and_recordings(made: Path) -> None:
    report = made / "report"
    assert (report / "report.txt").read_text().startswith("DIFFERS")
    page = (report / "index.html").read_text()
    assert "data:image/png" in page and page.count("<mark>") == 2  # both lines
    assert json.loads((report / "verify.json").read_text()) == json.loads((made / "result.json").read_text())
    assert len(list((report / "recordings/original").glob("step-*.npz"))) > 4


def test_arguments_that_cannot_be() -> None:
    for arguments, words in (
        (("nowhere.py", str(SMALL)), "nowhere.py: there is no such file"),
        ((str(SMALL), str(SMALL), "--steps=0"), "at least 1"),
        ((str(SMALL), str(SMALL), "--timeout=0"), "more than 0"),
    ):
        done = run("verify", *arguments)
        assert (done.returncode, words in done.stderr) == (2, True), done.stderr
