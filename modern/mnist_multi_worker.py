"""Train on several workers, synchronously: legacy/mnist_supervisor.py --issync=1's twin in TensorFlow 2 and Keras.

TF1 put a SyncReplicasOptimizer on parameter servers, which TF 2 never did: MultiWorkerMirroredStrategy keeps a
copy of the model in every worker instead. Each step, every worker computes gradients on a batch of its own, the
optimizer sums them over the workers by an all-reduce, and every worker applies the same mean. When one worker
dies, all stop: start them again, and they go on from the last checkpoint. A worker that is to end (SIGTERM, a
preemption) tells the others, and all save the same step before they end.

    python modern/mnist_multi_worker.py --worker_hosts=localhost:2223,localhost:2224 --job_name=worker --task_index=0

The commands are TF1's; a ps has nothing to do and ends at once. Comments marked "TF1:" name what a piece takes
the place of. The asynchronous twin is mnist_parameter_server.py. Beside it stand mnist_cluster.py, mnist_model.py
and trainer_data.py. Keras does not promise this strategy for its version 3, but for this use it is tested here.
"""

from __future__ import annotations

import os
import sys
import time
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


class Trainer:
    """The training state, a copy in every worker, and the step that changes it."""

    def __init__(self, strategy: tf.distribute.Strategy, options: Any) -> None:
        self.strategy = strategy
        with strategy.scope():  # TF1: tf.device(tf.train.replica_device_setter(cluster=cluster))
            self.model = mnist_model.inference(options.hidden_units, options.seed)
            # Its `iterations` are the global_step: in step, no worker can overtake another.
            self.optimizer = keras.optimizers.Adam(options.learning_rate, epsilon=mnist_model.EPSILON)
            self.optimizer.build(self.model.trainable_variables)

    def replica_step(self, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """TF1: SyncReplicasOptimizer(opt).minimize(cross_entropy, global_step), which applied the workers' mean."""
        share = 1.0 / self.strategy.num_replicas_in_sync
        loss, gradients = mnist_model.gradients(self.model, images, labels)
        shares = [gradient * share for gradient in gradients]
        # sums over all replicas of all workers, then applies
        self.optimizer.apply_gradients(zip(shares, self.model.trainable_variables, strict=True))
        return loss

    def train_step(self, images: Any, labels: Any) -> tf.Tensor:
        """TF1: sess.run([train_step, cross_entropy]). The mean loss of this worker's replicas."""
        losses = self.strategy.run(self.replica_step, args=(images, labels))
        return tf.reduce_mean(tf.stack(self.strategy.experimental_local_results(losses)))

    @tf.function
    def one_step(self, batches: Any) -> tf.Tensor:
        """A step on the next batch."""
        return self.train_step(*next(batches))

    @tf.function
    def several_steps(self, batches: Any, count: tf.Tensor) -> tf.Tensor:
        """So many steps in one call; the last one's loss."""
        loss = tf.constant(0.0)
        for _ in tf.range(count):
            loss = self.train_step(*next(batches))
        return loss


def run_worker(cluster: Cluster) -> None:
    """Train until --train_steps, evaluate. Every worker does the same on batches of its own."""
    validation = trainer_data.read_data_sets(FLAGS.data_dir).validation
    resolver = cluster.resolver("chief", "worker")
    strategy = tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=resolver)
    print(f"Number of devices: {strategy.num_replicas_in_sync}")
    trainer = Trainer(strategy, FLAGS)

    # TF1: tf.train.Supervisor(logdir, saver). Every worker reads the newest checkpoint; the chief writes them.
    checkpoint = tf.train.Checkpoint(model=trainer.model, optimizer=trainer.optimizer)
    manager = tf.train.CheckpointManager(checkpoint, FLAGS.log_dir, max_to_keep=5)
    try:
        handler = tf.distribute.experimental.PreemptionCheckpointHandler(
            resolver, checkpoint, FLAGS.log_dir,
            tf.distribute.experimental.TerminationConfig(exit_fn=lambda: leave(trainer)),
        )  # fmt: skip
    except ValueError:
        message = f"{manager.latest_checkpoint} is of another model; use another --log_dir"
        raise SystemExit(message) from None
    step = int(trainer.optimizer.iterations.numpy())
    if step:
        print(f"resuming at step {step} of {FLAGS.train_steps}")

    batches = iter(
        strategy.distribute_datasets_from_function(
            lambda context: mnist_model.training_batches(
                context, FLAGS.data_dir, FLAGS.batch_size, FLAGS.seed, step
            )
        )
    )
    leads = cluster.address == cluster.chief
    if leads:
        tf.summary.create_file_writer(FLAGS.log_dir).set_as_default()  # the others' summaries go nowhere
    print(f"Worker {cluster.index}: Session initialization complete.")
    time_begin = time.time()
    print(f"Training begins @ {time_begin:f}", flush=True)
    while step < FLAGS.train_steps:
        before = step
        periods = FLAGS.log_every, FLAGS.summary_every, FLAGS.checkpoint_every, FLAGS.eval_steps
        step = min(FLAGS.train_steps, *(step + period - step % period for period in periods))
        if step - before == 1:
            loss = float(handler.run(trainer.one_step, batches))
        else:
            loss = float(handler.run(trainer.several_steps, batches, tf.constant(step - before)))
        if np.isnan(loss):
            raise FloatingPointError("Model diverged with loss = NaN")
        if step % FLAGS.log_every == 0 or step == FLAGS.train_steps:
            task = f"Worker {cluster.index}"
            print(f"{time.time():f}: {task}: training step {step} done, loss: {loss:f}", flush=True)
        if step % FLAGS.summary_every == 0:
            mnist_model.summarise(step, cross_entropy=loss)
        if leads and (step % FLAGS.checkpoint_every == 0 or step == FLAGS.train_steps):
            manager.save(checkpoint_number=step)
        if step % FLAGS.eval_steps == 0 or step == FLAGS.train_steps:
            xent = mnist_model.evaluate(trainer.model, validation)
            print(f"After {step} training step(s), validation cross entropy = {xent:g}", flush=True)
            mnist_model.summarise(step, validation_cross_entropy=xent)
    time_end = time.time()
    print(f"Training ends @ {time_end:f}")
    print(f"Training elapsed time: {time_end - time_begin:f} s", flush=True)


def leave(trainer: Trainer) -> None:
    """End after a signal to any of the workers; all have saved this step."""
    step = int(trainer.optimizer.iterations.numpy())
    print(
        f"stopped by a signal after step {step}, which is saved in {FLAGS.log_dir}",
        file=sys.stderr,
        flush=True,
    )
    os._exit(1)


def train() -> None:
    """Be the task that the flags or TF_CONFIG say."""
    if not FLAGS.issync:
        raise SystemExit("--issync=0: this one is synchronous, see mnist_parameter_server.py")
    cluster = mnist_cluster.from_flags_or_environment(FLAGS)
    print(f"job_name : {cluster.job}")
    print(f"task_index : {cluster.index}", flush=True)
    if cluster.job == "ps":
        print("nothing to do: the variables are in the workers")
    else:
        with cluster.claim_port():  # until all are there: TensorFlow would wait for an hour
            mnist_cluster.wait_for(cluster.addresses("chief", "worker"), FLAGS.host_wait)
        run_worker(cluster)


def main(_: list[str]) -> None:
    """Train; without usable data, end with a message."""
    logging.set_verbosity(logging.WARNING)
    try:
        train()
    except trainer_data.DataError as error:
        raise SystemExit(str(error)) from error
    except (tf.errors.UnavailableError, tf.errors.AbortedError) as error:
        print(f"lost a worker: {error.message.splitlines()[0]}", file=sys.stderr)
        print(f"start the job again: it goes on from {FLAGS.log_dir}", file=sys.stderr, flush=True)
        os._exit(1)  # leaving in the ordinary way waits for the lost worker


if __name__ == "__main__":
    mnist_model.define_flags(issync=True, log_dir="/tmp/mnist_multi_worker")
    app.run(main)
