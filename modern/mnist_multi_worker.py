"""Train on several workers, synchronously: legacy/mnist_supervisor.py --issync=1's twin in TensorFlow 2 and Keras.

TF1 put a SyncReplicasOptimizer on parameter servers, which TF 2 never did: MultiWorkerMirroredStrategy keeps a
copy of the model in every worker instead. Each step, every worker computes gradients on a batch of its own, the
optimizer sums them over the workers by an all-reduce, and every worker applies the same mean. When one worker
dies, all stop: start them again, and they go on from the last checkpoint. A worker that is to end (SIGTERM, a
preemption) tells the others, and all save the same step before they end.

    python modern/mnist_multi_worker.py --worker_hosts=localhost:2223,localhost:2224 --job_name=worker --task_index=0

The commands are TF1's; a ps has nothing to do and ends at once. Comments marked "TF1:" name what a piece takes
the place of. The asynchronous twin is mnist_parameter_server.py. Beside it stand digits.py, mnist_cluster.py,
mnist_model.py, mnist_training.py and precision.py. Keras 3 does not promise to support this strategy; this use of it
is tested here.
"""

from __future__ import annotations

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


class Trainer:
    """The training state, a copy in every worker, and the step that changes it."""

    def __init__(self, strategy: tf.distribute.Strategy, options: Any) -> None:
        self.strategy = strategy
        with strategy.scope():  # TF1: tf.device(tf.train.replica_device_setter(cluster=cluster))
            self.model = mnist_model.inference(options.hidden_units, options.seed)
            adam = keras.optimizers.Adam(options.learning_rate, epsilon=1e-8)  # TF1's; Keras's own is 1e-7
            self.optimizer = precision.with_loss_scaling(adam, options.precision)
            self.optimizer.build(self.model.trainable_variables)
        # XLA compiles the computation of one replica; the sum over the replicas stays outside
        self.compute = tf.function(self.gradients, jit_compile=True) if options.jit else self.gradients

    def gradients(self, images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor]]:
        """TF1: opt.compute_gradients(cross_entropy)."""
        return mnist_model.gradients(
            self.model, self.optimizer, images, labels, self.strategy.num_replicas_in_sync
        )

    def replica_step(self, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """TF1: SyncReplicasOptimizer(opt).minimize(cross_entropy, global_step), which applied the workers' mean."""
        loss, gradients = self.compute(images, labels)
        # sums over all replicas of all workers, then applies
        self.optimizer.apply(gradients, self.model.trainable_variables)
        return loss

    def train_step(self, images: Any, labels: Any) -> tf.Tensor:
        """TF1: sess.run([train_step, cross_entropy]). The mean loss of this worker's replicas."""
        losses = self.strategy.run(self.replica_step, args=(images, labels))
        return tf.reduce_mean(tf.stack(self.strategy.experimental_local_results(losses)))

    @tf.function
    def train_steps(self, batches: Any, count: tf.Tensor) -> tf.Tensor:
        """Makes `count` steps; returns the last loss. Steps in a loop may round otherwise; the first is outside."""
        loss = self.train_step(*next(batches))
        for _ in tf.range(count - 1):
            loss = self.train_step(*next(batches))
        return loss


def run_worker(cluster: Cluster) -> None:
    """Train until --train_steps, evaluate. Every worker does the same on batches of its own."""
    images, validation = mnist_model.load(FLAGS.data_dir)
    resolver = cluster.resolver("chief", "worker")
    strategy = tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=resolver)
    print(f"Number of devices: {strategy.num_replicas_in_sync}")
    trainer = Trainer(strategy, FLAGS)

    # TF1: tf.train.Supervisor(logdir, saver). Every worker reads the newest checkpoint; the chief writes them.
    checkpoint = tf.train.Checkpoint(model=trainer.model, optimizer=trainer.optimizer)
    manager = tf.train.CheckpointManager(checkpoint, FLAGS.log_dir, max_to_keep=5)

    def end() -> None:
        made = precision.steps_made(trainer.optimizer)
        mnist_training.leave(f"stopped by a signal after step {made}, which is saved in {FLAGS.log_dir}")

    to_end = tf.distribute.experimental.TerminationConfig(exit_fn=end)
    try:
        handlers = tf.distribute.experimental.PreemptionCheckpointHandler
        handler = handlers(resolver, checkpoint, FLAGS.log_dir, to_end)
    except ValueError:
        message = f"{manager.latest_checkpoint} is of another model; use another --log_dir"
        raise SystemExit(message) from None
    step = first = precision.steps_made(trainer.optimizer)
    if first:
        print(f"resuming at step {first} of {FLAGS.train_steps}")

    def batches_of(context: tf.distribute.InputContext) -> tf.data.Dataset:
        return mnist_model.training_batches(context, images, FLAGS.batch_size, FLAGS.seed, first)

    batches = iter(strategy.distribute_datasets_from_function(batches_of))
    progress = mnist_training.Progress(trainer.model, validation, cluster, f"Worker {cluster.index}: ")
    periods = FLAGS.log_every, FLAGS.summary_every, FLAGS.checkpoint_every, FLAGS.eval_steps
    while step < FLAGS.train_steps:
        before, step = step, mnist_training.next_stop(step, *periods)
        loss = handler.run(trainer.train_steps, batches, tf.constant(step - before))
        progress.on_steps(before, step, float(loss))
        ended = step == FLAGS.train_steps
        if cluster.address == cluster.chief and (step % FLAGS.checkpoint_every == 0 or ended):
            manager.save(checkpoint_number=step)
        if step % FLAGS.eval_steps == 0 or ended:
            progress.evaluate(step)
    progress.end()


def train(cluster: Cluster) -> None:
    """Runs this task."""
    if not FLAGS.issync:
        raise SystemExit("--issync=0: this one is synchronous, see mnist_parameter_server.py")
    if cluster.job == "ps":
        print("nothing to do: the variables are in the workers")
        return
    with cluster.claim_port():  # until all are there: TensorFlow would wait for an hour
        mnist_cluster.wait_for(cluster.addresses("chief", "worker"), FLAGS.host_wait)
    run_worker(cluster)


if __name__ == "__main__":
    mnist_training.define_flags(issync=True, log_dir="/tmp/mnist_multi_worker")
    app.run(lambda _: mnist_training.run(train))
