"""When a migrated program looks for devices: CUDA takes CUDA_VISIBLE_DEVICES as it is then, and no later one."""

from __future__ import annotations

import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

GROWTH = "TF_FORCE_GPU_ALLOW_GROWTH"
SCRIPT = """\
import tensorflow.compat.v1 as tf
from tensorflow.python import pywrap_tfe
from tf2towers.runtime import Session, TowerStrategy, graph_mode

look, looked = pywrap_tfe.TF_ListPhysicalDevices, []
pywrap_tfe.TF_ListPhysicalDevices = lambda: looked.append(True) or look()

graph_mode()
with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.get_variable("w", [2])
    train_op = tf.train.AdamOptimizer().minimize(tf.reduce_sum(x * w))
    assert not looked  # here a script's main() says which GPUs
    {begin}
    assert looked
    print(len(tf.config.list_logical_devices("CPU")))
"""


@pytest.mark.parametrize("begin", ["Session().run(tf.global_variables_initializer())", "TowerStrategy(3)"])
def test_not_before_a_session_or_a_strategy_is_made(begin: str) -> None:
    assert run_python("-c", SCRIPT.format(begin=begin))[0].split() == ["8"]


@pytest.mark.parametrize("said", [None, "false"])
def test_gpus_take_memory_as_they_need_it_unless_the_environment_says_otherwise(
    said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(GROWTH, raising=False)
    program = (
        f"import os; from tf2towers.runtime import graph_mode; graph_mode(); print(os.environ['{GROWTH}'])"
    )
    out, _ = run_python("-c", program, **({GROWTH: said} if said else {}))
    assert out.split() == [said or "true"]


def test_a_plain_import_takes_functions_for_devices() -> None:
    program = (
        "import tensorflow as tf\nfrom tf2towers.runtime import graph_mode\ngraph_mode()\n"
        "with tf.device(lambda op: '/cpu:1' if op.type == 'Add' else '/cpu:0'):\n"
        "    total = tf.add(tf.constant(1.0), 2.0, name='total')\nprint(total.op.device[-5:].upper(), total.op.type)\n"
        "with tf.device('/cpu:2'):\n    print(tf.constant(1.0).op.device[-5:])\n"
    )
    out, _ = run_python("-c", program)
    assert out.split() == ["CPU:0", "AddV2", "CPU:2"]
