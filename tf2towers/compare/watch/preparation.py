"""What is put in place before the script runs, and when it imports TensorFlow."""

import os
import platform
import random
from typing import Any, Optional

from tf2towers.compare.watch.beginning import Beginning
from tf2towers.compare.watch.lines import ALLOWED, INITIAL_WEIGHTS, WRITES
from tf2towers.compare.watch.steps import Steps, report_memory
from tf2towers.verify.recorder.imports import WhenImported
from tf2towers.verify.recorder.optimizer_calls import OptimizerCalls
from tf2towers.verify.recorder.seeds import SEED, fix_graph_seeds, same_draws
from tf2towers.verify.recorder.tf_writes import protect_tensorflow
from tf2towers.verify.recorder.wrapping import wrap
from tf2towers.verify.recorder.writes import Writes, protect_python


def prepare(steps: Steps, tf1: bool, draws: bool = False) -> None:
    """Makes everything ready; none of it is on the clock."""
    with steps.aside():
        steps.write("facts", python=platform.python_version())
        report_memory(steps)
        random.seed(SEED)
        imports = WhenImported()
        optimizers = OptimizerCalls()
        imports.then("numpy", lambda np: np.random.seed(SEED))
        optimizers.watch_keras(imports)
        allowed = filter(None, os.environ.get(ALLOWED, "").split(os.pathsep))
        writes = Writes(os.environ[WRITES], [os.path.dirname(os.environ[WRITES]), *allowed])
        beginning = None if tf1 else Beginning(steps, os.environ.get(INITIAL_WEIGHTS))

        def tensorflow_is_there(tf: Any) -> None:
            with steps.aside():
                _watch(tf, optimizers, steps, beginning, draws)
                protect_tensorflow(writes)

        def keras_is_there(_: Any) -> None:
            with steps.aside():
                if beginning is not None:
                    beginning.loaded("keras")

        imports.then("tensorflow", tensorflow_is_there)
        imports.then("keras", keras_is_there)
        protect_python(writes)


def _watch(
    tf: Any, optimizers: OptimizerCalls, steps: Steps, beginning: Optional[Beginning], draws: bool
) -> None:
    from tf2towers.compare.watch.functions import watch_functions
    from tf2towers.compare.watch.sessions import watch_sessions

    real_tf1 = tf.__version__.startswith("1.")
    steps.write("facts", tensorflow=tf.__version__)
    watch_sessions(tf, optimizers, steps)
    from tf2towers.verify.recorder import placement

    if real_tf1:
        placement.install(tf)
    elif beginning is None:
        from tf2towers.verify import stand_ins

        stand_ins.install(placement.install)
    else:
        watch_functions(tf, optimizers, steps, beginning)
        if steps.in_cluster:
            steps.harmless(be_patient)
        beginning.loaded("tensorflow")
        tf.random.set_seed(SEED)
    if draws:
        same_draws(SEED)
    else:
        fix_graph_seeds(tf if real_tf1 else tf.compat.v1, SEED)


# -- TF2 clusters: a task that is held for its turn sends no heartbeats, and must not be taken for dead ----------------
# TensorFlow's coordination service gives a task 10 s. Whoever really dies is seen by the launcher, which ends the
# others.

_PATIENCE = 24 * 60 * 60 * 1000  # ms
_NAME = "heartbeat_timeout_in_ms"
_PLACE = 4  # of it among the arguments, without self


def be_patient() -> None:
    """Makes the service of this process wait. To be called before a strategy is made; older TensorFlows have none."""
    from tensorflow.python.eager.context import Context

    def patient(configure: Any, context: Any, *args: Any, **kwargs: Any) -> None:
        if len(args) <= _PLACE:
            kwargs[_NAME] = _PATIENCE
        configure(context, *args, **kwargs)

    if hasattr(Context, "configure_coordination_service"):
        wrap(Context, "configure_coordination_service", patient)
