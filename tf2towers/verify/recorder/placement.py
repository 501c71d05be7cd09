"""Runs towers on a machine without GPUs: ops that a TF1 script places on GPU i run on logical CPU device i.

TensorFlow's own solution, `allow_soft_placement`, puts every tower on CPU:0. There the graph optimizer may merge equal
ops of two towers, which it never does across GPUs; with a logical device for each, the towers stay separate.

On a real GPU, a tower also has its own copy of a weight that is stored elsewhere, made when the step reads it. On the
CPU devices of one process it would read the variable's own memory. Then a weight whose gradient is ready early would be
updated while another's gradient still needs its old value (seen on TF 1.15: gradients wrong by half their size). So
the copy is made here too.

Runs on Python 3.6 or later with TensorFlow 1.12 to 1.15, and on TensorFlow 2 through `tf.compat.v1`.
"""

import os
import re
from typing import Any

from . import graph as graphs
from .session_runs import change_settings
from .wrapping import wrap

_GPU = re.compile(r"/(?:device:)?gpu:(\d+|\*)", re.IGNORECASE)

#: The least number of a session's CPU devices. A `Server` is made before its graph and cannot know how many the graph
#: names. They share one thread pool and one allocator, so unused ones cost next to nothing (test_stand_ins.py).
LEAST_CPUS = 8


def install(tf: Any) -> None:
    """Maps `/gpu:i` to `/cpu:i`, and gives every session and server enough CPU devices; no effect where a GPU exists.

    An op's device is mapped once TensorFlow has determined it, so any way of naming it works: a `tf.DeviceSpec`, a
    device function, `tf.train.replica_device_setter`, by `tf.device`, `Graph.device` or `ops.device`. Devices in an
    imported graph are not mapped; soft placement, which every session gets, moves such ops to CPU:0.

    Args:
        tf: the TF1 module, `tensorflow` or `tensorflow.compat.v1`. Call it before the script makes its first operation.
    """
    if has_gpus(tf) or getattr(tf.Graph, "_tf2towers_highest", None) is not None:
        return
    tf.Graph._tf2towers_highest = 0  # the highest GPU index that any graph has named
    _map_operations(tf.Graph)
    _give_cpus(tf)


def cpu_of(device: str) -> str:
    """The device name, with a GPU replaced by the CPU of the same index."""
    return _GPU.sub(lambda found: "/device:CPU:" + found.group(1), device)


def has_gpus(tf: Any) -> bool:
    """True if this process sees a GPU."""
    try:
        listed = tf.config.experimental.list_physical_devices("GPU")  # 1.14 and later
    except AttributeError:
        if not tf.test.is_built_with_cuda():
            return False
        from tensorflow.python.client import device_lib

        listed = [device for device in device_lib.list_local_devices() if device.device_type == "GPU"]
    return bool(listed)


def _map_operations(graph_class: Any) -> None:
    def apply_device_functions(apply: Any, graph: Any, op: Any) -> None:
        apply(graph, op)
        # Keras asks for the current device with a substitute for an op, which starts without device and type
        found = _GPU.search(op.device or "")
        if found is not None:
            index = 0 if found.group(1) == "*" else int(found.group(1))
            graph_class._tf2towers_highest = max(graph_class._tf2towers_highest, index)
            op._set_device(cpu_of(op.device))
            if hasattr(op, "type") and not _is_of_other_task(op.device):
                _copy_reads(graph, op, index)
        if getattr(op, "type", "").startswith(("Assign", "Scatter")) and hasattr(graph, "_tf2towers_copies"):
            written = op.inputs[0].op
            while written.type in ("RefIdentity", "RefSwitch"):  # in a branch of a `tf.cond`
                written = written.inputs[0].op
            graph._tf2towers_copies[1].pop(written.name, None)

    wrap(graph_class, "_apply_device_functions", apply_device_functions)


def _is_of_other_task(device: str) -> bool:
    """True if an op's device is on another task than this process, such as a parameter server.

    A setter whose `worker_device` names a GPU gives that GPU to ops built for a parameter server as well. With a
    copied read, a token of `SyncReplicasOptimizer` would hold the old global step, and its gradient would be stale.
    """
    job = re.search("/job:([^/]+)", device)
    return job is not None and job.group(1) not in (os.environ.get("JOB_NAME", "worker"), "localhost")


def _copy_reads(graph: Any, op: Any, gpu: int) -> None:
    """Makes an op on a GPU compute with that GPU's own copy of a variable's read value (its op 'read').

    What is built after an assignment has another copy: the next assignment may be computed from it (`order`).
    """
    if not hasattr(graph, "_tf2towers_copies"):
        graph._tf2towers_copies = ({}, {})
    variables, copies = graph._tf2towers_copies
    if op.type in ("Variable", "VariableV2"):
        variables[op.name] = gpu
        return
    for place, tensor in enumerate(op.inputs):
        read = tensor.op
        if read.type != "Identity" or not read.inputs[0].dtype._is_ref_dtype:
            continue
        variable = read.inputs[0].op.name
        if variables.get(variable) != gpu:
            of_variable = copies.setdefault(variable, {})
            if (read.name, gpu) not in of_variable:
                of_variable[read.name, gpu] = _copy(graph, tensor, op.device, "gpu_%d" % gpu)
            op._update_input(place, of_variable[read.name, gpu])


def _copy(graph: Any, read: Any, device: str, name: str) -> Any:
    from tensorflow.python.framework import ops
    from tensorflow.python.ops import gen_array_ops

    gradient = graph.gradient_override_map({"DeepCopy": "Identity"})
    with graphs.beside(graph, read.op.name + "/"), ops.device(None), ops.device(device), gradient:
        return gen_array_ops.deep_copy(read, name=name)


def _give_cpus(tf: Any) -> None:
    def begin(
        make: Any,
        server: Any,
        server_or_cluster_def: Any,
        job_name: Any = None,
        task_index: Any = None,
        protocol: Any = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        config = _with_cpus(tf, tf.ConfigProto() if config is None else config)
        make(server, server_or_cluster_def, job_name, task_index, protocol, config, start)

    change_settings(tf, lambda config: _with_cpus(tf, _default_config(tf) if config is None else config))
    wrap(tf.train.Server, "__init__", begin)


def _default_config(tf: Any) -> Any:
    """The configuration of a session that is given none: since 1.14, that of the process."""
    from tensorflow.python.eager import context

    return getattr(context.context(), "config", None) or tf.ConfigProto()


def _with_cpus(tf: Any, config: Any) -> Any:
    """A copy of `config` with enough CPU devices; soft placement moves ops without a CPU kernel for their device."""
    changed = tf.ConfigProto()
    changed.CopyFrom(config)
    changed.allow_soft_placement = True
    wanted = max(LEAST_CPUS, tf.Graph._tf2towers_highest + 1, config.device_count.get("CPU", 0))
    changed.device_count["CPU"] = wanted
    return changed
