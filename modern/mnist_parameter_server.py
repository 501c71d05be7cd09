r"""Train on parameter servers, asynchronously: legacy/mnist_supervisor.py's twin in TensorFlow 2 and Keras.

In TF1 every worker ran its own loop. Here one process, the coordinator, hands out steps, and workers take them
one after the other. Each reads the variables from the parameter servers, computes its gradients on a batch of
its own, and applies them there without waiting for anyone. Workers may die and come back.

    python modern/mnist_parameter_server.py --ps_hosts=localhost:2222 \
        --worker_hosts=localhost:2223,localhost:2224 --job_name=worker --task_index=0    # and so on

The commands are TF1's: worker 0's process holds the coordinator as well. Comments marked "TF1:" name what a
piece takes the place of. The synchronous twin is mnist_multi_worker.py. Beside it stand devices.py, mnist_cluster.py,
mnist_model.py, mnist_training.py and trainer_data.py.

Keras 3 does not support ParameterServerStrategy officially (github.com/keras-team/keras/issues/18624): `fit` does not
work under it. A hand-written loop like this one does, and is tested.
"""

from __future__ import annotations

import collections
import contextlib
import os
import signal
import socket
import time
from collections.abc import Iterator
from typing import Any

import devices
import keras
import mnist_cluster
import mnist_model
import mnist_training
import tensorflow as tf
import trainer_data
from absl import app, flags
from mnist_cluster import Cluster

FLAGS = flags.FLAGS
ON_CHIEF = tf.train.CheckpointOptions(experimental_io_device="/job:chief/task:0/device:CPU:0")
AHEAD = 64  # requests that are scheduled ahead: two or more for each worker


class Trainer:
    """The training state, made once on the parameter servers, and the step that changes it."""

    def __init__(self, strategy: tf.distribute.Strategy, options: Any) -> None:
        self.strategy = strategy
        with strategy.scope():  # TF1: tf.device(tf.train.replica_device_setter(cluster=cluster))
            self.model = mnist_model.inference(options.hidden_units, options.seed)
            adam = keras.optimizers.Adam(options.learning_rate, epsilon=mnist_model.EPSILON)
            # With float16 all workers share the loss scale: if one changes it while another computes, the other's
            # gradients are off by a factor of 2 in that step.
            self.optimizer = devices.with_loss_scaling(adam, options.precision)
            self.optimizer.build(self.model.trainable_variables)
            # A counter of our own: optimizer.iterations is read, then written, and two workers' steps
            # at the same moment would count as one. (Adam's bias correction lags by as much.)
            once = tf.VariableAggregation.ONLY_FIRST_REPLICA
            self.global_step = tf.Variable(0, trainable=False, dtype=tf.int64, aggregation=once)

    def replica_step(self, images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """TF1: opt.minimize(cross_entropy, global_step). Runs on a worker; the global step after it, and the loss."""
        loss, gradients = mnist_model.gradients(self.model, self.optimizer, images, labels)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables, strict=True))
        return tf.identity(self.global_step.assign_add(1)), loss

    @tf.function
    def train_step(self, batches: Any) -> tuple[tf.Tensor, tf.Tensor]:
        """TF1: sess.run([train_step, global_step, cross_entropy], feed_dict)."""
        return self.strategy.run(self.replica_step, args=next(batches))

    @tf.function
    def train_steps(self, batches: Any, count: int) -> tuple[tf.Tensor, tf.Tensor]:
        """Makes `count` steps for one request, which costs as much as a small step; returns the last step's results.

        The steps are unrolled in the graph: worker and servers would have to agree on each round of a `tf.range` loop.
        """
        for _ in range(count - 1):
            self.train_step(batches)
        return self.train_step(batches)

    def train(
        self, coordinator: Any, batches: Any, first: int, until: int, at_once: int
    ) -> Iterator[tuple[int, float]]:
        """Hand out the steps from `first` to `until`, `at_once` a request; yield each request's last step and loss.

        The next requests are scheduled while the workers are busy: no worker waits for another, or for this process. If
        a worker dies, another one repeats its whole request: steps that had counted already count twice.
        """
        under_way: collections.deque[Any] = collections.deque()
        asked = first
        while asked < until or under_way:
            while asked < until and len(under_way) < AHEAD:
                count = at_once if asked + at_once <= until else 1
                under_way.append(coordinator.schedule(self.train_steps, args=(batches, count)))
                asked += count
            done, loss = under_way.popleft().fetch()
            yield int(done), float(loss)


def end_marker(job: str, index: int) -> str:
    """The file whose appearance ends a task."""
    return os.path.join(FLAGS.log_dir, f"ended_{job}_{index}")  # noqa: PTH118 - log_dir may be gs://


def serve(cluster: Cluster) -> None:
    """Serves the coordinator until the training ends. TF1: server.join(), which never returned."""
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
            gone = contextlib.suppress(tf.errors.OpError)  # a task that is dead needs no marker
            if address != cluster.address:
                with gone, tf.device(f"/job:{job}/task:{index}/device:CPU:0"):
                    tf.io.write_file(end_marker(job, index), "")


def coordinator_of(cluster: Cluster) -> tf.distribute.coordinator.ClusterCoordinator:
    """The coordinator. If worker 0 is the chief, its server has its address; the coordinator takes another port."""
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
    step = int(trainer.global_step.numpy())
    if step:
        print(f"resuming at step {step} of {FLAGS.train_steps}")

    def dataset() -> tf.data.Dataset:
        """Runs on each worker, which reads all images for itself, in an order of its own.

        The strategy's own InputContext says the same: one input pipeline of one. Workers come and go, and take what
        steps they find: images that belonged to one of them would be seen more often, less, or not at all.
        """
        return mnist_model.training_batches(tf.distribute.InputContext(), FLAGS.data_dir, FLAGS.batch_size)

    batches = iter(coordinator.create_per_worker_dataset(dataset))
    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopping.append(number))
    progress = mnist_training.Progress(trainer.model, validation, cluster)
    while step < FLAGS.train_steps and not stopping:
        until = mnist_training.next_stop(step, FLAGS.checkpoint_every, FLAGS.eval_steps)
        for done, loss in trainer.train(coordinator, batches, step, until, FLAGS.steps_per_request):
            before, step = step, max(step, done)  # requests may end in any order
            progress.on_steps(before, step, loss)
            if stopping:
                break
        manager.save(checkpoint_number=step, options=ON_CHIEF)
        if not stopping:
            progress.evaluate(step)
    progress.end()
    if stopping:
        mnist_training.say_and_leave(f"stopped by a signal after step {step}, which is saved in")
    end_tasks(cluster)
    os._exit(0)  # an ordinary exit would clean up on servers that have ended


def train(cluster: Cluster) -> None:
    """Runs this task."""
    if FLAGS.issync:
        raise SystemExit("--issync=1: TF 2 has no synchronous parameter servers, see mnist_multi_worker.py")
    if FLAGS.jit:
        raise SystemExit("--jit: XLA compiles for one device, and the variables are on the parameter servers")
    if FLAGS.precision == "float16" and keras.__version__ < "3":
        raise SystemExit("--precision=float16: Keras 2 scales no loss on parameter servers; use bfloat16")
    if "ps" not in cluster.jobs:
        raise SystemExit("the cluster has no parameter server (--ps_hosts)")
    cluster.claim_port().close()
    if cluster.job in ("ps", "worker"):
        if tf.io.gfile.exists(marker := end_marker(cluster.job, cluster.index)):
            tf.io.gfile.remove(marker)  # of an earlier training
        # TF1: tf.train.Server. It serves as long as it lives.
        spec = tf.train.ClusterSpec(cluster.jobs)
        server = tf.distribute.Server(spec, cluster.job, cluster.index, protocol="grpc")  # noqa: F841
    if cluster.address == cluster.chief:
        coordinate(cluster)
    else:
        serve(cluster)


if __name__ == "__main__":
    mnist_training.define_flags(issync=False, log_dir="/tmp/mnist_parameter_server")
    several = "Steps a worker makes when asked once. More: faster where steps are small."
    flags.DEFINE_integer("steps_per_request", 20, several, lower_bound=1)
    app.run(lambda _: mnist_training.run(train))
