"""What the trainers of clusters have in common: flags, what they print and write on the way, and how they end."""

from __future__ import annotations

import importlib.util
import math
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import keras
import mnist_cluster
import mnist_model
import precision
import tensorflow as tf
from absl import flags, logging
from mnist_cluster import Cluster

FLAGS = flags.FLAGS


def define_flags(issync: bool, log_dir: str) -> None:
    """TF1's flags for a cluster, which TF_CONFIG can replace, then those of the training."""
    flags.DEFINE_string("chief_host", "", "host:port of the chief. Empty: worker 0 is the chief.")
    flags.DEFINE_string("ps_hosts", "", "Comma-separated host:port of the parameter servers.")
    flags.DEFINE_string("worker_hosts", "", "Comma-separated host:port of the workers.")
    flags.DEFINE_string("job_name", None, "What this process is: chief, ps or worker.")
    flags.DEFINE_integer("task_index", None, "Which of the job's tasks this process is.")
    flags.DEFINE_float("host_wait", 60.0, "Seconds to wait for a host that does not answer.")
    flags.DEFINE_string("data_dir", "", "Directory of the MNIST files, on every worker. Empty: the digits.")
    flags.DEFINE_integer("issync", int(issync), "1: synchronous training, 0: asynchronous.")
    flags.DEFINE_float("learning_rate", 0.01, "Learning rate.")
    where = "Where the chief writes checkpoints. The same for all tasks."
    flags.DEFINE_string("log_dir", log_dir, where, allow_override=True)  # absl has a flag of that name
    flags.DEFINE_integer("seed", 0, "The initial weights follow from it, and where stated the batches.")
    for name, default, text in (
        ("train_steps", 1000, "Number of training steps to perform, all workers together."),
        ("batch_size", 100, "Images a replica takes in one step."),
        ("hidden_units", 100, "Number of units in the hidden layer."),
        ("log_every", 100, "Steps between two log lines."),
        ("summary_every", 100, "Steps between two summaries."),
        ("eval_steps", 500, "Steps between two evaluations."),
        ("checkpoint_every", 500, "Steps between two checkpoints."),
    ):
        flags.DEFINE_integer(name, default, text, lower_bound=1)
    precision.define_flags()


def run(train: Callable[[Cluster], None]) -> None:
    """Runs this task of the cluster; ends with a sentence if another task is missing."""
    logging.set_verbosity(logging.WARNING)
    cluster = mnist_cluster.from_flags_or_environment(FLAGS)
    print(f"job_name : {cluster.job}")
    print(f"task_index : {cluster.index}", flush=True)
    precision.set_policy(FLAGS.precision)
    try:
        train(cluster)
    except (tf.errors.UnavailableError, tf.errors.AbortedError) as error:
        saved = tf.train.latest_checkpoint(FLAGS.log_dir)
        again = f"it goes on from {saved}" if saved else f"it begins anew: {FLAGS.log_dir} has no checkpoint"
        lines = [
            line for line in error.message.splitlines() if "/job:" in line or "failed to connect" in line
        ]
        why = (lines or error.message.splitlines() or ["no reason given"])[0]
        leave(f"another task of the cluster is gone or does not answer ({why}); start all again: {again}")


def leave(sentence: str) -> None:
    """Ends the process at once: an ordinary exit waits for tasks that are lost or have ended."""
    print(sentence, file=sys.stderr, flush=True)
    os._exit(1)


class Progress:
    """Prints the legacy script's lines, evaluates, and on the chief writes summaries."""

    def __init__(self, model: keras.Model, validation: Any, cluster: Cluster, task: str = "") -> None:
        self.model, self.task = model, task
        self.images, self.labels = mnist_model.prepared(*validation)
        if cluster.address == cluster.chief:
            tf.summary.create_file_writer(FLAGS.log_dir).set_as_default()
        print(f"Worker {cluster.index}: Session initialization complete.")
        self.begun = time.time()
        print(f"Training begins @ {self.begun:f}", flush=True)

    def on_steps(self, before: int, step: int, loss: float) -> None:
        """Called after the steps from `before` to `step`, with the loss of the last one."""
        if not math.isfinite(loss):
            raise SystemExit(f"Model diverged with loss = {loss} after step {step}")
        if step // FLAGS.log_every > before // FLAGS.log_every:
            print(f"{time.time():f}: {self.task}training step {step} done, loss: {loss:f}", flush=True)
        if step // FLAGS.summary_every > before // FLAGS.summary_every:
            summarise("cross_entropy", loss, step)

    def evaluate(self, step: int) -> None:
        """Prints the cross entropy of the validation images."""
        xent = float(mnist_model.cross_entropy(self.model(self.images, training=False), self.labels))
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
