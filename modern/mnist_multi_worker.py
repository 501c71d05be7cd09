"""Train on several workers, synchronously: legacy/mnist_supervisor.py --issync=1's twin in TensorFlow 2 and Keras.

MultiWorkerMirroredStrategy keeps a copy of the model in every worker, without parameter servers. Each step, every
worker computes gradients on a batch of its own, the optimizer sums them over the workers, and every worker applies the
same mean. When a worker dies, all stop: start them again, and they go on from the last checkpoint. A worker that gets a
SIGTERM (a preemption) tells the others, and all save the same step before they end.

    tf2towers launch --ps 0 --workers 2 -- modern/mnist_multi_worker.py    # or set TF_CONFIG for each worker

Comments marked "TF1:" name what a piece takes the place of. Beside it stand digits.py, mnist_cluster.py,
mnist_model.py, mnist_training.py and precision.py.
"""

import functools
from typing import Any

import keras
import mnist_cluster
import mnist_model
import mnist_training
import precision
import tensorflow as tf
from absl import app, flags

FLAGS = flags.FLAGS


class Trainer:
    """The training state, a copy in every worker, and the step that changes it."""

    def __init__(self, strategy: tf.distribute.Strategy, options: Any) -> None:
        self.strategy = strategy
        with strategy.scope():  # TF1: tf.device(tf.train.replica_device_setter(cluster=cluster))
            self.model = mnist_model.inference(options.hidden_units)
            adam = keras.optimizers.Adam(options.learning_rate, epsilon=1e-8)  # TF1's; Keras's own is 1e-7
            self.optimizer = precision.LossScaleOptimizer(adam) if options.precision == "float16" else adam
            self.optimizer.build(self.model.trainable_variables)
        # TF1: opt.compute_gradients(cross_entropy). XLA compiles one replica's part; the sum stays outside
        compute = functools.partial(mnist_model.gradients, self.model, self.optimizer)
        self.compute = tf.function(compute, jit_compile=True) if options.jit else compute

    def replica_step(self, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """TF1: SyncReplicasOptimizer(opt).minimize(cross_entropy, global_step), which applied the workers' mean."""
        loss, gradients = self.compute(images, labels, self.strategy.num_replicas_in_sync)
        self.optimizer.apply(gradients)  # sums over all replicas of all workers, then applies
        return loss

    @tf.function
    def train_steps(self, batches: Any, count: tf.Tensor) -> tf.Tensor:
        """TF1: sess.run([train_step, cross_entropy]), `count` times. The last loss, a mean of its replicas."""
        losses = self.strategy.run(self.replica_step, args=next(batches))
        for _ in tf.range(count - 1):
            losses = self.strategy.run(self.replica_step, args=next(batches))
        return tf.reduce_mean(tf.stack(self.strategy.experimental_local_results(losses)))

    def validation_loss(self, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """A replica's part of the cross entropy: of every n-th image, for n replicas."""
        replica = tf.distribute.get_replica_context()
        own = slice(replica.replica_id_in_sync_group, None, replica.num_replicas_in_sync)
        return mnist_model.evaluation(self.model, images[own], labels[own])

    @tf.function
    def evaluate(self, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """TF1: sess.run(cross_entropy, feed_dict=val_feed). The cross entropy of all images, by all workers."""
        losses = self.strategy.run(self.validation_loss, args=(images, labels))
        return self.strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)


def training_batches(arrays: Any, batch_size: int, seed: int, first: int, context: Any) -> tf.data.Dataset:
    """A worker's batches without end, one for each of its replicas a step. TF1: mnist.train.next_batch, feed_dict.

    Each worker shuffles its own part of the images by the epoch's seed, from the batch after `first` steps on.
    """
    part = slice(context.input_pipeline_id, None, context.num_input_pipelines)
    images, labels = (tf.constant(array[part]) for array in arrays)
    number, replicas = len(labels), context.num_replicas_in_sync // context.num_input_pipelines
    epoch, begun = divmod(first * replicas * batch_size, number)

    def order(epoch: tf.Tensor) -> tf.data.Dataset:
        rows = tf.random.experimental.stateless_shuffle(tf.range(number), tf.stack([seed, epoch]))
        return tf.data.Dataset.from_tensor_slices(rows)

    rows = tf.data.Dataset.counter(epoch).flat_map(order).skip(begun)
    batches = rows.repeat().batch(batch_size, drop_remainder=True)  # repeat() says that there is no end
    batches = batches.map(lambda rows: mnist_model.prepared(tf.gather(images, rows), tf.gather(labels, rows)))
    return batches.prefetch(tf.data.AUTOTUNE)


def train(cluster: mnist_cluster.Cluster) -> None:
    """Train until --train_steps, evaluate. Every worker does the same on batches of its own."""
    if cluster.job == "ps":
        print("nothing to do: the variables are in the workers")
        return
    workers = cluster.jobs.get("chief", []) + cluster.jobs["worker"]
    with cluster.claim_port():  # until all are there: TensorFlow would wait for an hour
        mnist_cluster.wait_for(workers, FLAGS.host_wait)
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

    experimental = tf.distribute.experimental
    to_end = experimental.TerminationConfig(exit_fn=end)
    try:
        handler = experimental.PreemptionCheckpointHandler(resolver, checkpoint, FLAGS.log_dir, to_end)
    except ValueError:
        raise SystemExit(f"{manager.latest_checkpoint} is of another model; use another --log_dir") from None
    if step := precision.steps_made(trainer.optimizer):
        print(f"resuming at step {step} of {FLAGS.train_steps}")
    if leads := cluster.jobs[cluster.job][cluster.index] == workers[0]:
        tf.summary.create_file_writer(FLAGS.log_dir).set_as_default()
    batches = functools.partial(training_batches, images, FLAGS.batch_size, FLAGS.seed, step)
    batches = iter(strategy.distribute_datasets_from_function(batches))
    while step < FLAGS.train_steps:
        logged, saved = (step + every - step % every for every in (FLAGS.log_every, FLAGS.checkpoint_every))
        until = min(FLAGS.train_steps, logged, saved, step + 100)  # a signal waits for the end of the call
        loss = handler.run(trainer.train_steps, batches, tf.constant(until - step))
        step = until
        if step == logged:
            mnist_training.log(step, float(loss), f"Worker {cluster.index}: ")
        if step in (saved, FLAGS.train_steps):
            mnist_training.log_evaluation(step, float(trainer.evaluate(*validation)))
            if leads:
                manager.save(checkpoint_number=step)


if __name__ == "__main__":
    mnist_training.define_flags(log_dir="/tmp/mnist_multi_worker")
    app.run(lambda _: mnist_training.run(train))
