"""Run by test_mistakes.py: the CIFAR trainer as it is, then with each mistake, held against a plain computation.

    python mistakes.py FOLDER

A line for each: `NAME: what was found`, or `NAME: nothing`. The computation is of towers on one device, written out:
no strategy, no optimizer, no trainer.
"""

import contextlib
import importlib
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import keras
import numpy as np
import tensorflow as tf
from absl import flags

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "modern"), str(ROOT / "legacy")]
import cifar10_mirrored  # noqa: E402
import cifar10_network  # noqa: E402
import devices  # noqa: E402
import trainer_data  # noqa: E402

REPLICAS, PART, STEPS, RATE = 2, 8, 3, 0.02
FILES = ("devices", "cifar10_input", "cifar10_network", "cifar10_mirrored")
#: of each mistake: the file, what is right, what is wrong
MISTAKES = {
    "none": ("cifar10_mirrored", "", ""),
    "the decay of one replica's batches": (
        "cifar10_mirrored",
        "len(images[1]) / whole",
        "len(images[1]) / FLAGS.batch_size",
    ),
    "evaluation of the current weights": (
        "cifar10_mirrored",
        "return self.averaged.evaluate(",
        "with self.strategy.scope():\n"
        '            self.model.compile(metrics=["sparse_categorical_accuracy"])\n'
        "        return self.model.evaluate(",
    ),
    "sum for mean": (
        "cifar10_mirrored",
        "tf.add_n(losses) / self.strategy.num_replicas_in_sync",
        "tf.add_n(losses)",
    ),
    "a replica left out": (
        "cifar10_mirrored",
        "scaled = self.optimizer.scale_loss(share)",
        "own = tf.distribute.get_replica_context().replica_id_in_sync_group\n"
        "            scaled = 2.0 * share * tf.cast(own == 0, tf.float32)",
    ),
    "clipping before averaging": (
        "cifar10_mirrored",
        "return share, tape.gradient(scaled, self.model.trainable_variables)",
        "found = tape.gradient(scaled, self.model.trainable_variables)\n"
        "        return share, [tf.clip_by_norm(gradient, 0.05) for gradient in found]",
    ),
    "no regularizer": ("cifar10_mirrored", ", *self.model.losses]", "]"),
    "a whole sum of squares": ("cifar10_network", "L2(0.004 / 2)", "L2(0.004)"),
    "another epsilon": ("cifar10_network", "epsilon=1e-3", "epsilon=1e-2"),
    "another decay of the statistics": ("cifar10_network", "momentum=0.9,", "momentum=0.99,"),
    "another decay of the average": ("cifar10_mirrored", "(10.0 + step)", "(9.0 + step)"),
    "no staircase": ("cifar10_mirrored", "staircase=True", "staircase=False"),
    "no moving average": ("cifar10_mirrored", "average.assign_sub(", "tf.identity("),
    "no momentum": ("cifar10_mirrored", "momentum=options.momentum", "momentum=0.0"),
    "another normalization of images": (
        "cifar10_input",
        "return tf.image.per_image_standardization(tf.cast(images, tf.float32)), labels",
        "return tf.cast(images, tf.float32) / 255.0, labels",
    ),
    "labels of the next class": (
        "cifar10_input",
        "tf.cast(images, tf.float32)), labels",
        "tf.cast(images, tf.float32)), (labels + 1) % 10",
    ),
    "the whole batch for each replica": (
        "cifar10_input",
        "examples.batch(batch_size, drop_remainder=True)",
        "examples.batch(whole, drop_remainder=True)",
    ),
    "statistics of one replica": ("devices", "tf.add_n(copies) / len(copies)", "tf.identity(copies[-1])"),
}


def trainer_with(name: str, folder: Path) -> ModuleType:
    """The trainer, imported anew with this mistake."""
    file, right, wrong = MISTAKES[name]
    folder.mkdir()
    for each in FILES:
        text = (ROOT / "modern" / f"{each}.py").read_text()
        assert each != file or not right or text.count(right) == 1, (
            f"the mistake no longer applies: {right!r}"
        )
        (folder / f"{each}.py").write_text(text.replace(right, wrong) if right and each == file else text)
        sys.modules.pop(each, None)
    sys.path.insert(0, str(folder))
    module = importlib.import_module("cifar10_mirrored")
    sys.path.remove(str(folder))
    return module


class Towers:
    """What the towers of the legacy trainer compute, and the mean of their batch-norm statistics."""

    def __init__(self, weights: list[np.ndarray]) -> None:
        self.model = cifar10_network.inference(True)
        self.model.set_weights(weights)
        self.trained = self.model.trainable_variables
        self.averages = [variable.numpy() for variable in self.trained]
        self.velocities = [np.zeros_like(average) for average in self.averages]
        statistics = [variable.numpy() for variable in self.model.non_trainable_variables]
        self.statistics = [statistics] * REPLICAS

    def set_statistics(self, values: list[np.ndarray]) -> None:
        for variable, value in zip(self.model.non_trainable_variables, values, strict=True):
            variable.assign(value)

    def step(self, number: int, batches: list[tuple[np.ndarray, np.ndarray]]) -> float:
        """Its loss; the rate drops after two steps."""
        losses, gradients, statistics = [], [], []
        for own, (images, labels) in zip(self.statistics, batches, strict=True):
            self.set_statistics(own)
            with tf.GradientTape() as tape:
                logits = self.model(images, training=True)
                entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
                (kernel,) = (v for v in self.trained if v.path.startswith("local3/kernel"))
                loss = tf.reduce_mean(entropy) + 0.004 * tf.nn.l2_loss(kernel)
            gradients.append([gradient.numpy() for gradient in tape.gradient(loss, self.trained)])
            losses.append(float(loss))
            statistics.append([variable.numpy() for variable in self.model.non_trainable_variables])
        self.statistics = statistics
        rate = RATE * 0.1 ** (number // 2)
        decay = min(0.999, (2.0 + number) / (11.0 + number))
        for place, variable in enumerate(self.trained):
            mean = sum(own[place] for own in gradients) / REPLICAS
            self.velocities[place] = 0.9 * self.velocities[place] - rate * mean
            variable.assign_add(self.velocities[place])
            self.averages[place] -= (self.averages[place] - variable.numpy()) * (1.0 - decay)
        return float(np.mean(losses))


def far(got: list[np.ndarray], expected: list[np.ndarray]) -> bool:
    return any(
        np.abs(a - b).max() > 1e-4 * max(np.abs(b).max(), 0.01) for a, b in zip(got, expected, strict=True)
    )


def found(module: ModuleType, strategy: tf.distribute.Strategy) -> str:
    """What is wrong with the trainer, or 'nothing'."""
    source = sys.modules["cifar10_input"]
    arrays = source.load("", "train")
    flow = source.training_batches(strategy, arrays, PART, 0, 0, False)
    batches = [
        list(zip(*(strategy.experimental_local_results(part) for part in next(flow)), strict=True))
        for _ in range(STEPS)
    ]
    all_images, all_labels = trainer_data.load_digits()
    known = trainer_data.standardise(all_images).reshape(len(all_labels), -1)
    for images, labels in (part for batch in batches for part in batch):
        if images.shape != (PART, 24, 24, 3):
            return f"{images.shape[0]} images in a part"
        for image, label in zip(images.numpy().reshape(PART, -1), labels.numpy(), strict=True):
            apart = np.abs(known - image).max(axis=1)
            if apart.min() > 1e-4 or label not in all_labels[apart < 1e-4]:
                return "images"
    options = SimpleNamespace(
        batch_norm=True, seed=0, learning_rate=RATE, decay_rate=0.1, momentum=0.9, jit=False,
        precision="float32",
    )  # fmt: skip
    keras.utils.set_random_seed(0)
    trainer = module.Trainer(strategy, options, 2)
    towers = Towers(trainer.model.get_weights())
    flow = source.training_batches(strategy, arrays, PART, 0, 0, False)
    for number, batch in enumerate(batches):
        loss, expected = float(trainer.train_steps(flow, tf.constant(1))), towers.step(number, batch)
        if abs(loss - expected) > 1e-4 * expected:
            return "the loss"
        if far([v.numpy() for v in trainer.model.trainable_variables], [v.numpy() for v in towers.trained]):
            return "the weights"
    if far([v.numpy() for v in trainer.averaged.trainable_variables], towers.averages):
        return "the averages"
    trainer.settle()
    means = [np.mean(copies, axis=0) for copies in zip(*towers.statistics, strict=True)]
    for model in (trainer.model, trainer.averaged):
        if far([v.numpy() for v in model.non_trainable_variables], means):
            return "the statistics"
    for variable in trainer.model.trainable_variables:
        variable.assign(tf.zeros_like(variable))
    for variable, average in zip(towers.trained, towers.averages, strict=True):
        variable.assign(average)
    towers.set_statistics(means)
    test_images, test_labels = trainer_data.load_digits("test")
    logits = towers.model(trainer_data.standardise(test_images), training=False).numpy()
    accuracy = np.mean(logits.argmax(axis=1) == test_labels)
    if abs(trainer.evaluate(test_images, test_labels) - accuracy) > 1e-6:
        return "the evaluation"
    return decay(module, strategy)


def decay(module: ModuleType, strategy: tf.distribute.Strategy) -> str:
    """Of 1500 images, 16 a step, 350 epochs."""
    steps: list[int] = []

    def trainer(_: object, __: object, decay_steps: int) -> None:
        steps.append(decay_steps)
        raise SystemExit

    module.Trainer = trainer
    with contextlib.suppress(SystemExit):
        module.train(strategy)
    return "nothing" if steps == [int(1500 / 16 * 350)] else "the steps until the rate drops"


def main(folder: Path) -> None:
    """Everything in one process."""
    cifar10_mirrored.define_flags()
    flags.FLAGS(["cifar10_mirrored", f"--batch_size={PART}", f"--train_dir={folder / 'none'}"])
    strategy = devices.mirrored(devices.choose_devices(REPLICAS))
    for number, name in enumerate(MISTAKES):
        print(f"{name}: {found(trainer_with(name, folder / str(number)), strategy)}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
