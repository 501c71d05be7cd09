"""Run by test_cifar10_mirrored.py in a process of its own, since TensorFlow takes its devices once a process.

    python drive.py LEGACY_CHECKPOINT OUT.npz

The checkpoint is of a legacy run of one step with learning rate 0: it holds the first weights, and in the
momentum slots that step's averaged gradients. OUT gets the arrays the tests look at.
"""

import functools
import sys
from pathlib import Path
from types import SimpleNamespace

import keras
import numpy as np
import tensorflow as tf
from absl import flags

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "modern"), str(ROOT / "legacy")]
import cifar10_input  # noqa: E402
import cifar10_mirrored as modern  # noqa: E402
import cifar10_model  # noqa: E402
import devices  # noqa: E402
import digits  # noqa: E402
import precision  # noqa: E402
import trainer_data  # noqa: E402

REPLICAS, PART = 2, 8
OUT: dict[str, np.ndarray] = {}


def tf1_names(model: keras.Model) -> dict:
    """The model's variables by the names the legacy script gives them, as 'conv1/weights'."""
    renamed = {"kernel": "weights", "bias": "biases"}
    names = {}
    for layer in model.layers:
        for variable in layer.variables:
            own = variable.name.rpartition("/")[2].partition(":")[0]
            names[f"{layer.name.removesuffix('_norm')}/{renamed.get(own, own)}"] = variable
    return names


def set_weights(trainer, array) -> None:
    """Those of the legacy script: `array` returns one by its name there."""
    for model in (trainer.model, trainer.averaged):
        for name, variable in tf1_names(model).items():
            variable.assign(array(name))


def local_sum(strategy, shares) -> np.ndarray:
    return sum(share.numpy() for share in strategy.experimental_local_results(shares))


def one_step(checkpoint: str, kind: str, jit: bool = False, layers: str = "float32") -> None:
    """The first batch's loss and gradients on the legacy weights, summed over the replicas."""
    options = SimpleNamespace(
        batch_norm=True, seed=0, learning_rate=0.0, decay_rate=1.0, momentum=0.9, jit=jit,
        precision=layers,
    )  # fmt: skip
    precision.set_policy(layers)
    strategy = devices.mirrored([f"/cpu:{device}" for device in range(REPLICAS)])
    trainer = modern.Trainer(strategy, options, 1)
    names = {id(variable): name for name, variable in tf1_names(trainer.model).items()}
    legacy = tf.train.load_checkpoint(checkpoint).get_tensor

    def reset() -> None:
        set_weights(trainer, legacy)
        for model in (trainer.model, trainer.averaged):
            for name, variable in tf1_names(model).items():
                if "moving" in name:  # the checkpoint has them after the step
                    variable.assign(tf.zeros_like(variable) if "mean" in name else tf.ones_like(variable))
        for (
            average
        ) in trainer.averaged.trainable_variables:  # the rate is 0: so that they have somewhere to go
            average.assign(average + 1.0)

    reset()
    images, labels = next(trainer_data.batches(*trainer_data.load(), REPLICAS * PART, seed=0))
    parts = tf.data.Dataset.from_tensor_slices((images, labels)).batch(PART).repeat()

    def dataset(context: tf.distribute.InputContext) -> tf.data.Dataset:
        return parts.shard(context.num_input_pipelines, context.input_pipeline_id)

    flow = iter(strategy.distribute_datasets_from_function(dataset, devices.input_options(strategy)))
    batch = next(flow)
    losses, gradients = tf.function(lambda: strategy.run(lambda *part: trainer.compute(*part), args=batch))()  # noqa: PLW0108
    scale = float(trainer.optimizer.scale_loss(1.0))
    assert (scale == 1.0) == (layers != "float16")
    for variable, shares in zip(trainer.model.trainable_variables, gradients, strict=True):
        OUT[f"{kind}:gradient:{names[id(variable)]}"] = local_sum(strategy, shares) / scale
    reset()  # batch norm's statistics have moved
    OUT[kind + ":loss"] = trainer.train_steps(flow, tf.constant(1)).numpy()
    np.testing.assert_allclose(OUT[kind + ":loss"], local_sum(strategy, losses), rtol=1e-6)
    for name, average in tf1_names(trainer.averaged).items():
        if "moving" not in name:
            OUT[f"{kind}:average:{name}"] = average.numpy()
    trainer.settle()
    for name, variable in tf1_names(trainer.model).items():
        OUT[f"{kind}:variable:{name}"] = np.stack(strategy.experimental_local_results(variable.value))
    if kind == "equal":
        evaluation(trainer, legacy)


def evaluation(trainer, legacy) -> None:
    """What the trainer's averaged weights say of the test images, and what the legacy network does."""
    set_weights(trainer, legacy)
    for variable in trainer.model.trainable_variables:  # not those that are evaluated
        variable.assign(tf.zeros_like(variable))
    images, labels = trainer_data.load_digits("test")
    images = trainer_data.standardise(images)
    OUT["evaluation:logits"] = trainer.averaged(images, training=False).numpy()
    OUT["evaluation:accuracy"] = np.float32(trainer.evaluate(*cifar10_input.load("", "test")))
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        logits = cifar10_model.inference(tf.constant(images), batch_norm=True, is_training=False)
        assigned = [v1.assign(variable, legacy(variable.op.name)) for variable in v1.global_variables()]
        with v1.Session() as sess:
            sess.run(assigned)
            OUT["evaluation:legacy"] = expected = sess.run(logits)
    OUT["evaluation:legacy accuracy"] = np.float32(np.mean(expected.argmax(axis=1) == labels))


def training(train_dir: Path, kind: str, *arguments: str) -> None:
    """One whole run of the trainer, and what its last checkpoint holds."""
    common = [
        "--batch_size=6",
        "--batch_norm",
        "--decay_steps=4",
        "--log_every=1",
        f"--train_dir={train_dir}",
    ]
    flags.FLAGS(["cifar10_mirrored", "--num_gpus=2", *common, *arguments])
    print("RUN", kind)
    devices.choose_devices(2)
    precision.set_policy(flags.FLAGS.precision)
    with tf.summary.create_file_writer(str(train_dir)).as_default():
        modern.train(devices.mirrored(["/cpu:0", "/cpu:1"]))
    reader = tf.train.load_checkpoint(str(train_dir))
    for name in reader.get_variable_to_shape_map():
        if name.endswith("VARIABLE_VALUE") and not name.startswith("save_counter"):
            OUT[f"{kind}:{name}"] = reader.get_tensor(name)


def inputs() -> None:
    """The trainer's own images, and CIFAR-10 in files written here."""
    strategy = tf.distribute.get_strategy()
    arrays = cifar10_input.load("", "train")
    seen = [cifar10_input.training_batches(strategy, arrays, 150, 0, first, False) for first in (0, 3, 11)]
    own = [[next(batches) for _ in range(12)] for batches in seen]
    OUT["input:images"], OUT["input:labels"] = (np.stack(arrays) for arrays in zip(*own[0], strict=True))
    OUT["input:resumed"] = np.stack([images for images, _ in own[1]])
    OUT["input:resumed later"] = own[2][0][0].numpy()
    both = devices.mirrored(["/cpu:0", "/cpu:1"])
    images, _ = next(cifar10_input.training_batches(both, arrays, 75, 0, 3, False))
    OUT["input:parts"] = np.concatenate([part.numpy() for part in both.experimental_local_results(images)])
    again = [
        next(cifar10_input.training_batches(strategy, arrays, 20, 5, first, True)) for first in (2, 2, 3)
    ]
    OUT["input:distorted"] = np.stack([images for images, _ in again])
    folder, random = Path(sys.argv[2]).parent / "cifar", np.random.RandomState(0)
    folder.mkdir()
    for name in [*(f"data_batch_{number}.bin" for number in range(1, 6)), "test_batch.bin"]:
        records = random.randint(0, 256, (2, 3073)).astype(np.uint8)
        records[:, 0] %= 10
        (folder / name).write_bytes(records.tobytes())
    for ours, theirs in zip(
        cifar10_input.load(str(folder), "train"),
        trainer_data.load(str(folder), "train"),
        strict=True,
    ):
        assert len(ours) == 10
        np.testing.assert_array_equal(ours, theirs)
    flags = (f"--data_dir={folder}", "--max_steps=2", "--batch_size=3")
    training(folder.parent / "files", "files", *flags)
    for split in ("train", "test"):
        for ours, theirs in zip(digits.load(split), trainer_data.load_digits(split), strict=True):
            np.testing.assert_array_equal(ours, theirs)


def infinities() -> None:
    """A weight after steps in which no replica's gradient is finite, the first one's, the second one's, or both."""
    strategy = devices.mirrored(["/cpu:0", "/cpu:1"])
    with strategy.scope():
        layer = keras.layers.Dense(1, kernel_initializer="ones", use_bias=False)
        layer.build((None, 1))
        optimizer = precision.LossScaleOptimizer(keras.optimizers.SGD(1.0))
        optimizer.build(layer.trainable_variables)

    @tf.function
    def step(finite: tf.Tensor) -> None:
        def replica() -> None:
            own = finite[tf.distribute.get_replica_context().replica_id_in_sync_group]
            gradient = tf.where(own, 1.0, np.inf)
            optimizer.apply([tf.reshape(gradient, [1, 1])], layer.trainable_variables)

        strategy.run(replica)

    seen = []
    for finite in ([False, False], [True, False], [False, True], [True, True]):
        step(tf.constant(finite))
        seen.append(float(layer.get_weights()[0][0, 0]))
    assert (precision.steps_made(optimizer), int(optimizer.iterations.numpy())) == (4, 1)
    OUT["infinities"] = np.array(seen)


def main() -> None:
    """Everything the tests need, in one process."""
    checkpoint, out = sys.argv[1], Path(sys.argv[2])
    modern.define_flags()
    flags.FLAGS(["cifar10_mirrored"])
    print(devices.choose_devices(REPLICAS))
    one_step(checkpoint, "equal")
    one_step(checkpoint, "jit", jit=True)
    one_step(checkpoint, "bfloat16", layers="bfloat16")
    one_step(checkpoint, "float16", layers="float16")
    precision.set_policy("float32")
    infinities()
    folder = out.parent
    training(folder / "whole", "whole", "--max_steps=6", "--checkpoint_every=3", "--summary_every=3")
    training(folder / "halves", "half", "--max_steps=3")
    training(folder / "halves", "resumed", "--max_steps=6", "--log_every=5")  # several steps in one call
    scaling = precision.LossScaleOptimizer  # the first steps are skipped
    precision.LossScaleOptimizer = functools.partial(scaling, initial_scale=2.0**18)
    training(folder / "skipping", "skipping", "--max_steps=6", "--checkpoint_every=3", "--precision=float16")
    training(folder / "skipped", "skipped", "--max_steps=3", "--precision=float16")
    training(folder / "skipped", "skipped, resumed", "--max_steps=6", "--precision=float16")
    precision.LossScaleOptimizer = scaling
    flags.FLAGS["precision"].unparse()
    try:
        training(folder / "halves", "other model", "--max_steps=4", "--nobatch_norm")
    except SystemExit as stopped:
        print(stopped)
    inputs()
    np.savez(out, **OUT)


if __name__ == "__main__":
    main()
