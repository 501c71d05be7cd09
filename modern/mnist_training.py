"""What the trainers of clusters have in common: flags, what they print and write on the way, and how they end."""

import importlib.util
import math
import os
import sys
import time
from typing import Any

import keras
import mnist_cluster
import precision
import tensorflow as tf
from absl import flags, logging

FLAGS = flags.FLAGS


def define_flags(log_dir: str) -> None:
    """Those of legacy/mnist_supervisor.py but for the cluster's, which TF_CONFIG has."""
    flags.DEFINE_string("data_dir", "", "Directory of the MNIST files, on every worker. Empty: the digits.")
    flags.DEFINE_integer("train_steps", 1000, "Number of steps, all workers together.", lower_bound=1)
    flags.DEFINE_integer("batch_size", 100, "Images a replica takes in one step.", lower_bound=1)
    flags.DEFINE_integer("hidden_units", 100, "Number of units in the hidden layer.", lower_bound=1)
    flags.DEFINE_float("learning_rate", 0.01, "Learning rate.")
    flags.DEFINE_integer("seed", 0, "The initial weights follow from it, and synchronous batches.")
    flags.DEFINE_integer("log_every", 100, "Steps between two log lines and summaries.", lower_bound=1)
    flags.DEFINE_integer("checkpoint_every", 500, "Steps between two, with evaluations.", lower_bound=1)
    flags.DEFINE_string("log_dir", log_dir, "Where the chief writes; one for all tasks.", allow_override=True)
    flags.DEFINE_float("host_wait", 60.0, "Seconds to wait for a host that does not answer.")
    precision.define_flags()


def run(train: Any) -> None:
    """Runs this task of the cluster; ends with a sentence if another task is missing."""
    logging.set_verbosity(logging.WARNING)
    cluster = mnist_cluster.from_environment()
    precision.set_policy(FLAGS.precision)
    keras.utils.set_random_seed(FLAGS.seed)
    try:
        train(cluster)
    except (tf.errors.UnavailableError, tf.errors.AbortedError) as error:
        saved = tf.train.latest_checkpoint(FLAGS.log_dir)
        again = f"it goes on from {saved}" if saved else f"it begins anew: {FLAGS.log_dir} has no checkpoint"
        lines = [line for line in error.message.splitlines() if "/job:" in line or "to connect" in line]
        why = (lines or ["no reason given"])[0]
        leave(f"another task of the cluster is gone or does not answer ({why}); start all again: {again}")


def leave(sentence: str) -> None:
    """Ends the process at once: an ordinary exit waits for tasks that are lost or have ended."""
    print(sentence, file=sys.stderr, flush=True)
    os._exit(1)


def log(step: int, loss: float, task: str = "") -> None:
    """Prints the legacy script's line of a step."""
    if not math.isfinite(loss):
        raise SystemExit(f"Model diverged with loss = {loss} after step {step}")
    print(f"{time.time():f}: {task}training step {step} done, loss: {loss:f}", flush=True)
    summarise("cross_entropy", loss, step)


def log_evaluation(step: int, xent: float) -> None:
    """Prints the cross entropy of the validation images."""
    print(f"After {step} training step(s), validation cross entropy = {xent:g}", flush=True)
    summarise("validation_cross_entropy", xent, step)


def summarise(name: str, value: float, step: int) -> None:
    """TF1: tf.summary.scalar. Only the chief has a writer; without TensorBoard nothing is written."""
    if importlib.util.find_spec("tensorboard") is not None:
        tf.summary.scalar(name, value, step)
        tf.summary.flush()
