"""Run by test_modern.py: `python drive_modern.py LEGACY_RECORDING TOWERS MOMENTUM`, each in a process of its own.

(TensorFlow's CPU collectives mix up two models of different sizes on the same devices of one process.)
Beside the recording of the legacy trainer, two of the modern one: replay has, step by step, the gradients and
losses on the weights and the batch that the legacy step had; training is a whole training from the first weights.
"""

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import tensorflow as tf

from tf2towers import data
from tf2towers.verify.recording import Recording, Step

ROOT = Path(__file__).resolve().parents[2]
PART = 8
SCHEDULE = {"learning_rate": 0.02, "decay_steps": 10, "decay_rate": 0.1}


def load_modern():
    """modern/cifar10_mirrored.py as a module."""
    spec = importlib.util.spec_from_file_location("cifar10_mirrored", ROOT / "modern" / "cifar10_mirrored.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Twin:
    """The modern trainer on so many replicas."""

    def __init__(self, modern, towers: int, momentum: float, weights: dict[str, np.ndarray]) -> None:
        self.modern, self.towers = modern, towers
        options = SimpleNamespace(batch_norm="conv1/gamma" in weights, seed=0, momentum=momentum, **SCHEDULE)
        self.strategy = tf.distribute.MirroredStrategy([f"/cpu:{device}" for device in range(towers)])
        self.trainer = modern.Trainer(self.strategy, options, towers * PART)
        self.names = modern.tf1_names(self.trainer.model)
        self.trainer.set_weights(weights.__getitem__)
        gradients = self.trainer.gradients
        self.shares = tf.function(lambda x, y: self.strategy.run(gradients, args=(x, y)))

    def batches(self):
        """The batches of the legacy trainer, distributed."""
        for batch in data.batches(*data.load(), self.towers * PART, seed=0):
            sizes = [PART] * self.towers
            yield [self.modern.distribute(self.strategy, array, sizes) for array in batch]

    def averaged(self, gradients) -> dict[str, np.ndarray]:
        """The replicas' shares added up in tower order; a share is a tower's gradient by the number of towers."""
        by_id = {id(variable): name for name, variable in self.names.items()}
        averaged = {}
        for variable, shares in zip(self.trainer.model.trainable_variables, gradients, strict=True):
            whole = [share * self.towers for share in self.strategy.experimental_local_results(shares)]
            averaged[by_id[id(variable)]] = tf.reduce_mean(tf.stack(whole), 0).numpy()
        return averaged

    def step_on(self, weights: dict[str, np.ndarray], batch) -> Step:
        """Gradients and losses on these weights; nothing is applied."""
        self.trainer.set_weights(weights.__getitem__)
        losses, gradients = self.shares(*batch)
        local = self.strategy.experimental_local_results(losses)
        return Step(
            gradients=self.averaged(gradients), losses=[(share * self.towers).numpy() for share in local]
        )

    def train(self, batch) -> Step:
        """One real step: its mean loss, its gradients, the weights it started from."""
        before = {name: variable.numpy() for name, variable in self.names.items()}
        loss, gradients = self.trainer.train_step(*batch)
        return Step(before, gradients=self.averaged(gradients), losses=[loss.numpy()])


def main() -> None:
    """Both recordings."""
    path, towers, momentum = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * towers)
    modern, legacy = load_modern(), Recording.load(path)
    for what in ("replay", "training"):
        twin = Twin(modern, towers, momentum, legacy.steps[0].variables)
        recording = Recording()
        for step, batch in zip(legacy.steps, twin.batches(), strict=False):
            recording.steps.append(
                twin.step_on(step.variables, batch) if what == "replay" else twin.train(batch)
            )
        recording.save(path.with_name(what))


if __name__ == "__main__":
    main()
