"""Unedited TF1 scripts on TensorFlow 2, and the stand-ins in a TF1 graph against what TF 1.15 makes there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from scripts import ON_TF1, SCRIPTS

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


def test_the_runtime_makes_the_graphs_of_tf1(found: dict) -> None:
    # what tf_keras itself makes otherwise: `EXCEPTIONS` of tests/runtime/tf1/test_cases.py
    assert {case: why.partition(":")[2][:12] for case, why in found["cases"].items()} == {
        "layer: conv1d strided": " operations:",
        "rnn: LSTMBlockCell peephole": " operations:",
    }


def test_every_name_of_the_tables_is_there(found: dict) -> None:
    assert found["names"] == []


@pytest.mark.skipif(
    "TF2TOWERS_TF1_PYTHON" not in os.environ, reason="TF2TOWERS_TF1_PYTHON names no interpreter"
)
def test_the_same_scripts_on_tf1(tmp_path: Path) -> None:
    for name in ON_TF1:
        (tmp_path / f"{name}.py").write_text(SCRIPTS[name][0])
    command = [os.environ["TF2TOWERS_TF1_PYTHON"], str(Path(__file__).with_name("under_tf1.py"))]
    # a TensorFlow 2 that was imported here has set it: TF 1.15 would start with TF2 behaviour
    environment = {name: value for name, value in os.environ.items() if name != "TF2_BEHAVIOR"}
    done = subprocess.run(
        [*command, *(f"{name}.py" for name in ON_TF1)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    printed = dict(part.split(".py\n", 1) for part in done.stdout.split("== ")[1:])
    for name in ON_TF1:
        assert lines(printed[name]) == lines(SCRIPTS[name][1]), name
