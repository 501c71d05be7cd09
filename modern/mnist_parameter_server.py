r"""Train on parameter servers, asynchronously: legacy/mnist_supervisor.py's twin in TensorFlow 2 and Keras.

In TF1 every worker ran its own loop. Here one process, the chief, hands out steps, and workers take them one after
the other. Each reads the variables from the parameter servers, computes its gradients on a batch of its own, and
applies them there without waiting for anyone. Workers may die and come back.

    hosts="--chief_host=localhost:2221 --ps_hosts=localhost:2222 --worker_hosts=localhost:2223,localhost:2224"
    python modern/mnist_parameter_server.py $hosts --job_name=ps --task_index=0 &        # and the workers 0 and 1
    python modern/mnist_parameter_server.py $hosts --job_name=chief --task_index=0

Servers and workers serve until they are killed, as in TF1 a ps did. Without a chief in the cluster TF1's commands do
as well: worker 0 is the chief then, and computes nothing. Comments marked "TF1:" name what a piece takes the place
of. The synchronous twin is mnist_multi_worker.py. Beside it stand digits.py, mnist_cluster.py, mnist_model.py,
mnist_training.py and precision.py.

Keras 3 does not support ParameterServerStrategy officially (github.com/keras-team/keras/issues/18624): `fit` does not
work under it. A hand-written loop like this one does, and is tested.
"""

from __future__ import annotations

import os
import signal
from typing import Any

import keras
import mnist_cluster
import mnist_model
import mnist_training
import precision
import tensorflow as tf
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
            adam = keras.optimizers.Adam(options.learning_rate, epsilon=1e-8)  # TF1's; Keras's own is 1e-7
            # With float16 all workers share the loss scale: if one changes it while another computes, the other's
            # gradients are off by a factor of 2 in that step.
            self.optimizer = precision.with_loss_scaling(adam, options.precision)
            self.optimizer.build(self.model.trainable_variables)
            # A counter of our own: optimizer.iterations is read, then written, and two workers' steps
            # at the same moment would count as one. (Adam's bias correction lags by as much.)
            once = tf.VariableAggregation.ONLY_FIRST_REPLICA
            self.global_step = tf.Variable(0, trainable=False, dtype=tf.int64, aggregation=once)

    def replica_step(self, images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """TF1: opt.minimize(cross_entropy, global_step). Runs on a worker; the global step after it, and the loss."""
        loss, gradients = mnist_model.gradients(self.model, self.optimizer, images, labels)
        self.optimizer.apply(gradients, self.model.trainable_variables)
        return tf.identity(self.global_step.assign_add(1)), loss

    @tf.function
    def train_steps(self, batches: Any, count: int) -> tuple[tf.Tensor, tf.Tensor]:
        """Makes `count` steps for one request, which costs as much as a small step; returns the last step's results.

        TF1: sess.run([train_step, global_step, cross_entropy], feed_dict). The steps are unrolled in the graph: worker
        and servers would have to agree on each round of a `tf.range` loop.
        """
        for _ in range(count):
            results = self.strategy.run(self.replica_step, args=next(batches))
        return results


def with_chief(cluster: Cluster) -> Cluster:
    """The cluster itself, or where it has no chief, one whose chief is worker 0."""
    if "chief" in cluster.jobs:
        return cluster
    first, *others = cluster.jobs["worker"]
    if not others:
        raise SystemExit("the cluster has no worker beside the chief, which computes nothing (--chief_host)")
    leads = (cluster.job, cluster.index) == ("worker", 0)
    job, index = ("chief", 0) if leads else (cluster.job, cluster.index - (cluster.job == "worker"))
    return Cluster({**cluster.jobs, "chief": [first], "worker": others}, job, index)


def coordinator_of(cluster: Cluster) -> tf.distribute.coordinator.ClusterCoordinator:
    """The coordinator, which asks the workers for steps."""
    strategy = tf.distribute.ParameterServerStrategy(cluster.resolver("chief", "ps", "worker"))
    if strategy.num_replicas_in_sync > 1:
        raise SystemExit(
            "several GPUs a worker: start a worker for each, with CUDA_VISIBLE_DEVICES set to one GPU"
        )
    return tf.distribute.coordinator.ClusterCoordinator(strategy)


def coordinate(cluster: Cluster) -> None:
    """Make the state, hand out steps until --train_steps, evaluate. TF1: what worker 0 did as the chief."""
    images, validation = mnist_model.load(FLAGS.data_dir)
    mnist_cluster.wait_for(cluster.addresses("ps", "worker"), FLAGS.host_wait)
    coordinator = coordinator_of(cluster)
    trainer = Trainer(coordinator.strategy, FLAGS)
    # TF1: tf.train.Supervisor(logdir, saver). The chief reads and writes the files, no server does.
    checkpoint = tf.train.Checkpoint(
        model=trainer.model, optimizer=trainer.optimizer, global_step=trainer.global_step
    )
    manager = tf.train.CheckpointManager(checkpoint, FLAGS.log_dir, max_to_keep=5)
    if newest := manager.latest_checkpoint:
        try:
            checkpoint.restore(newest, options=ON_CHIEF).assert_consumed()
        except (AssertionError, ValueError):
            raise SystemExit(f"{newest} is of another model; use another --log_dir") from None
        print(f"resuming at step {int(trainer.global_step.numpy())} of {FLAGS.train_steps}")

    def dataset() -> tf.data.Dataset:
        """Runs on each worker, which gets all images, in an order of its own.

        Workers come and go, and take what steps they find: images that belonged to one of them would be seen more
        often, less, or not at all.
        """
        return mnist_model.training_batches(tf.distribute.InputContext(), images, FLAGS.batch_size)

    batches = iter(coordinator.create_per_worker_dataset(dataset))
    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopping.append(number))
    progress = mnist_training.Progress(trainer.model, validation, cluster)
    step, at_once = int(trainer.global_step.numpy()), FLAGS.steps_per_request
    while step < FLAGS.train_steps and not stopping:
        first, until = step, mnist_training.next_stop(step, FLAGS.checkpoint_every, FLAGS.eval_steps)
        whole, rest = divmod(min(until - step, AHEAD * at_once), at_once)
        requests = [coordinator.schedule(trainer.train_steps, args=(batches, at_once)) for _ in range(whole)]
        requests += [coordinator.schedule(trainer.train_steps, args=(batches, 1)) for _ in range(rest)]
        for request in requests:
            done, loss = request.fetch()  # of a worker that dies, another one repeats the whole request
            before, step = step, max(step, int(done))  # requests may end in any order
            progress.on_steps(before, step, float(loss))
        coordinator.join()  # no step is under way: what is read now is what is saved
        step = int(trainer.global_step.numpy())
        if step >= until or stopping:
            manager.save(checkpoint_number=step, options=ON_CHIEF)
        if step >= until and (
            step // FLAGS.eval_steps > first // FLAGS.eval_steps or step >= FLAGS.train_steps
        ):
            progress.evaluate(step)
    progress.end()
    if step < FLAGS.train_steps:
        mnist_training.leave(f"stopped by a signal after step {step}, which is saved in {FLAGS.log_dir}")
    os._exit(0)  # an ordinary exit would clean up on the servers, which may have ended


def train(cluster: Cluster) -> None:
    """Runs this task."""
    if FLAGS.issync:
        raise SystemExit("--issync=1: TF 2 has no synchronous parameter servers, see mnist_multi_worker.py")
    if FLAGS.jit:
        raise SystemExit("--jit: XLA compiles for one device, and the variables are on the parameter servers")
    if "ps" not in cluster.jobs:
        raise SystemExit("the cluster has no parameter server (--ps_hosts)")
    cluster = with_chief(cluster)
    cluster.claim_port().close()
    if cluster.job == "chief":
        coordinate(cluster)
    spec = tf.train.ClusterSpec(cluster.jobs)
    tf.distribute.Server(spec, cluster.job, cluster.index, protocol="grpc").join()  # TF1: the same, of a ps


if __name__ == "__main__":
    mnist_training.define_flags(issync=False, log_dir="/tmp/mnist_parameter_server")
    several = "Steps a worker makes when asked once. More: faster where steps are small."
    flags.DEFINE_integer("steps_per_request", 20, several, lower_bound=1)
    app.run(lambda _: mnist_training.run(train))
