"""Applies those options of a session's `ConfigProto` that TF 2 sets for the whole process."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.runs.nested import count_threads

#: fields of `graph_options.rewrite_options` that switch an optimizer; `tf.config.optimizer` has the
#: same names
_OPTIMIZERS = (
    "layout_optimizer", "constant_folding", "shape_optimization", "remapping", "arithmetic_optimization",
    "dependency_optimization", "loop_optimization", "function_optimization",
)  # fmt: skip
_OFF = 2  # RewriterConfig.OFF


def configure(config: Any, first: bool) -> None:
    """Applies a `tf.compat.v1.ConfigProto`: threads, visible GPUs, graph optimizers that are off.

    Placement is always soft. Options that must be set before TensorFlow starts are taken from the
    first session only, as TF1's devices were; if TensorFlow has started before it, a warning says
    so. GPU memory always grows (`graph_mode`). `allow_soft_placement=False`, `device_count` and
    `log_device_placement` are ignored here.

    Args:
        first: whether it is the process's first session.
    """
    late = []
    threading = tf.config.threading
    for field, set_threads in (
        ("intra_op_parallelism_threads", threading.set_intra_op_parallelism_threads),
        ("inter_op_parallelism_threads", threading.set_inter_op_parallelism_threads),
    ):
        if threads := getattr(config, field):
            try:
                set_threads(threads)
            except RuntimeError:  # TensorFlow has started
                if field.startswith("inter") and 1 < threads <= count_threads():
                    continue
                late.append(f"{field}={threads}")
    gpus = tf.config.list_physical_devices("GPU")
    visible = config.gpu_options.visible_device_list
    try:
        if gpus and visible:
            gpus = [gpus[int(index)] for index in visible.split(",")]
            tf.config.set_visible_devices(gpus, "GPU")
    except RuntimeError:
        late.append(f"visible_device_list={visible!r}")
    if gpus and first and (fraction := config.gpu_options.per_process_gpu_memory_fraction):
        tf.compat.v1.logging.warning(
            "per_process_gpu_memory_fraction=%g is not a limit here: the process takes as much GPU memory as it needs",
            fraction,
        )
    if late and first:
        tf.compat.v1.logging.warning(
            "the session's config comes too late to set %s: TensorFlow has started already, as tf.data makes it do. "
            "Set TF_NUM_INTEROP_THREADS, TF_NUM_INTRAOP_THREADS or CUDA_VISIBLE_DEVICES in the environment instead",
            ", ".join(late),
        )
    rewriting = config.graph_options.rewrite_options
    options = {name: False for name in _OPTIMIZERS if getattr(rewriting, name, 0) == _OFF}
    if rewriting.disable_meta_optimizer:
        options["disable_meta_optimizer"] = True
    if options:
        tf.config.optimizer.set_experimental_options(options)
