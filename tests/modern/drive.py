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
import trainer_data  # noqa: E402

REPLICAS, PART = 2, 8
OUT: dict[str, np.ndarray] = {}


def distribute(strategy, array: np.ndarray, sizes: list[int]):
    parts = np.split(array, np.cumsum(sizes)[:-1])
    return strategy.experimental_distribute_values_from_function(
        lambda context: tf.convert_to_tensor(parts[context.replica_id_in_sync_group])
    )


def local_sum(strategy, shares) -> np.ndarray:
    return sum(share.numpy() for share in strategy.experimental_local_results(shares))


def one_step(
    checkpoint: str, kind: str, sizes: list[int], jit: bool = False, precision: str = "float32"
) -> None:
    """The first batch's loss and gradients on the legacy weights, summed over the replicas."""
    options = SimpleNamespace(
        batch_norm=True, network="small", seed=0, learning_rate=0.0, decay_rate=1.0, momentum=0.9, jit=jit,
        precision=precision,
    )  # fmt: skip
    devices.set_precision(precision)
    strategy = devices.mirrored([f"/cpu:{device}" for device in range(REPLICAS)])
    trainer = modern.Trainer(strategy, options, sum(sizes), 1)
    names = {id(variable): name for name, variable in modern.tf1_names(trainer.model).items()}
    legacy = tf.train.load_checkpoint(checkpoint).get_tensor

    def reset() -> None:
        trainer.set_weights(legacy)
        for model in (trainer.model, trainer.averaged):
            for name, variable in modern.tf1_names(model).items():
                if "moving" in name:  # the checkpoint has them after the step
                    variable.assign(tf.zeros_like(variable) if "mean" in name else tf.ones_like(variable))
        for (
            average
        ) in trainer.averaged.trainable_variables:  # the rate is 0: so that they have somewhere to go
            average.assign(average + 1.0)

    reset()
    images, labels = next(trainer_data.batches(*trainer_data.load(), REPLICAS * PART, seed=0))
    batch = [distribute(strategy, array, sizes) for array in (images, labels)]
    losses, gradients = trainer.replica_gradients(*batch)
    scale = devices.scale_left(trainer.optimizer)
    assert (scale == 1.0) == (precision != "float16" or not hasattr(trainer.optimizer, "scale_loss"))
    for variable, shares in zip(trainer.model.trainable_variables, gradients, strict=True):
        OUT[f"{kind}:gradient:{names[id(variable)]}"] = local_sum(strategy, shares) / scale
    reset()  # batch norm's statistics have moved
    OUT[kind + ":loss"] = tf.function(trainer.train_step)(*batch).numpy()
    np.testing.assert_allclose(OUT[kind + ":loss"], local_sum(strategy, losses), rtol=1e-6)
    for name, average in modern.tf1_names(trainer.averaged).items():
        if "moving" not in name:
            OUT[f"{kind}:average:{name}"] = average.numpy()
    for name, variable in modern.tf1_names(trainer.model).items():
        value = variable if isinstance(variable, tf.Variable) else variable.value  # of Keras 2, of Keras 3
        OUT[f"{kind}:variable:{name}"] = np.stack(strategy.experimental_local_results(value))
    if kind == "equal":
        evaluation(trainer, legacy)


def evaluation(trainer, legacy) -> None:
    """What the trainer's averaged weights say of the test images, and what the legacy network does."""
    trainer.set_weights(legacy)
    images, labels = trainer_data.load_digits("test")
    images = trainer_data.standardise(images)
    OUT["evaluation:logits"] = trainer.averaged(images, training=False).numpy()
    dataset, _ = cifar10_input.examples("", "test")
    OUT["evaluation:accuracy"] = np.float32(trainer.evaluate(dataset))
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
    modern.train()
    reader = tf.train.load_checkpoint(str(train_dir))
    for name in reader.get_variable_to_shape_map():
        if name.endswith("VARIABLE_VALUE") and not name.startswith("save_counter"):
            OUT[f"{kind}:{name}"] = reader.get_tensor(name)


def inputs() -> None:
    """The trainer's own images, and CIFAR-10 in files written here."""
    strategy = tf.distribute.get_strategy()
    seen = [cifar10_input.training_batches(strategy, "", [150], 0, first, False) for first in (0, 3)]
    own = [[next(batches) for _ in range(12)] for batches in seen]
    OUT["input:images"], OUT["input:labels"] = (np.stack(arrays) for arrays in zip(*own[0], strict=True))
    OUT["input:resumed"] = np.stack([images for images, _ in own[1]])
    both = devices.mirrored(["/cpu:0", "/cpu:1"])
    images, _ = next(cifar10_input.training_batches(both, "", [50, 100], 0, 3, False))
    OUT["input:parts"] = np.concatenate([part.numpy() for part in both.experimental_local_results(images)])
    again = [
        next(cifar10_input.training_batches(strategy, "", [20], 5, 2, True))[0].numpy() for _ in range(2)
    ]
    OUT["input:distorted"] = np.stack(again)
    trainer_data.RECORDS_PER_FILE = 2
    trainer_data.find_cifar10.__defaults__ = (2,)
    folder, random = Path(sys.argv[2]).parent / "cifar", np.random.RandomState(0)
    folder.mkdir()
    for name in [name for names in trainer_data.CIFAR10_FILES.values() for name in names]:
        records = random.randint(0, 256, (2, 3073)).astype(np.uint8)
        records[:, 0] %= 10
        (folder / name).write_bytes(records.tobytes())
    dataset, number = cifar10_input.examples(str(folder), "train")
    images, labels = zip(*dataset.as_numpy_iterator(), strict=True)
    expected = trainer_data.load_cifar10(str(folder), "train", 2)
    assert number == 10
    np.testing.assert_array_equal(np.stack(images), expected[0])
    np.testing.assert_array_equal(np.stack(labels), expected[1])
    training(
        folder.parent / "files",
        "files",
        f"--data_dir={folder}",
        "--max_steps=2",
        "--batch_size=3",
        "--network=tutorial",
    )


def infinities() -> None:
    """A weight after steps in which no replica's gradient is finite, the first one's, the second one's, or both."""
    strategy = devices.mirrored(["/cpu:0", "/cpu:1"])
    with strategy.scope():
        layer = keras.layers.Dense(1, kernel_initializer="ones", use_bias=False)
        layer.build((None, 1))
        optimizer = devices.with_loss_scaling(keras.optimizers.SGD(1.0), "float16")
        optimizer.build(layer.trainable_variables)

    @tf.function
    def step(finite: tf.Tensor) -> None:
        def replica() -> None:
            own = finite[tf.distribute.get_replica_context().replica_id_in_sync_group]
            gradient = tf.where(own, 1.0, np.inf)
            optimizer.apply_gradients([(tf.reshape(gradient, [1, 1]), layer.trainable_variables[0])])

        strategy.run(replica)

    seen = []
    for finite in ([False, False], [True, False], [False, True], [True, True]):
        step(tf.constant(finite))
        seen.append(float(layer.get_weights()[0][0, 0]))
    OUT["infinities"] = np.array(seen)


def main() -> None:
    """Everything the tests need, in one process."""
    checkpoint, out = sys.argv[1], Path(sys.argv[2])
    modern.define_flags()
    flags.FLAGS(["cifar10_mirrored"])
    print(devices.choose_devices(REPLICAS))
    batch_norm = keras.layers.BatchNormalization
    if keras.__version__ < "3":  # its fused kernel rounds otherwise: 1.5e-6 of a gradient's largest element
        keras.layers.BatchNormalization = functools.partial(batch_norm, fused=False)
    one_step(checkpoint, "equal", [PART, PART])
    keras.layers.BatchNormalization = batch_norm
    one_step(checkpoint, "unequal", [5, 11])
    one_step(checkpoint, "jit", [PART, PART], jit=True)
    one_step(checkpoint, "bfloat16", [PART, PART], precision="bfloat16")
    one_step(checkpoint, "float16", [PART, PART], precision="float16")
    devices.set_precision("float32")
    infinities()
    folder = out.parent
    training(folder / "whole", "whole", "--max_steps=6", "--eval_every=4", "--summary_every=3")
    training(folder / "halves", "half", "--max_steps=3")
    training(folder / "halves", "resumed", "--max_steps=6", "--log_every=5")  # several steps in one call
    training(folder / "speed", "speed", "--max_steps=2", "--split_by_speed=1,3", "--precision=float16")
    try:
        training(folder / "speed", "other model", "--max_steps=4", "--nobatch_norm")
    except SystemExit as stopped:
        print(stopped)
    inputs()
    np.savez(out, **OUT)


if __name__ == "__main__":
    main()
