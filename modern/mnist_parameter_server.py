"""Train on parameter servers, asynchronously: legacy/mnist_supervisor.py's twin in TensorFlow 2 and Keras.

One process, the chief, hands out steps, and workers take them one after the other. Each reads the variables from the
parameter servers, computes its gradients on a batch of its own, and applies them there without waiting for anyone.
Workers may die and come back. Keras's `fit` does not work so (github.com/keras-team/keras/issues/18624).

    tf2towers launch --workers 3 -- modern/mnist_parameter_server.py    # or set TF_CONFIG for each task

Comments marked "TF1:" name what a piece takes the place of. Beside it stand digits.py, mnist_cluster.py,
mnist_model.py, mnist_training.py and precision.py.
"""

import os
import signal
from typing import Any

import keras
import mnist_cluster
import mnist_model
import mnist_training
import numpy as np
import precision
import tensorflow as tf
from absl import app, flags

FLAGS = flags.FLAGS
ON_CHIEF = tf.train.CheckpointOptions(experimental_io_device="/job:chief/task:0/device:CPU:0")


class Adam(keras.optimizers.Adam):
    """As TF1's, one locked operation: between Keras's three another worker could divide by a second moment of 0."""

    def update_step(self, gradient: tf.Tensor, variable: tf.Variable, learning_rate: tf.Tensor) -> None:
        """Change a variable and its moments."""
        index, steps = self._get_variable_index(variable), tf.cast(self.iterations + 1, tf.float32)
        tf.raw_ops.ResourceApplyAdam(
            var=variable.handle, m=self._momentums[index].handle, v=self._velocities[index].handle,
            beta1_power=self.beta_1**steps, beta2_power=self.beta_2**steps, lr=learning_rate,
            beta1=self.beta_1, beta2=self.beta_2, epsilon=self.epsilon, grad=gradient, use_locking=True,
        )  # fmt: skip


class Trainer:
    """The training state, made once on the parameter servers, and the step that changes it."""

    def __init__(self, strategy: tf.distribute.Strategy, options: Any) -> None:
        self.strategy = strategy
        with strategy.scope():  # TF1: tf.device(tf.train.replica_device_setter(cluster=cluster))
            self.model = mnist_model.inference(options.hidden_units)
            adam = Adam(options.learning_rate, epsilon=1e-8)  # TF1's; Keras's own is 1e-7
            self.optimizer = precision.LossScaleOptimizer(adam) if options.precision == "float16" else adam
            self.optimizer.build(self.model.trainable_variables)
            # optimizer.iterations is read, then written: two workers' steps at the same moment count as one
            once = tf.VariableAggregation.ONLY_FIRST_REPLICA
            self.global_step = tf.Variable(0, trainable=False, dtype=tf.int64, aggregation=once)

    def replica_step(self, images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """TF1: opt.minimize(cross_entropy, global_step). Runs on a worker; the global step after it, and the loss."""
        loss, gradients = mnist_model.gradients(self.model, self.optimizer, images, labels)
        self.optimizer.apply(gradients)
        return tf.identity(self.global_step.assign_add(1)), loss

    @tf.function
    def train_steps(self, batches: Any, count: int) -> tuple[tf.Tensor, tf.Tensor]:
        """Several steps for one request, which costs as much as a small step; returns the last step's results."""
        for _ in range(count):  # unrolled: worker and servers would agree on each round of a `tf.range` loop
            results = self.strategy.run(self.replica_step, args=next(batches))
        return results


def coordinate(cluster: mnist_cluster.Cluster) -> None:
    """Make the state, hand out steps until --train_steps, evaluate. TF1: what worker 0 did as the chief."""
    images, validation = mnist_model.load(FLAGS.data_dir)
    mnist_cluster.wait_for(cluster.jobs["ps"] + cluster.jobs["worker"], FLAGS.host_wait)
    strategy = tf.distribute.ParameterServerStrategy(cluster.resolver("chief", "ps", "worker"))
    if strategy.num_replicas_in_sync > 1:
        raise SystemExit("several GPUs a worker: start a worker for each, by CUDA_VISIBLE_DEVICES")
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    trainer = Trainer(strategy, FLAGS)
    # TF1: tf.train.Supervisor(logdir, saver). The chief reads and writes the files, no server does.
    state = {"model": trainer.model, "optimizer": trainer.optimizer, "step": trainer.global_step}
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(**state), FLAGS.log_dir, max_to_keep=5)
    if newest := manager.latest_checkpoint:
        try:
            manager.checkpoint.restore(newest, options=ON_CHIEF).assert_consumed()
        except (AssertionError, ValueError):
            raise SystemExit(f"{newest} is of another model; use another --log_dir") from None
        print(f"resuming at step {int(trainer.global_step.numpy())} of {FLAGS.train_steps}")
    tf.summary.create_file_writer(FLAGS.log_dir).set_as_default()

    def dataset() -> tf.data.Dataset:
        """Runs on each worker: all images, for workers come and go, in an order of its own."""
        rows = tf.data.Dataset.from_tensor_slices(images).shuffle(len(images[0])).repeat()
        return rows.batch(FLAGS.batch_size, drop_remainder=True).map(mnist_model.prepared).prefetch(2)

    evaluate = tf.function(lambda *part: mnist_model.evaluation(trainer.model, *part))  # runs on a worker
    batches = iter(coordinator.create_per_worker_dataset(dataset))
    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopping.append(number))
    step, at_once, stop = int(trainer.global_step.numpy()), FLAGS.steps_per_request, False
    while step < FLAGS.train_steps and not stop:
        until = min(FLAGS.train_steps, step + FLAGS.checkpoint_every - step % FLAGS.checkpoint_every)
        whole, rest = divmod(min(until - step, 64 * at_once), at_once)  # two or more ahead for each worker
        counts = [at_once] * whole + [1] * rest
        for request in [coordinator.schedule(trainer.train_steps, (batches, count)) for count in counts]:
            done, loss = request.fetch()  # of a worker that dies, another one repeats the whole request
            before, step = step, max(step, int(done))  # requests may end in any order
            if step // FLAGS.log_every > before // FLAGS.log_every:
                mnist_training.log(step, float(loss))
        coordinator.join()  # no step is under way: what is read now is what is saved
        step = int(trainer.global_step.numpy())
        if (stop := bool(stopping)) or step >= until:
            manager.save(checkpoint_number=step, options=ON_CHIEF)
        if step >= until:
            own = [np.array_split(array, len(cluster.jobs["worker"])) for array in validation]
            losses = [coordinator.schedule(evaluate, part) for part in zip(*own, strict=True)]
            mnist_training.log_evaluation(step, float(sum(coordinator.fetch(losses))))
    if step < FLAGS.train_steps:
        mnist_training.leave(f"stopped by a signal after step {step}, which is saved in {FLAGS.log_dir}")
    os._exit(0)  # an ordinary exit would clean up on the servers, which may have ended


def train(cluster: mnist_cluster.Cluster) -> None:
    """Runs this task."""
    if FLAGS.jit:
        raise SystemExit("--jit: XLA compiles for one device, and the variables are on the parameter servers")
    if "chief" not in cluster.jobs:  # as in TF1, worker 0 leads
        first, *workers = cluster.jobs["worker"]
        leads = (cluster.job, cluster.index) == ("worker", 0)
        task = ("chief", 0) if leads else (cluster.job, cluster.index - (cluster.job == "worker"))
        cluster = mnist_cluster.Cluster({**cluster.jobs, "chief": [first], "worker": workers}, *task)
    if not (cluster.jobs.get("ps") and cluster.jobs["worker"]):
        raise SystemExit("a worker and a parameter server are needed beside the chief, which is worker 0")
    cluster.claim_port().close()
    if cluster.job == "chief":
        coordinate(cluster)
    tf.distribute.Server(cluster.jobs, cluster.job, cluster.index, "grpc").join()  # TF1: the same, of a ps


if __name__ == "__main__":
    mnist_training.define_flags(log_dir="/tmp/mnist_parameter_server")
    flags.DEFINE_integer("steps_per_request", 20, "Steps a worker makes when asked once.", lower_bound=1)
    app.run(lambda _: mnist_training.run(train))
