"""What is put in place before the script runs, and when it imports TensorFlow."""

import os
import platform
from typing import Any

from tf2towers.sidebyside.watch.imports import WhenImported
from tf2towers.sidebyside.watch.optimizers import Optimizers
from tf2towers.sidebyside.watch.seeds import seed_numpy, seed_python, seed_tensorflow
from tf2towers.sidebyside.watch.steps import Steps

INITIAL_WEIGHTS = "TF2TOWERS_INITIAL_WEIGHTS"
SCRATCH = "TF2TOWERS_SCRATCH"


def prepare(steps: Steps, tf1: bool) -> None:
    """Makes everything ready.

    Args:
        steps: is told of each training step.
        tf1: `import tensorflow` is to give TensorFlow 1.
    """
    steps.facts(python=platform.python_version())
    seed_python()
    imports = WhenImported()
    optimizers = Optimizers()
    imports.then("numpy", seed_numpy)
    optimizers.watch_imports(imports)

    def tensorflow_is_there(tf: Any) -> None:
        from tf2towers.sidebyside.watch.as_tf1 import as_tf1
        from tf2towers.sidebyside.watch.functions import watch_functions
        from tf2towers.sidebyside.watch.sessions import watch_sessions

        steps.facts(tensorflow=tf.__version__)
        seed_tensorflow(tf)
        watch_sessions(tf, optimizers, steps)
        if hasattr(tf, "function"):
            watch_functions(tf, optimizers, steps)
        redirect_tensorflow_writes(tf, os.environ.get(SCRATCH, ""))
        initial_weights(tf, os.environ.get(INITIAL_WEIGHTS, ""))
        if tf1:
            as_tf1(tf)

    imports.then("tensorflow", tensorflow_is_there)
    redirect_python_writes(os.environ.get(SCRATCH, ""))


def redirect_python_writes(folder: str) -> None:
    """OVERLAY GOES HERE: what the script writes by Python goes below `folder`. So far it goes where it says."""


def redirect_tensorflow_writes(tf: Any, folder: str) -> None:
    """OVERLAY GOES HERE: what the script writes by TensorFlow goes below `folder`. So far it goes where it says."""


def initial_weights(tf: Any, folder: str) -> None:
    """INITIAL WEIGHTS GO HERE: those in `folder`, as `tf2towers verify` wrote it, are taken over. Not done so far."""
