"""Run by test_modern.py: `python drive_modern.py LEGACY_RECORDING TOWERS MOMENTUM`, each in a process of its own.

(TensorFlow's CPU collectives mix up two models of different sizes on the same devices of one process.)
Beside the recording of the legacy trainer, two of the modern one: replay has, step by step, the gradients and
losses on the weights and the batch that the legacy step had; training is a whole training from the first weights.
"""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import tensorflow as tf

from tf2towers.verify.recorder.writing import Writer
from tf2towers.verify.recording import Recording, Step

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "modern")]
import cifar10_mirrored as modern  # noqa: E402
import devices  # noqa: E402
import trainer_data  # noqa: E402

PART = 8
DECAY_STEPS = 5
OPTIONS = {
    "seed": 0, "learning_rate": 0.02, "decay_rate": 0.1, "network": "small", "jit": False, "precision": "float32"
}  # fmt: skip


class Twin:
    """The modern trainer on so many replicas."""

    def __init__(self, towers: int, momentum: float, weights: dict[str, np.ndarray]) -> None:
        self.towers = towers
        options = SimpleNamespace(batch_norm="conv1/gamma" in weights, momentum=momentum, **OPTIONS)
        self.strategy = devices.mirrored([f"/cpu:{device}" for device in range(towers)])
        self.trainer = modern.Trainer(self.strategy, options, towers * PART, DECAY_STEPS)
        self.names = modern.tf1_names(self.trainer.model)
        self.trainer.set_weights(weights.__getitem__)
        self.train_step = tf.function(self.trainer.train_step)

    def batches(self):
        """The batches of the legacy trainer, distributed."""
        distribute = self.strategy.experimental_distribute_values_from_function
        for batch in trainer_data.batches(*trainer_data.load(), self.towers * PART, seed=0):
            parts = [np.split(array, self.towers) for array in batch]
            yield [
                distribute(lambda context, of=of: tf.constant(of[context.replica_id_in_sync_group]))
                for of in parts
            ]

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
        losses, gradients = self.trainer.replica_gradients(*batch)
        local = self.strategy.experimental_local_results(losses)
        totals = [(share[-1] * self.towers).numpy() for share in local]
        return Step(gradients=self.averaged(gradients), losses=totals)

    def train(self, batch) -> Step:
        """One real step: its mean loss, and the weights it started from."""
        before = {name: variable.numpy() for name, variable in self.names.items()}
        return Step(before, losses=[self.train_step(*batch)[-1].numpy()])


def main() -> None:
    """Both recordings."""
    path, towers, momentum = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * towers)
    legacy = Recording.load(path)
    for what in ("replay", "training"):
        twin = Twin(towers, momentum, legacy.steps[0].variables)
        writer = Writer(str(path.with_name(what)))
        for step, batch in zip(legacy.steps, twin.batches(), strict=False):
            made = twin.step_on(step.variables, batch) if what == "replay" else twin.train(batch)
            writer.step({
                **{f"variable|{name}": value for name, value in made.variables.items()},
                **{f"gradient|{name}": value for name, value in made.gradients.items()},
                **{f"loss|{place}": value for place, value in enumerate(made.losses)},
            })  # fmt: skip
        writer.facts({})


if __name__ == "__main__":
    main()
