"""`tf.contrib.tfprof.model_analyzer`: older names of `tf.compat.v1.profiler`, and three of its settings."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

_EVERYTHING: dict[str, Any] = {
    "max_depth": 10000,
    "min_bytes": 0,
    "min_micros": 0,
    "min_params": 0,
    "min_float_ops": 0,
    "order_by": "name",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "trim_name_regexes": [],
    "show_name_regexes": [".*"],
    "hide_name_regexes": [],
    "account_displayed_op_only": True,
    "select": [],
    "output": "stdout",
    "dump_to_file": "",
}
#: the trainable variables and their sizes
TRAINABLE_VARS_PARAMS_STAT_OPTIONS = {
    **_EVERYTHING, "account_type_regexes": ["_trainable_variables"], "select": ["params"]
}  # fmt: skip
#: the operations that have floating point operations, and how many
FLOAT_OPS_OPTIONS = {**_EVERYTHING, "min_float_ops": 1, "order_by": "float_ops", "select": ["float_ops"]}
#: what took time and memory in a run
PRINT_ALL_TIMING_MEMORY = {
    **_EVERYTHING, "min_bytes": 1, "min_micros": 1, "select": ["micros", "bytes"]
}  # fmt: skip


def print_model_analysis(
    graph: tf.Graph,
    run_meta: Any = None,
    op_log: Any = None,
    tfprof_cmd: str = "scope",
    tfprof_options: Any = 0,
) -> Any:
    """Prints what the options ask for of a graph, and returns it: `tf.compat.v1.profiler.profile`."""
    return tf.compat.v1.profiler.profile(graph, run_meta, op_log, tfprof_cmd, tfprof_options)


def advise(graph: tf.Graph, run_meta: Any = None, tfprof_options: Any = 0) -> Any:
    """What could be faster: `tf.compat.v1.profiler.advise`."""
    return tf.compat.v1.profiler.advise(graph, run_meta, tfprof_options)
