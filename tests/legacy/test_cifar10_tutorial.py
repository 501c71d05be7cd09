"""The tutorial's two programs: queues fill each tower's batches; the evaluation takes the averaged weights."""

import re
from pathlib import Path

import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).parents[2]
FLAGS = ("--network=small", "--batch_size=32")


def test_training_then_evaluation(tmp_path):
    """On the digits: 60 steps of two towers, then each of the 297 others once."""
    import tensorflow as tf

    train, evaluation = f"--train_dir={tmp_path / 'train'}", f"--eval_dir={tmp_path / 'eval'}"
    out, _ = run_python(
        "legacy/cifar10_multi_gpu_train.py", *FLAGS, "--num_gpus=2", "--max_steps=60", train,
        folder=ROOT, seconds=600, TF_CPP_MIN_LOG_LEVEL="3",
    )  # fmt: skip
    line = r"step (\d+), loss = \d+\.\d\d \(\d+\.\d examples/sec; \d+\.\d{3} sec/batch\)$"
    assert re.findall(line, out, re.M) == ["0", "10", "20", "30", "40", "50"]
    (path,) = (tmp_path / "train").glob("events.out.tfevents.*")
    events = list(tf.compat.v1.train.summary_iterator(str(path)))
    tags = {value.tag for event in events for value in event.summary.value}
    assert {"learning_rate", "tower_1/total_loss__raw_", "conv1/weights_1", "conv1/weights/gradients"} <= tags
    nodes = tf.compat.v1.GraphDef()
    for event in events:
        nodes.MergeFromString(event.graph_def)
    # a tower's batches count for the rate's drops: 350 epochs of 1500 / 32 steps
    ops = {node.op for node in nodes.node}
    assert "ApplyGradientDescent" in ops and "ApplyMomentum" not in ops
    constants = [tf.make_ndarray(node.attr["value"].tensor) for node in nodes.node if node.op == "Const"]
    assert any(
        value.ndim == 0 and value.dtype.kind in "if" and value == int(1500 / 32 * 350) for value in constants
    )
    queues = {node.name.partition("/")[0] for node in nodes.node if node.op == "RandomShuffleQueueV2"}
    assert {"tower_0", "tower_1"} <= queues
    out, _ = run_python(
        "legacy/cifar10_eval.py", *FLAGS, "--run_once", f"--checkpoint_dir={tmp_path / 'train'}", evaluation,
        folder=ROOT, seconds=600, TF_CPP_MIN_LOG_LEVEL="3",
    )  # fmt: skip
    (precision,) = re.findall(r"precision @ 1 = (0\.\d{3})$", out, re.M)
    assert float(precision) > 0.7  # measured: 0.865
