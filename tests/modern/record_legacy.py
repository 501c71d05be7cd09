"""Run by test_cluster_parity.py: legacy/mnist_supervisor.py, of which every step is written down.

    python record_legacy.py FOLDER FLAGS

FOLDER gets a file for each step of each worker: its batch, its loss, the gradients it computed, and every variable
before the step and after it. Steps come in a fixed order: of synchronous workers each makes one, then the next begins;
asynchronous ones take turns. It makes steps until it is ended.
"""

import runpy
import sys
import time
from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf

FOLDER, SCRIPT = Path(sys.argv[1]), Path(__file__).parents[2] / "legacy" / "mnist_supervisor.py"
FLAGS = tf.app.flags.FLAGS
GRADIENTS: dict = {}
COMPUTE, RUN = tf.train.AdamOptimizer.compute_gradients, tf.Session.run


def compute_gradients(self, *arguments, **options):
    """Adam's own, kept by name."""
    pairs = COMPUTE(self, *arguments, **options)
    GRADIENTS.update((variable.op.name, gradient) for gradient, variable in pairs)
    return pairs


def wait_for(step: int, workers: list[int]) -> None:
    """Until these workers have made their part of the step."""
    while not all((FOLDER / f"{step}-{worker}.npz").exists() for worker in workers):
        time.sleep(0.01)


def recorded(sess, fetches, feed_dict=None, **options):
    """The session's own run; of one that trains everything is kept."""
    if not isinstance(fetches, list):
        return RUN(sess, fetches, feed_dict, **options)
    worker, workers = FLAGS.task_index, list(range(len(FLAGS.worker_hosts.split(","))))
    own = len(list(FOLDER.glob(f"*-{worker}.npz")))
    step = own if FLAGS.issync else own * len(workers) + worker
    if step:
        wait_for(step - 1, workers if FLAGS.issync else [(step - 1) % len(workers)])
    variables = {variable.op.name: variable for variable in tf.global_variables()}
    before = RUN(sess, variables)
    results, gradients = RUN(sess, [fetches, GRADIENTS], feed_dict)
    kinds = {"before": before, "gradient": gradients, "after": RUN(sess, variables)}
    arrays = {f"{kind}:{name}": value for kind, values in kinds.items() for name, value in values.items()}
    images, labels = feed_dict.values()
    temporary = FOLDER / f"temporary-{worker}"
    with temporary.open("wb") as file:
        np.savez(file, images=images, labels=labels, loss=results[-1], **arrays)
    temporary.replace(FOLDER / f"{step}-{worker}.npz")
    return results


tf.train.AdamOptimizer.compute_gradients = compute_gradients
tf.Session.run = recorded
sys.path.insert(0, str(SCRIPT.parent))
sys.argv = [str(SCRIPT), *sys.argv[2:]]
runpy.run_path(str(SCRIPT), run_name="__main__")
