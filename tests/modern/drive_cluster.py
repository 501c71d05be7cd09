"""Run by test_cluster_parity.py: a modern cluster trainer's own steps, on the weights and batches of legacy ones.

    python drive_cluster.py LEGACY OUT KIND FLAGS    # LEGACY is what record_legacy.py wrote; KIND: sync or async

OUT gets a file for each step of each worker: its loss, the gradients that Adam applied, and every variable after the
step. Before each step the variables are those of the legacy step. Files of other precisions begin with their names.
"""

import functools
import itertools
import os
import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from absl import app, flags

sys.path.insert(0, str(Path(__file__).parents[2] / "modern"))
import mnist_cluster
import mnist_multi_worker
import mnist_parameter_server
import mnist_training
import precision
from mnist_cluster import Cluster

FLAGS = flags.FLAGS
LEGACY, OUT, SYNCHRONOUS = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "sync"
TASK = mnist_cluster.from_environment()
#: Keras's order: of the model's variables, of the optimizer's two slots of each
NAMES = ["hid_w", "hid_b", "sm_w", "sm_b"]
ADAM = keras.optimizers.Adam if SYNCHRONOUS else mnist_parameter_server.Adam
UPDATE_STEP = ADAM.update_step


def steps() -> list[dict[str, np.ndarray]]:
    """The legacy steps of this worker, or of all where they took turns, in their order."""
    of = f"*-{TASK.index}.npz" if SYNCHRONOUS else "*-*.npz"
    paths = sorted(LEGACY.glob(of), key=lambda path: int(path.name.partition("-")[0]))
    return [dict(np.load(path)) for path in paths]


class Watched:
    """Keeps the gradients that Adam applies; from a synchronous trainer it gets the workers' mean."""

    def __init__(self, trainer) -> None:
        with trainer.strategy.scope():
            shapes = [variable.shape for variable in trainer.model.trainable_variables]
            self.applied = [tf.Variable(tf.zeros(shape), trainable=False) for shape in shapes]
        turns = itertools.cycle(self.applied)

        def update_step(adam, gradient, *others) -> None:
            next(turns).assign(gradient)
            UPDATE_STEP(adam, gradient, *others)

        ADAM.update_step = update_step


def state(trainer, optimizer) -> dict:
    """Weights and Adam's slots by their legacy names."""
    found = dict(zip(NAMES, trainer.model.trainable_variables, strict=True))
    for suffix, slots in (("Adam", optimizer._momentums), ("Adam_1", optimizer._velocities)):
        found |= {f"{name}/{suffix}": slot for name, slot in zip(NAMES, slots, strict=True)}
    return found


def follow(option: str, trainer, step_on) -> None:
    """Every legacy step once more: `step_on` makes it, given its place and batch, and returns its loss."""
    watched = Watched(trainer)
    optimizer = getattr(trainer.optimizer, "inner_optimizer", trainer.optimizer)  # of float16
    variables = state(trainer, optimizer)
    for place, legacy in enumerate(steps()):
        for name, variable in variables.items():
            variable.assign(legacy[f"before:{name}"])
        optimizer.iterations.assign(place)
        loss = step_on(place, (legacy["images"], legacy["labels"]))
        after = {f"after:{name}": variable.numpy() for name, variable in variables.items()}
        gradients = zip(NAMES, watched.applied, strict=True)
        applied = {f"gradient:{name}": kept.numpy() for name, kept in gradients}
        np.savez(OUT / f"{option}{place}-{TASK.index}.npz", loss=loss, **after, **applied)


def batches_of(legacy: list[dict[str, np.ndarray]]) -> tf.data.Dataset:
    """Theirs, in their order."""
    arrays = tuple(np.stack([step[name] for step in legacy]) for name in ("images", "labels"))
    return tf.data.Dataset.from_tensor_slices(arrays).map(lambda x, y: (x, tf.cast(y, tf.float32)))


def synchronous(cluster: Cluster) -> None:
    """Each worker follows its own steps; two of them with each option as well."""
    resolver = cluster.resolver("chief", "worker")
    strategy = tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=resolver)
    dataset = batches_of(steps())
    options = (("jit", "float32"), ("bfloat16",) * 2, ("float16",) * 2, ("", "float32"))
    for option, layers in options if strategy.num_replicas_in_sync == 2 else options[-1:]:
        FLAGS.jit, FLAGS.precision = option == "jit", layers
        precision.set_policy(layers)
        trainer = mnist_multi_worker.Trainer(strategy, FLAGS)
        batches = iter(strategy.distribute_datasets_from_function(lambda _: dataset))
        make_step = functools.partial(trainer.train_steps, batches, tf.constant(1))
        follow(option, trainer, lambda *_, make_step=make_step: float(make_step()))


def asynchronous(cluster: Cluster) -> None:
    """The coordinator hands out one step after another."""
    strategy = tf.distribute.ParameterServerStrategy(cluster.resolver("chief", "ps", "worker"))
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    for option in ("bfloat16", ""):
        precision.set_policy(option or "float32")
        follow_asynchronously(option, coordinator)


def follow_asynchronously(option: str, coordinator) -> None:
    """With this precision."""
    trainer = mnist_parameter_server.Trainer(coordinator.strategy, FLAGS)

    def step_on(place: int, batch) -> float:
        def dataset() -> tf.data.Dataset:
            return tf.data.Dataset.from_tensors(batch).repeat()

        batches = iter(coordinator.create_per_worker_dataset(dataset))
        step, loss = coordinator.schedule(trainer.train_steps, args=(batches, 1)).fetch()
        assert step == place + 1
        return float(loss)

    follow(option, trainer, step_on)


def main(_: list[str]) -> None:
    """Be a task of the cluster."""
    scaling = precision.LossScaleOptimizer  # by less, or the first steps would be skipped
    precision.LossScaleOptimizer = functools.partial(scaling, initial_scale=256.0)
    if SYNCHRONOUS:
        synchronous(TASK)
        return
    mnist_parameter_server.coordinate = coordinate
    mnist_parameter_server.train(TASK)


def coordinate(cluster: Cluster) -> None:
    """The chief, when the other tasks are there."""
    mnist_cluster.wait_for(cluster.jobs["ps"] + cluster.jobs["worker"], 60)
    asynchronous(cluster)
    os._exit(0)


if __name__ == "__main__":
    sys.argv = [sys.argv[0], *sys.argv[4:]]
    mnist_training.define_flags(log_dir="/tmp/drive_cluster")
    app.run(main)
