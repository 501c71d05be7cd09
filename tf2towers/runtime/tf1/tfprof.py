"""`tf.contrib.tfprof.model_analyzer`: older names of `tf.compat.v1.profiler`, and two of its settings."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

_options = tf.compat.v1.profiler.ProfileOptionBuilder
#: the trainable variables and their sizes
TRAINABLE_VARS_PARAMS_STAT_OPTIONS = _options.trainable_variables_parameter()
#: the operations that have floating point operations, and how many
FLOAT_OPS_OPTIONS = _options.float_operation()


def print_model_analysis(
    graph: tf.Graph,
    run_meta: Any = None,
    op_log: Any = None,
    tfprof_cmd: str = "scope",
    tfprof_options: Any = 0,
) -> Any:
    """Prints what the options ask for of a graph, and returns it: `tf.compat.v1.profiler.profile`."""
    return tf.compat.v1.profiler.profile(graph, run_meta, op_log, tfprof_cmd, tfprof_options)
