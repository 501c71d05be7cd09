"""The legacy trainer runs as its TF1 users would run it, and the same seed gives the same bits."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.runtime.one_process import OneProcess
from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).parents[2]
LOG_LINE = re.compile(
    r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+: step (\d+), loss = (\d+\.\d{4}) "
    r"\(\d+\.\d examples/sec; \d+\.\d{3} sec/batch\)$",
    re.MULTILINE,
)


def checkpoint(train_dir: Path) -> dict[str, np.ndarray]:
    import tensorflow as tf

    reader = tf.train.load_checkpoint(str(train_dir))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


class Events(NamedTuple):
    """What is in an event file: tags, learning rates by step, and each node's device and inputs in the graph."""

    tags: set[str]
    rates: list[float]
    graph: dict[str, Any]


def events(train_dir: Path) -> Events:
    import tensorflow as tf

    tags, rates, graph = set(), [], tf.compat.v1.GraphDef()
    (path,) = train_dir.glob("events.out.tfevents.*")
    for event in tf.compat.v1.train.summary_iterator(str(path)):
        graph.MergeFromString(event.graph_def)
        tags |= {value.tag for value in event.summary.value}
        rates += [value.simple_value for value in event.summary.value if value.tag == "learning_rate"]
    return Events(tags, rates, {node.name: node for node in graph.node})


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Short runs, in two processes: (what they printed, their last checkpoint, their directory) by name."""
    short = ("--max_steps=60", "--decay_steps=40", "--summary_every=60")
    flags = {
        "dataset": (*short, "--batch_norm"),
        "feed": (*short, "--batch_norm", "--input=feed"),
        "by speed": ("--max_steps=6", "--split_by_speed=1,2", "--gpu_ids=0,2"),
        "first step": ("--max_steps=1", "--learning_rate=0.5", "--momentum=0", "--num_gpus=4"),
        "one tower": ("--max_steps=2", "--num_gpus=1", "--summary_every=2", "--network=tutorial"),
        "first gpu": (
            "--max_steps=4", "--variables=gpu", "--update_ops=all", "--batch_norm", "--network=tutorial", "--distort",
            "--summary_every=2", "--epochs_per_decay=0.016",
        ),
    }  # fmt: skip
    folders = {name: tmp_path_factory.mktemp("legacy") for name in flags}
    common = ("legacy/cifar10_towers.py", "--batch_size=6", "--log_every=1")
    commands = {name: [*common, *own, f"--train_dir={folders[name]}"] for name, own in flags.items()}
    halves = [list(commands)[part::2] for part in range(2)]
    processes = [OneProcess([commands[name] for name in half], ROOT) for half in halves]
    results = {}
    for half, process in zip(halves, processes, strict=True):
        for name, (status, out) in zip(half, process.ended(), strict=True):
            assert status == 0, out
            results[name] = (out, checkpoint(folders[name]), folders[name])
    return results


def test_log_lines(runs):
    out, _, _ = runs["dataset"]
    lines = LOG_LINE.findall(out)
    assert [int(step) for step, _ in lines] == list(range(60))
    losses = [float(loss) for _, loss in lines]
    assert np.mean(losses[-5:]) < 0.7 * np.mean(losses[:5])


def test_both_input_styles_give_the_same_bits(runs):
    """Two processes, two ways in for the same batches: also the proof that a run can be repeated."""
    _, dataset, _ = runs["dataset"]
    _, feed, _ = runs["feed"]
    assert dataset.keys() == feed.keys()
    for name, value in dataset.items():
        np.testing.assert_array_equal(feed[name], value, err_msg=name)


def test_state_a_tower_script_has(runs):
    _, state, train_dir = runs["dataset"]
    for name in (
        "conv1/weights",
        "conv1/weights/Momentum",
        "conv1/weights/ExponentialMovingAverage",
        "conv2/moving_variance",
        "tower_1/cross_entropy/avg",
        "global_step",
    ):
        assert name in state
    assert state["global_step"] == 60
    assert (state["conv1/moving_mean"] != 0).any()
    assert "conv1/biases" not in state  # beta takes their place
    assert list(train_dir.glob("events.out.tfevents.*"))


def constant(node: Any) -> list[float]:
    """The values of a Const node."""
    import tensorflow as tf

    return tf.make_ndarray(node.attr["value"].tensor).ravel().tolist()


@pytest.mark.parametrize(
    ("name", "sizes", "devices"),
    [("dataset", [6, 6], [0, 1]), ("by speed", [4, 8], [0, 2]), ("first step", [6] * 4, [0, 1, 2, 3])],
)
def test_each_tower_takes_its_part_of_the_batch_on_its_own_gpu(runs, name, sizes, devices):
    """Equal parts, or in proportion to the speeds; the GPUs are those named."""
    out, _, folder = runs[name]
    assert LOG_LINE.findall(out)
    graph = events(folder).graph
    assert constant(graph["Const"]) == sizes
    for tower, (size, device) in enumerate(zip(sizes, devices, strict=True)):
        first = graph[f"tower_{tower}/conv1/Conv2D"]
        assert first.input[0] == ("split" if tower == 0 else f"split:{tower}"), size
        assert first.device == f"/device:GPU:{device}"


def test_batches_come_from_an_iterator_or_are_fed(runs):
    kinds = {name: {node.op for node in events(runs[name][2]).graph.values()} for name in ("dataset", "feed")}
    assert "IteratorGetNext" in kinds["dataset"] and "Placeholder" not in kinds["dataset"]
    assert "Placeholder" in kinds["feed"] and "IteratorGetNext" not in kinds["feed"]


def test_gradients_and_losses_are_averaged_over_the_towers(runs):
    """Each variable's gradients: expanded, concatenated, their mean, applied on the CPU; the loss is a mean, too."""
    graph = events(runs["dataset"][2]).graph
    applied = [node for node in graph.values() if node.op == "ApplyMomentum"]
    assert len(applied) == 10 and {node.device for node in applied} == {"/device:CPU:0"}
    for node in applied:
        mean = graph[node.input[3]]
        parts = [graph[name] for name in graph[mean.input[0]].input[:2]]
        assert (mean.op, graph[mean.input[0]].op) == ("Mean", "ConcatV2")
        assert [part.op for part in parts] == ["ExpandDims"] * 2
        assert ["tower_0/" in parts[0].input[0], "tower_1/" in parts[1].input[0]] == [True, True]
    losses = [node for node in graph.values() if node.op == "Pack" and "tower_0/" in node.input[0]]
    assert any("tower_1/" in node.input[1] for node in losses)


def test_four_towers_and_plain_gradient_descent(runs):
    _, state, _ = runs["first step"]
    assert not any("Momentum" in name for name in state)
    assert sorted(name for name in state if name.startswith("tower_3/"))


def test_moving_average_of_the_weights_comes_after_the_step(runs):
    """It starts at the initial weights; one step later it has gone 1 - 2/11 of the way to the new ones."""
    import tensorflow as tf

    _, state, _ = runs["first step"]
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        normal = tf.compat.v1.truncated_normal_initializer(stddev=1 / 96.0, seed=4)
        initial = sess.run(normal([96, 10]))
    new, average = state["softmax_linear/weights"], state["softmax_linear/weights/ExponentialMovingAverage"]
    assert np.abs(new - initial).max() > 1e-3  # a control: the step did something
    np.testing.assert_allclose(average, initial + (new - initial) * (1 - 2 / 11), rtol=1e-5, atol=1e-7)


def tags_of(network: str, batch_norm: bool) -> set[str]:
    """Without any tower's name: losses, activations, variables and their gradients, and the rate."""
    hidden = ["local3", "local4"] if network == "tutorial" else ["local3"]
    layers = ["conv1", "conv2", *hidden, "softmax_linear"]
    losses = ["cross_entropy", "total_loss", *(f"{layer}/weight_loss" for layer in hidden)]
    variables = [f"{layer}/weights" for layer in layers]
    for layer in layers:
        normalized = batch_norm and layer.startswith("conv")
        variables += [f"{layer}/{name}" for name in (["beta", "gamma"] if normalized else ["biases"])]
    return {
        "learning_rate", *losses, *(f"{loss} (raw)" for loss in losses),
        *(f"{layer}/{what}" for layer in layers for what in ("activations", "sparsity")),
        *variables, *(f"{name}/gradients" for name in variables),
    }  # fmt: skip


def test_summaries_have_the_same_tags_for_one_and_two_towers(runs):
    assert events(runs["one tower"][2]).tags == tags_of("tutorial", False)
    assert events(runs["dataset"][2]).tags == tags_of("small", True)
    assert events(runs["first gpu"][2]).tags == tags_of("tutorial", True)


def test_where_variables_are_and_whose_updates_are_run(runs):
    variables = ("conv1/weights", "conv2/moving_mean", "softmax_linear/biases")
    for name, device, towers in (
        ("dataset", "/device:CPU:0", {"tower_1"}),
        ("first gpu", "/device:GPU:0", {"tower_0", "tower_1"}),
    ):
        graph = events(runs[name][2]).graph
        assert {graph[variable].device for variable in variables} == {device}
        reached, waiting = set(), ["Momentum"]
        while waiting:
            place = waiting.pop()
            if place not in reached:
                reached.add(place)
                waiting += [text.lstrip("^").partition(":")[0] for text in graph[place].input]
        updates = {place for place in reached if graph[place].op.startswith("Assign") and "/conv" in place}
        assert {place.partition("/")[0] for place in updates} == towers


def test_the_rate_drops_after_epochs(runs):
    """0.016 epochs of 1500 digits are 2 steps of 12 images. A summary is written before the next step is made."""
    np.testing.assert_allclose(events(runs["first gpu"][2]).rates, [0.002, 0.0002], rtol=1e-5)


def test_the_tutorials_network(runs):
    _, state, _ = runs["one tower"]
    shapes = {
        name: state[f"{name}/weights"].shape
        for name in ("conv1", "conv2", "local3", "local4", "softmax_linear")
    }
    assert shapes == {
        "conv1": (5, 5, 3, 64), "conv2": (5, 5, 64, 64), "local3": (2304, 384), "local4": (384, 192),
        "softmax_linear": (192, 10),
    }  # fmt: skip


def test_distorted_images_are_cropped_flipped_and_differ_in_brightness_and_contrast():
    """The function of the script, on one image whose left half is dark and whose upper half is blue."""
    program = """
import sys
import numpy as np
sys.argv = ['x', '--seed=3']
import cifar10_towers as trainer
tf = trainer.tf
tf.app.flags.FLAGS(sys.argv)
image = np.full((32, 32, 3), 60, np.uint8)
image[:, 16:] = 130
image[:16, :, 2] += 60
before = []
keep = tf.image.per_image_standardization
tf.image.per_image_standardization = lambda image: before.append(image) or keep(image)
made, label = trainer.distorted(tf.constant(image), tf.constant(7))
with tf.Session() as sess:
    runs = [sess.run([before[0], made, label]) for _ in range(40)]
raw = np.stack([run[0] for run in runs])
print(raw.shape, made.shape, {int(run[2]) for run in runs})
print(sorted(set((raw[:, 0, 0, 0] > raw[:, 0, -1, 0]).tolist())))                  # flipped or not
print(len({tuple(np.argmax(np.abs(np.diff(image[:, 0, 2])))[None]) for image in raw}) > 3)  # cropped elsewhere
print(np.ptp(raw.mean(axis=(1, 2, 3))) > 40, np.ptp(np.ptp(raw[..., 0], axis=(1, 2))) > 40)  # brightness, contrast
print(np.abs(np.stack([run[1] for run in runs]).mean(axis=(1, 2, 3))).max() < 1e-4)
"""
    out, _ = run_python("-c", program, folder=ROOT / "legacy", TF_CPP_MIN_LOG_LEVEL="3")
    assert out.splitlines() == [
        "(40, 24, 24, 3) (24, 24, 3) {7}",
        "[False, True]",
        "True",
        "True True",
        "True",
    ]
