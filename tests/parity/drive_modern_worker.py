"""Run by test_clusters.py as every task of a cluster: `python drive_modern_worker.py LEGACY_RECORDING FOLDER [FLAGS]`.

It is modern/mnist_multi_worker.py, each step on the weights that the legacy step had; beside its checkpoints,
FOLDER/modern.npz has the gradients that the chief's optimizer was given, and FOLDER/worker-N.npz the losses.
"""

import os
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
NAMES = ["hid_w", "hid_b", "sm_w", "sm_b"]


def main() -> None:
    """One task."""
    legacy_path, folder = sys.argv[1], Path(sys.argv[2])
    sys.argv[1:] = sys.argv[3:]
    sys.path[0] = str(ROOT / "modern")
    import keras
    import mnist_cluster
    import mnist_model
    import mnist_multi_worker as modern
    import tensorflow as tf
    from absl import app

    from tf2towers.parity.recording import Recording, Step

    legacy, made = Recording.load(Path(legacy_path)), Recording()
    given: dict[str, np.ndarray] = {}
    train_step, update = modern.Trainer.train_step, keras.optimizers.Adam.update_step

    def recorded_update(self, gradient, variable, learning_rate):
        name = NAMES[self._get_variable_index(variable)]
        tf.numpy_function(lambda value: given.__setitem__(name, np.array(value)), [gradient], [])
        return update(self, gradient, variable, learning_rate)

    def recorded_step(self, images, labels):
        before = legacy.steps[len(made.steps)].variables
        for name, variable in zip(NAMES, self.model.trainable_variables, strict=True):
            variable.assign(before[name])
        losses = train_step(self, images, labels)
        made.steps.append(Step(gradients=dict(given), losses=[loss.numpy() for loss in losses]))
        return losses

    modern.Trainer.train_step, keras.optimizers.Adam.update_step = recorded_step, recorded_update
    mnist_cluster.define_flags()
    mnist_model.define_flags(issync=True, log_dir="")
    try:
        app.run(modern.main)
    finally:
        if os.environ["JOB_NAME"] == "worker":
            made.save(folder / f"worker-{os.environ['TASK_INDEX']}")


if __name__ == "__main__":
    main()
