"""Train on several workers, synchronously: legacy/mnist_supervisor.py --issync=1's twin in TensorFlow 2 and Keras 3.

TF1 put a SyncReplicasOptimizer on parameter servers, which TF 2 never did: MultiWorkerMirroredStrategy keeps a
copy of the model in every worker instead. Each step, every worker computes gradients on a batch of its own, the
optimizer sums them over the workers by an all-reduce, and every worker applies the same mean. When one worker
dies, all stop: start them again, and they go on from the last checkpoint.

    python modern/mnist_multi_worker.py --worker_hosts=localhost:2223,localhost:2224 --job_name=worker --task_index=0

The commands are TF1's; a ps has nothing to do and ends at once. Comments marked "TF1:" name what a piece takes
the place of. The asynchronous twin is mnist_parameter_server.py.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import mnist_cluster
import mnist_model
import numpy as np
import tensorflow as tf
from absl import app, flags, logging
from mnist_cluster import Cluster

from tf2towers.data import DataError, mnist
from tf2towers.runtime.memory import keep_freed_memory

FLAGS = flags.FLAGS


class MeanAdam(mnist_model.FusedAdam):
    """Adam on the mean of the replicas' gradients. TF1: SyncReplicasOptimizer(AdamOptimizer()).

    A Keras optimizer sums over the replicas. Where that sum is divided is where TF1's accumulators divided it: a share
    of each gradient, the usual way, is rounded once more in each replica (by 2 units in the last place for three).
    """

    def update_step(self, gradient: tf.Tensor, variable: Any, learning_rate: tf.Tensor) -> None:
        """Called with the sum."""
        replicas = tf.distribute.get_strategy().num_replicas_in_sync
        super().update_step(gradient / replicas, variable, learning_rate)


class Trainer:
    """The training state, a copy in every worker, and the step that changes it."""

    def __init__(self, strategy: tf.distribute.Strategy, options: Any) -> None:
        self.strategy = strategy
        with strategy.scope():  # TF1: tf.device(tf.train.replica_device_setter(cluster=cluster))
            self.model = mnist_model.build_model(options.hidden_units, options.seed)
            # Its `iterations` are the global_step: in step, no worker can overtake another.
            self.optimizer = MeanAdam(options.learning_rate, epsilon=mnist_model.EPSILON)
            self.optimizer.build(self.model.trainable_variables)

    def replica_step(self, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """TF1: SyncReplicasOptimizer(opt).minimize(cross_entropy, global_step)."""
        loss, gradients = mnist_model.gradients(self.model, images, labels)
        self.optimizer.apply(gradients, self.model.trainable_variables)  # all-reduced over the workers first
        return loss

    @tf.function  # type: ignore[untyped-decorator]
    def train_step(self, images: Any, labels: Any) -> tuple[tf.Tensor, ...]:
        """TF1: sess.run([train_step, cross_entropy]). The loss of each of this worker's replicas."""
        losses = self.strategy.run(self.replica_step, args=(images, labels))
        return self.strategy.experimental_local_results(losses)  # type: ignore[no-any-return]

    @tf.function  # type: ignore[untyped-decorator]
    def train_on_next(self, batches: Any) -> tuple[tf.Tensor, ...]:
        """A step on the next batch, which is taken in the graph: a distributed iterator hands out slowly."""
        return self.train_step(*next(batches))

    @tf.function  # type: ignore[untyped-decorator]
    def take_from_chief(self) -> None:
        """Give every worker the chief's state: a sum to which the others add nothing."""

        def replica() -> None:
            context = tf.distribute.get_replica_context()
            first = context.replica_id_in_sync_group == 0
            for keras_variable in [*self.model.variables, *self.optimizer.variables]:
                value = keras_variable.value
                own = tf.where(first, value, tf.zeros_like(value))
                value.assign(context.all_reduce(tf.distribute.ReduceOp.SUM, own))

        self.strategy.run(replica)


def distributed_dataset(strategy: tf.distribute.Strategy, first: int) -> Any:
    """This worker's batches from step `first` on, one for each of its replicas a step. TF1: next_batch, feed_dict."""

    def dataset(context: tf.distribute.InputContext) -> tf.data.Dataset:
        train = mnist.read_data_sets(FLAGS.data_dir, seed=FLAGS.seed + context.input_pipeline_id).train
        for _ in range(first * context.num_replicas_in_sync // context.num_input_pipelines):
            train.next_batch(FLAGS.batch_size)
        specs = tuple(
            tf.TensorSpec([FLAGS.batch_size, array.shape[1]], tf.float32)
            for array in (train.images, train.labels)
        )
        batches = iter(lambda: train.next_batch(FLAGS.batch_size), None)
        generated = tf.data.Dataset.from_generator(lambda: batches, output_signature=specs)
        # Of a dataset that might end, the workers would agree at each step whether any of them has a batch left.
        endless = tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY)
        return generated.apply(endless).prefetch(2)

    return strategy.distribute_datasets_from_function(dataset)


def run_worker(cluster: Cluster) -> None:
    """Make the state, take the steps, evaluate. Every worker runs all of it."""
    validation = mnist.read_data_sets(FLAGS.data_dir).validation  # before the others wait: it may fail
    others = [address for address in cluster.addresses("chief", "worker") if address != cluster.address]
    mnist_cluster.meet(cluster, others, FLAGS.host_wait)
    with mnist_cluster.time_limit(FLAGS.host_wait):
        strategy = tf.distribute.MultiWorkerMirroredStrategy(cluster.resolver("chief", "worker"))
    trainer = Trainer(strategy, FLAGS)

    # TF1: tf.train.Supervisor(logdir, saver). The chief alone reads and writes.
    checkpoint = tf.train.Checkpoint(model=trainer.model, optimizer=trainer.optimizer)
    manager = tf.train.CheckpointManager(checkpoint, FLAGS.log_dir, max_to_keep=5)
    if cluster.is_chief and manager.latest_checkpoint:
        try:
            checkpoint.restore(manager.latest_checkpoint).assert_consumed()
        except (AssertionError, ValueError):
            message = f"{manager.latest_checkpoint} is of another model; use another --log_dir"
            raise SystemExit(message) from None
    trainer.take_from_chief()
    first = int(trainer.optimizer.iterations.numpy())
    if first:
        print(f"resuming at step {first} of {FLAGS.train_steps}")

    batches = iter(distributed_dataset(strategy, first))
    print(f"Worker {cluster.index}: Session initialization complete.")
    time_begin = time.time()
    print(f"Training begins @ {time_begin:f}", flush=True)
    for step in range(first + 1, FLAGS.train_steps + 1):
        losses = trainer.train_on_next(batches)
        if step % FLAGS.log_every == 0 or step == FLAGS.train_steps:
            loss = float(np.mean(losses))
            if np.isnan(loss):
                raise FloatingPointError("Model diverged with loss = NaN")
            task = f"Worker {cluster.index}"
            print(f"{time.time():f}: {task}: training step {step} done, loss: {loss:f}", flush=True)
        if cluster.is_chief and (step % FLAGS.checkpoint_every == 0 or step == FLAGS.train_steps):
            manager.save(checkpoint_number=step)
    time_end = time.time()
    print(f"Training ends @ {time_end:f}")
    print(f"Training elapsed time: {time_end - time_begin:f} s")

    loss = float(mnist_model.cross_entropy(trainer.model(validation.images), validation.labels))
    print(f"After {FLAGS.train_steps} training step(s), validation cross entropy = {loss:g}", flush=True)


def train() -> None:
    """Be the task that the flags or TF_CONFIG say."""
    if not FLAGS.issync:
        raise SystemExit("--issync=0: this one is synchronous, see mnist_parameter_server.py")
    cluster = Cluster.from_flags_or_environment(FLAGS)
    print(f"job_name : {cluster.job}")
    print(f"task_index : {cluster.index}", flush=True)
    if cluster.job == "ps":
        print("nothing to do: the variables are in the workers")
        return
    cluster.claim_port()
    run_worker(cluster)


def main(_: list[str]) -> None:
    """Train; without usable data, end with a message."""
    logging.set_verbosity(logging.WARNING)
    keep_freed_memory()  # on CPUs: else the pages of a step's tensors are mapped anew in each step
    try:
        train()
    except DataError as error:
        raise SystemExit(str(error)) from error
    except (tf.errors.UnavailableError, tf.errors.AbortedError) as error:
        print(f"lost a worker: {error.message.splitlines()[0]}", file=sys.stderr)
        print(f"start the job again: it goes on from {FLAGS.log_dir}", file=sys.stderr, flush=True)
        os._exit(1)  # leaving in the ordinary way waits for the lost worker


if __name__ == "__main__":
    mnist_cluster.define_flags()
    mnist_model.define_flags(issync=True, log_dir="/tmp/mnist_multi_worker")
    app.run(main)
