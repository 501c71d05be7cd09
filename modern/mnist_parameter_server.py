r"""Train on parameter servers, asynchronously: legacy/mnist_supervisor.py's twin in TensorFlow 2 and Keras.

In TF1 every worker ran its own loop. Here one process, the coordinator, hands out steps, and workers take them
one after the other. Each reads the variables from the parameter servers, computes its gradients on a batch of
its own, and applies them there without waiting for anyone. Workers may die and come back.

    python modern/mnist_parameter_server.py --ps_hosts=localhost:2222 \
        --worker_hosts=localhost:2223,localhost:2224 --job_name=worker --task_index=0    # and so on

The commands are TF1's: worker 0's process holds the coordinator as well. Comments marked "TF1:" name what a
piece takes the place of. The synchronous twin is mnist_multi_worker.py. Beside it stand mnist_cluster.py,
mnist_model.py and trainer_data.py.

Keras 3 does not support ParameterServerStrategy officially (github.com/keras-team/keras/issues/18624): `fit` does not
work under it. A loop of one's own does, as here, where it is tested.
"""

from __future__ import annotations

import collections
import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from typing import Any

import keras
import mnist_cluster
import mnist_model
import numpy as np
import tensorflow as tf
import trainer_data
from absl import app, flags, logging
from mnist_cluster import Cluster

FLAGS = flags.FLAGS
ON_CHIEF = tf.train.CheckpointOptions(experimental_io_device="/job:chief/task:0/device:CPU:0")
AHEAD = 64  # requests that lie ready for the workers, two and more for each


class Trainer:
    """The training state, made once on the parameter servers, and the step that changes it."""

    def __init__(self, strategy: tf.distribute.Strategy, options: Any) -> None:
        self.strategy = strategy
        with strategy.scope():  # TF1: tf.device(tf.train.replica_device_setter(cluster=cluster))
            self.model = mnist_model.inference(options.hidden_units, options.seed)
            self.optimizer = keras.optimizers.Adam(options.learning_rate, epsilon=mnist_model.EPSILON)
            self.optimizer.build(self.model.trainable_variables)
            # A counter of our own: optimizer.iterations is read, then written, so that of two workers' steps
            # at the same moment it counts one. (Adam's correction of the first steps' bias lags by as much.)
            once = tf.VariableAggregation.ONLY_FIRST_REPLICA
            self.global_step = tf.Variable(0, trainable=False, dtype=tf.int64, aggregation=once)

    def replica_step(self, images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """TF1: opt.minimize(cross_entropy, global_step). Runs on a worker; the global step after it, and the loss."""
        loss, gradients = mnist_model.gradients(self.model, images, labels)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables, strict=True))
        return tf.identity(self.global_step.assign_add(1)), loss

    @tf.function
    def train_step(self, batches: Any) -> tuple[tf.Tensor, tf.Tensor]:
        """TF1: sess.run([train_step, global_step, cross_entropy], feed_dict)."""
        step, loss = self.strategy.run(self.replica_step, args=next(batches))
        return step, loss

    @tf.function
    def train_steps(self, batches: Any, count: int) -> tuple[tf.Tensor, tf.Tensor]:
        """So many steps for one request, which costs as much as a small step; what the last of them gives.

        One after the other in the graph: a `tf.range`'s turns would be agreed on by worker and servers each time.
        """
        for _ in range(count - 1):
            self.train_step(batches)
        step, loss = self.train_step(batches)
        return step, loss

    def train(
        self, coordinator: Any, batches: Any, first: int, until: int, at_once: int
    ) -> Iterator[tuple[int, float]]:
        """Hand out the steps from `first` to `until`, `at_once` a request; yield each request's last step and loss.

        The next requests lie ready while the workers are busy: none waits for another, or for this process. What a
        worker that dies was asked for is done again by another one; the steps that had already counted, count twice.
        """
        under_way: collections.deque[Any] = collections.deque()
        asked = first
        while asked < until or under_way:
            while asked < until and len(under_way) < AHEAD:
                count = at_once if asked + at_once <= until else 1
                arguments = (batches,) if count == 1 else (batches, count)
                step = self.train_step if count == 1 else self.train_steps
                under_way.append(coordinator.schedule(step, args=arguments))
                asked += count
            done, loss = under_way.popleft().fetch()
            yield int(done), float(loss)


def end_marker(job: str, index: int) -> str:
    """The file whose appearance ends a task."""
    return os.path.join(FLAGS.log_dir, f"ended_{job}_{index}")  # noqa: PTH118 - log_dir may be gs://


def serve(cluster: Cluster) -> None:
    """Do what the coordinator asks for, until the training ends. TF1: server.join(), which never returned."""
    last_seen = time.monotonic()
    while not tf.io.gfile.exists(end_marker(cluster.job, cluster.index)):
        if mnist_cluster.answers(cluster.chief):
            last_seen = time.monotonic()
        elif time.monotonic() - last_seen > FLAGS.host_wait:
            raise SystemExit(f"the chief, {cluster.chief}, does not answer: no training without it")
        time.sleep(0.5)
    tf.io.gfile.remove(end_marker(cluster.job, cluster.index))
    print("the training has ended", flush=True)


def end_tasks(cluster: Cluster) -> None:
    """Let every server write its own end marker, in its own file system."""
    for job in ("ps", "worker"):
        for index, address in enumerate(cluster.jobs[job]):
            gone = contextlib.suppress(tf.errors.OpError)  # a task that is dead at the end stays so
            if address != cluster.address:
                with gone, tf.device(f"/job:{job}/task:{index}/device:CPU:0"):
                    tf.io.write_file(end_marker(job, index), "")


def coordinator_of(cluster: Cluster) -> tf.distribute.coordinator.ClusterCoordinator:
    """Where worker 0 leads, its server has its address, and the coordinator takes another port of its host."""
    if cluster.job != "chief":
        with socket.create_server(("", 0)) as free:
            chief = f"{cluster.address.rpartition(':')[0]}:{free.getsockname()[1]}"
        cluster = Cluster({**cluster.jobs, "chief": [chief]}, "chief", 0)
    strategy = tf.distribute.ParameterServerStrategy(cluster.resolver("chief", "ps", "worker"))
    if strategy.num_replicas_in_sync > 1:
        raise SystemExit(
            "several GPUs a worker: start a worker for each, with CUDA_VISIBLE_DEVICES set to one GPU"
        )
    return tf.distribute.coordinator.ClusterCoordinator(strategy)


def restored(trainer: Trainer) -> tf.train.CheckpointManager:
    """TF1: tf.train.Supervisor(logdir, saver). The coordinator reads and writes the files, no server does."""
    checkpoint = tf.train.Checkpoint(
        model=trainer.model, optimizer=trainer.optimizer, global_step=trainer.global_step
    )
    manager = tf.train.CheckpointManager(checkpoint, FLAGS.log_dir, max_to_keep=5)
    if newest := manager.latest_checkpoint:
        try:
            checkpoint.restore(newest, options=ON_CHIEF).assert_consumed()
        except (AssertionError, ValueError):
            raise SystemExit(f"{newest} is of another model; use another --log_dir") from None
    return manager


def coordinate(cluster: Cluster) -> None:
    """Make the state, hand out steps until --train_steps, evaluate. TF1: what worker 0 did as the chief."""
    validation = trainer_data.read_data_sets(FLAGS.data_dir).validation
    others = [address for address in cluster.addresses("ps", "worker") if address != cluster.address]
    mnist_cluster.wait_for(others, FLAGS.host_wait)
    coordinator = coordinator_of(cluster)
    trainer = Trainer(coordinator.strategy, FLAGS)

    manager = restored(trainer)
    step = first = int(trainer.global_step.numpy())
    if first:
        print(f"resuming at step {first} of {FLAGS.train_steps}")

    def dataset() -> tf.data.Dataset:  # is built and run on each worker, which reads for itself
        return mnist_model.training_batches(tf.distribute.InputContext(), FLAGS.data_dir, FLAGS.batch_size)

    batches = iter(coordinator.create_per_worker_dataset(dataset))
    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopping.append(number))
    tf.summary.create_file_writer(FLAGS.log_dir).set_as_default()
    print(f"Worker {cluster.index}: Session initialization complete.")
    time_begin = time.time()
    print(f"Training begins @ {time_begin:f}")
    while step < FLAGS.train_steps and not stopping:
        periods = FLAGS.checkpoint_every, FLAGS.eval_steps
        until = min(FLAGS.train_steps, *(step + period - step % period for period in periods))
        for done, loss in trainer.train(coordinator, batches, step, until, FLAGS.steps_per_request):
            if np.isnan(loss):
                raise FloatingPointError("Model diverged with loss = NaN")
            last, step = step, max(step, done)  # requests may end in another order
            if step // FLAGS.log_every > last // FLAGS.log_every:
                print(f"{time.time():f}: training step {step} done, loss: {loss:f}", flush=True)
            if step // FLAGS.summary_every > last // FLAGS.summary_every:
                mnist_model.summarise(step, cross_entropy=loss)
            if stopping:
                break
        manager.save(checkpoint_number=step, options=ON_CHIEF)
        if not stopping:
            xent = mnist_model.evaluate(trainer.model, validation)
            print(f"After {step} training step(s), validation cross entropy = {xent:g}", flush=True)
            mnist_model.summarise(step, validation_cross_entropy=xent)
    time_end = time.time()
    print(f"Training ends @ {time_end:f}")
    print(f"Training elapsed time: {time_end - time_begin:f} s", flush=True)
    if stopping:
        print(
            f"stopped by a signal after step {step}, which is saved in {FLAGS.log_dir}",
            file=sys.stderr,
            flush=True,
        )
    else:
        end_tasks(cluster)
    tf.summary.flush()
    os._exit(bool(stopping))  # in the ordinary way, TensorFlow would clean up on servers that have ended


def train() -> None:
    """Be the task that the flags or TF_CONFIG say."""
    if FLAGS.issync:
        raise SystemExit("--issync=1: TF 2 has no synchronous parameter servers, see mnist_multi_worker.py")
    cluster = mnist_cluster.from_flags_or_environment(FLAGS)
    if "ps" not in cluster.jobs:
        raise SystemExit("the cluster has no parameter server (--ps_hosts)")
    print(f"job_name : {cluster.job}")
    print(f"task_index : {cluster.index}", flush=True)
    cluster.claim_port().close()
    if cluster.job in ("ps", "worker"):
        if tf.io.gfile.exists(marker := end_marker(cluster.job, cluster.index)):
            tf.io.gfile.remove(marker)  # of an earlier training
        spec = tf.train.ClusterSpec(cluster.jobs)
        server = tf.distribute.Server(
            spec, cluster.job, cluster.index, protocol="grpc"
        )  # TF1: tf.train.Server
        assert server.target  # it serves as long as it lives
    if cluster.address == cluster.chief:
        coordinate(cluster)
    else:
        serve(cluster)


def main(_: list[str]) -> None:
    """Train; without usable data, end with a message."""
    logging.set_verbosity(logging.WARNING)
    try:
        train()
    except trainer_data.DataError as error:
        raise SystemExit(str(error)) from error
    except (tf.errors.UnavailableError, tf.errors.AbortedError) as error:
        print(f"lost a parameter server: {error.message.splitlines()[0]}", file=sys.stderr)
        print(f"start the job again: it goes on from {FLAGS.log_dir}", file=sys.stderr, flush=True)
        os._exit(1)  # as above


if __name__ == "__main__":
    mnist_model.define_flags(issync=False, log_dir="/tmp/mnist_parameter_server")
    flags.DEFINE_integer(
        "steps_per_request", 20, "Steps a worker makes when asked once. More: faster where steps are small.",
        lower_bound=1,
    )  # fmt: skip
    app.run(main)
