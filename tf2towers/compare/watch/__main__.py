"""Runs a script unedited and reports each of its training steps (`steps`).

    python tf2towers/compare/watch/__main__.py [--tf1] [--same-draws] [--alone] SCRIPT [ARGS]

`--tf1`: the script is written for TensorFlow 1; on TensorFlow 2, `stand_ins` are installed.
`--same-draws`: both sides build the same graph, so each operation is seeded by its name scope, and
both draw the same initial weights. `--alone`: the script is not a task of a cluster, whatever the
environment variables say.
"""

import json
import os
import platform
import random
import sys
from typing import Any, List

TEXTS = "TF2TOWERS_TEXTS"  # the file with what runs in place of the program's own, see `verify.texts.Texts.settings`
WRITES = "TF2TOWERS_WRITES"  # the folder into which the script's writes are redirected, except those into its parent
ALLOWED = "TF2TOWERS_ALLOWED_WRITES"  # folders that the script may write to, separated as in PATH
_FLAGS = ("--tf1", "--same-draws", "--alone")
_OF_TASKS = ("TF_CONFIG", "CLUSTER_SPEC", "JOB_NAME", "TASK_INDEX")


def main(arguments: List[str]) -> None:
    """Runs the script as `__main__`. Its exceptions, SystemExit too, are not caught."""
    count = next(place for place, word in enumerate(arguments) if word not in _FLAGS)
    flags, (script, *rest) = arguments[:count], arguments[count:]
    for name in _OF_TASKS if "--alone" in flags else ():
        os.environ.pop(name, None)
    del sys.path[0]  # this file's folder
    # this package's folder is on the path only for this import: it may be another Python's
    # site-packages
    sys.path.append(os.path.abspath(os.path.join(__file__, *[os.pardir] * 4)))
    from tf2towers.compare.watch.steps import Steps
    from tf2towers.verify.recorder.program import run_program

    with open(os.environ.pop(TEXTS)) as stream:
        texts = json.load(stream)
    steps = Steps("--alone" not in flags)
    with steps.aside():
        _prepare(steps, "--tf1" in flags, "--same-draws" in flags)
    sys.path.pop()
    sys.argv = [script, *rest]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    try:
        run_program(script, texts)
    finally:
        steps.end()


def _prepare(steps: Any, tf1: bool, draws: bool) -> None:
    """Seeds the random generators, redirects writes, watches TensorFlow when it is imported."""
    from tf2towers.compare.watch.optimizer_calls import OptimizerCalls
    from tf2towers.verify.recorder.imports import WhenImported
    from tf2towers.verify.recorder.seeds import SEED
    from tf2towers.verify.recorder.tf_writes import protect_tensorflow
    from tf2towers.verify.recorder.writes import Writes, protect_python

    steps.write("facts", python=platform.python_version())
    random.seed(SEED)
    imports, optimizers = WhenImported(), OptimizerCalls()
    imports.then("numpy", lambda np: np.random.seed(SEED))
    optimizers.watch_keras(imports)
    allowed = filter(None, os.environ.get(ALLOWED, "").split(os.pathsep))
    writes = Writes(os.environ[WRITES], [os.path.dirname(os.environ[WRITES]), *allowed])

    def tensorflow_is_there(tf: Any) -> None:
        with steps.aside():
            _watch(tf, optimizers, steps, tf1, draws)
            protect_tensorflow(writes)

    imports.then("tensorflow", tensorflow_is_there)
    protect_python(writes)


def _watch(tf: Any, optimizers: Any, steps: Any, tf1: bool, draws: bool) -> None:
    from tf2towers.compare.watch.functions import watch_functions
    from tf2towers.compare.watch.sessions import watch_sessions
    from tf2towers.verify.recorder import placement
    from tf2towers.verify.recorder.seeds import SEED, fix_graph_seeds, same_draws

    real_tf1 = tf.__version__.startswith("1.")
    steps.write("facts", tensorflow=tf.__version__)
    watch_sessions(tf, optimizers, steps)
    if real_tf1:
        placement.install(tf)
    elif tf1:
        from tf2towers.verify import stand_ins

        stand_ins.install(placement.install)
    else:
        watch_functions(tf, optimizers, steps)
        tf.random.set_seed(SEED)
    if draws:
        same_draws()
    else:
        fix_graph_seeds(tf if real_tf1 else tf.compat.v1)


if __name__ == "__main__":
    main(sys.argv[1:])
