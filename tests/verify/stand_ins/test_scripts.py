"""Unedited TF1 scripts on TensorFlow 2: which names they find, and what they print."""

import subprocess
import sys
from pathlib import Path

import pytest
from scripts import SCRIPTS

pytestmark = pytest.mark.tensorflow


def lines(printed: str) -> list[str]:
    return [line for line in printed.strip().splitlines() if not line.startswith("Extracting ")]


@pytest.mark.parametrize("name", [name for name, (_, expected) in SCRIPTS.items() if expected])
def test_script(name: str, found: dict) -> None:
    assert lines(found["scripts"][name]) == lines(SCRIPTS[name][1])


def test_a_module_is_there_without_an_import_of_its_own(tmp_path: Path) -> None:
    """In a process of its own: a module that another script imported stays there."""
    (tmp_path / "script.py").write_text(
        "import tensorflow as tf\n"
        "print(tf.contrib.layers.flatten(tf.zeros([2, 3, 4])).shape, tf.contrib.slim.conv2d.__name__)\n"
        "print(tf.contrib.rnn.GRUCell(3).state_size, tf.contrib.training.HParams(a=1).a)\n"
    )
    program = (
        "import runpy\n"
        "from tf2towers.verify.recorder import placement\n"
        "from tf2towers.verify.stand_ins import install\n"
        "install(placement.install)\n"
        "runpy.run_path('script.py')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["(2, 12) convolution2d", "3 1"], done.stderr[-3000:]


@pytest.mark.parametrize(
    ("spelled", "fetched"), [("tf.compat.v1", "[0.0, 1.0] int"), ("tf", "[1.0, 2.0] Dimension")]
)
def test_variables_of_a_script_of_tf2_that_is_not_eager(tmp_path: Path, spelled: str, fetched: str) -> None:
    """By itself on TF 2.21, and on TF 1.15."""
    (tmp_path / "script.py").write_text(
        f"import tensorflow as tf\n{spelled}.disable_eager_execution()\n"
        f"v = {spelled}.get_variable('v', [1], initializer=tf.zeros_initializer())\nadd = v.assign_add([1.0])\n"
        f"with {spelled}.Session() as session:\n"
        f"    session.run({spelled}.global_variables_initializer())\n"
        "    print([float(session.run([v, add.op])[0][0]) for _ in range(2)], type(v.shape[0]).__name__)\n"
    )
    program = "import runpy\nfrom tf2towers.verify.stand_ins import install\ninstall()\nrunpy.run_path('script.py')\n"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout.splitlines()[-1:] == [fetched], done.stderr[-3000:]


def test_a_name_that_nothing_stands_for_says_what_to_do(found: dict) -> None:
    absent, *errors = lines(found["scripts"]["gone"])
    assert absent == "False False"
    touched = ["gan.gan_loss", "gan.gan_model", "tpu.RunConfig"]
    for error, name in zip(
        errors, [*(f"tf.contrib.{package}" for package in touched), "tf.estimator.Estimator"], strict=False
    ):
        assert error.startswith(f"{name} is not in TensorFlow 2"), error
        assert "--legacy-python" in error
    assert "NoStandInError: tf.contrib.gan.GANModel is not" in errors[-1]  # a base class


def test_every_name_of_the_tables_is_there(found: dict) -> None:
    assert found["names"] == []
