"""Run by test_cifar10_mirrored.py in a process of its own, since TensorFlow takes its devices once a process.

    python drive.py LEGACY_CHECKPOINT OUT.npz

The checkpoint is of a legacy run of one step with learning rate 0: it holds the first weights, and in the
momentum slots that step's averaged gradients. OUT gets the arrays the tests look at.
"""

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import keras
import numpy as np
import tensorflow as tf
from absl import flags

from tf2towers import data

ROOT = Path(__file__).parents[2]
REPLICAS, PART = 2, 8
OUT: dict[str, np.ndarray] = {}


def load_modern():
    """modern/cifar10_mirrored.py as a module."""
    spec = importlib.util.spec_from_file_location("cifar10_mirrored", ROOT / "modern" / "cifar10_mirrored.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def one_step(modern, checkpoint: str, kind: str, sizes: list[int], jit: bool = False) -> None:
    """The first batch's loss and gradients on the legacy weights, summed over the replicas."""
    options = SimpleNamespace(
        batch_norm=True, seed=0, learning_rate=0.0, decay_steps=1, decay_rate=1.0, momentum=0.9
    )
    strategy = tf.distribute.MirroredStrategy([f"/cpu:{device}" for device in range(REPLICAS)])
    trainer = modern.Trainer(strategy, options, sum(sizes), jit)
    trainer.set_weights(tf.train.load_checkpoint(checkpoint).get_tensor)
    for name, variable in modern.tf1_names(trainer.model).items():
        if "moving" in name:  # the checkpoint has them after the step
            variable.assign(tf.zeros_like(variable) if "mean" in name else tf.ones_like(variable))
    for average in trainer.averages:  # the learning rate is 0: so that they have somewhere to go
        average.assign_add(tf.ones_like(average))
    images, labels = next(data.batches(*data.load(), REPLICAS * PART, seed=0))
    batch = [modern.distribute(strategy, array, sizes) for array in (images, labels)]
    loss, gradients = trainer.train_step(*batch)
    names = {id(variable): name for name, variable in modern.tf1_names(trainer.model).items()}
    OUT[kind + ":loss"] = loss.numpy()
    for variable, shares in zip(trainer.model.trainable_variables, gradients, strict=True):
        local = strategy.experimental_local_results(shares)
        OUT[f"{kind}:gradient:{names[id(variable)]}"] = sum(share.numpy() for share in local)
    for variable, average in zip(trainer.model.trainable_variables, trainer.averages, strict=True):
        OUT[f"{kind}:average:{names[id(variable)]}"] = average.numpy()
    for name, variable in modern.tf1_names(trainer.model).items():
        OUT[f"{kind}:variable:{name}"] = np.stack(strategy.experimental_local_results(variable.value))


def training(modern, train_dir: Path, kind: str, *arguments: str) -> None:
    """One whole run of the trainer, and what its last checkpoint holds."""
    common = [
        "--batch_size=6",
        "--batch_norm",
        "--decay_steps=4",
        "--log_every=1",
        f"--train_dir={train_dir}",
    ]
    flags.FLAGS(["cifar10_mirrored", *common, *arguments])
    print("RUN", kind)
    modern.train()
    reader = tf.train.load_checkpoint(str(train_dir))
    for name in reader.get_variable_to_shape_map():
        if name.endswith("VARIABLE_VALUE") and not name.startswith("save_counter"):
            OUT[f"{kind}:{name}"] = reader.get_tensor(name)


def main() -> None:
    """Everything the tests need, in one process."""
    checkpoint, out = sys.argv[1], Path(sys.argv[2])
    modern = load_modern()
    modern.define_flags()
    flags.FLAGS(["cifar10_mirrored"])
    print(modern.choose_devices(REPLICAS, ""))
    one_step(modern, checkpoint, "equal", [PART, PART])
    one_step(modern, checkpoint, "unequal", [5, 11])
    one_step(modern, checkpoint, "jit", [PART, PART], jit=True)
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    one_step(modern, checkpoint, "bfloat16", [PART, PART])
    keras.mixed_precision.set_global_policy("float32")
    folder = out.parent
    training(modern, folder / "whole", "whole", "--max_steps=6", "--input=dataset")
    training(modern, folder / "halves", "half", "--max_steps=3", "--input=dataset")
    training(modern, folder / "halves", "resumed", "--max_steps=6", "--input=feed")
    training(modern, folder / "speed", "speed", "--max_steps=2", "--split_by_speed=1,3", "--input=dataset")
    try:
        training(modern, folder / "speed", "other model", "--max_steps=4", "--nobatch_norm")
    except SystemExit as stopped:
        print(stopped)
    np.savez(out, **OUT)


if __name__ == "__main__":
    main()
