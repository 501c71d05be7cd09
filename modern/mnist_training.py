"""What the trainers of clusters have in common: flags, what they print and write on the way, and how they end."""

from __future__ import annotations

import importlib.util
import math
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import devices
import keras
import mnist_cluster
import mnist_model
import tensorflow as tf
import trainer_data
from absl import flags, logging
from mnist_cluster import Cluster

FLAGS = flags.FLAGS


def define_flags(issync: bool, log_dir: str) -> None:
    """TF1's flags for a cluster, which TF_CONFIG can replace, then those of the training."""
    flags.DEFINE_string("ps_hosts", "", "Comma-separated host:port of the parameter servers.")
    flags.DEFINE_string("worker_hosts", "", "Comma-separated host:port of the workers.")
    flags.DEFINE_string("job_name", None, "What this process is: ps or worker.")
    flags.DEFINE_integer("task_index", None, "Which of the job's tasks this process is.")
    flags.DEFINE_float("host_wait", 60.0, "Seconds to wait for a host that does not answer.")
    flags.DEFINE_string("data_dir", "", "Directory of the MNIST files, on every worker. Empty: the digits.")
    flags.DEFINE_alias("data-dir", "data_dir")
    flags.DEFINE_integer("issync", int(issync), "1: synchronous training, 0: asynchronous.")
    flags.DEFINE_integer("train_steps", 1000, "Number of training steps to perform, all workers together.")
    flags.DEFINE_integer("batch_size", 100, "Images a replica takes in one step.")
    flags.DEFINE_integer("hidden_units", 100, "Number of units in the hidden layer.")
    flags.DEFINE_float("learning_rate", 0.01, "Learning rate.")
    where = "Where the chief writes checkpoints. The same for all tasks."
    flags.DEFINE_string("log_dir", log_dir, where, allow_override=True)  # absl has a flag of that name
    flags.DEFINE_integer("seed", 0, "The initial weights follow from it, and where stated the batches.")
    flags.DEFINE_integer("log_every", 100, "Steps between two log lines.", lower_bound=1)
    flags.DEFINE_integer("summary_every", 100, "Steps between two summaries.", lower_bound=1)
    flags.DEFINE_integer("eval_steps", 500, "Steps between two evaluations.", lower_bound=1)
    flags.DEFINE_integer("checkpoint_every", 500, "Steps between two checkpoints.", lower_bound=1)
    devices.define_computing_flags()


def run(train: Callable[[Cluster], None]) -> None:
    """Runs this task of the cluster; ends with a sentence if its data or another task is missing."""
    logging.set_verbosity(logging.WARNING)
    cluster = mnist_cluster.from_flags_or_environment(FLAGS)
    print(f"job_name : {cluster.job}")
    print(f"task_index : {cluster.index}", flush=True)
    devices.set_precision(FLAGS.precision)
    try:
        train(cluster)
    except trainer_data.DataError as error:
        raise SystemExit(str(error)) from error
    except (tf.errors.UnavailableError, tf.errors.AbortedError) as error:
        say_and_leave(f"lost a task: {error.message.splitlines()[0]}\nstart the job again: it goes on from")


def say_and_leave(sentence: str) -> None:
    """Ends the process at once: an ordinary exit waits for tasks that are lost or have ended."""
    print(f"{sentence} {FLAGS.log_dir}", file=sys.stderr, flush=True)
    os._exit(1)


class Progress:
    """Prints the legacy script's lines, evaluates, and on the chief writes summaries."""

    def __init__(self, model: keras.Model, validation: Any, cluster: Cluster, task: str = "") -> None:
        self.model, self.validation, self.task = model, validation, task
        if cluster.address == cluster.chief:
            tf.summary.create_file_writer(FLAGS.log_dir).set_as_default()
        print(f"Worker {cluster.index}: Session initialization complete.")
        self.begun = time.time()
        print(f"Training begins @ {self.begun:f}", flush=True)

    def on_steps(self, before: int, step: int, loss: float) -> None:
        """Called after the steps from `before` to `step`, with the loss of the last one."""
        if math.isnan(loss):
            raise FloatingPointError("Model diverged with loss = NaN")
        if step // FLAGS.log_every > before // FLAGS.log_every:
            print(f"{time.time():f}: {self.task}training step {step} done, loss: {loss:f}", flush=True)
        if step // FLAGS.summary_every > before // FLAGS.summary_every:
            summarise("cross_entropy", loss, step)

    def evaluate(self, step: int) -> None:
        """Prints the cross entropy of the validation images."""
        probabilities = self.model(self.validation.images, training=False)
        xent = float(mnist_model.cross_entropy(probabilities, self.validation.labels))
        print(f"After {step} training step(s), validation cross entropy = {xent:g}", flush=True)
        summarise("validation_cross_entropy", xent, step)

    def end(self) -> None:
        """Prints how long the training took."""
        ended = time.time()
        print(f"Training ends @ {ended:f}")
        print(f"Training elapsed time: {ended - self.begun:f} s", flush=True)
        tf.summary.flush()


def summarise(name: str, value: float, step: int) -> None:
    """TF1: tf.summary.scalar. Without TensorBoard nothing is written."""
    if importlib.util.find_spec("tensorboard") is not None:
        tf.summary.scalar(name, value, step)


def next_stop(step: int, *periods: int) -> int:
    """The step after which Python is needed again: at the end of one of the periods, or of the training."""
    return min(FLAGS.train_steps, *(step + period - step % period for period in periods))
