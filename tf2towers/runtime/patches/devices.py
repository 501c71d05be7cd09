"""Devices: when TensorFlow lists them, and device functions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import tensorflow as tf
import tensorflow.compat.v1 as _v1  # before this import, `tf.compat.v1` is another object

from tf2towers.runtime.graph_session import own_resources
from tf2towers.runtime.graph_session.cluster.device_functions import show_tf1s_variables
from tf2towers.runtime.patches.patch import Patch, patch
from tf2towers.runtime.patches.private import MovedError, look_up

_waiting: list[Callable[[], None]] = []


def before_devices_start(settle: Callable[[], None]) -> None:
    """Calls `settle` when TensorFlow has listed the devices, and has not yet started them.

    Listing them initialises CUDA, which reads CUDA_VISIBLE_DEVICES once and for all. Many scripts
    set that variable in their `main`, and TF1 listed the devices when the session was made.
    """
    try:
        devices_are_settled_when_found()
        listed = _devices_of(devices_are_settled_when_found.private("eager.context").context()) is not None
    except MovedError as error:
        print(f"tf2towers: {error}", file=sys.stderr)
        listed = True
    if listed:
        settle()
    else:
        _waiting.append(settle)


def _devices_of(eager_context: Any) -> Any:
    """Returns the devices that TensorFlow has listed, or None."""
    return look_up(eager_context, "_physical_devices", devices_are_settled_when_found.feature)


@patch(
    "the devices of a script that sets CUDA_VISIBLE_DEVICES itself",
    source="common_runtime/direct_session.cc, NewSession",
    test="tests/runtime/graph_session/test_processes.py",
)
def devices_are_settled_when_found(changes: Patch) -> None:
    """Calls the functions of `before_devices_start` once TensorFlow has listed the devices."""
    eager_context = changes.private("eager.context").context()
    _devices_of(eager_context)

    @changes.around(eager_context, "_initialize_physical_devices")
    def look_and_settle(look: Any, *again: Any, **options: Any) -> None:
        first = _devices_of(eager_context) is None
        look(*again, **options)
        if first:
            for settle in _waiting:
                settle()

    changes.on_undo(_waiting.clear)


@patch(
    "tf.device with a function",
    source="framework/ops.py, Graph.device",
    test="tests/soundness/scripts/clusters/workers.py",
)
def device_functions_see_tf1(changes: Patch) -> None:
    """Shows variables to device functions as TF1's, unless resource variables are enabled."""

    @changes.around(tf.Graph, "device")
    def device(plain: Any, graph: Any, device_name_or_function: Any) -> Any:
        given = device_name_or_function
        # TensorFlow's own device functions, which merge device strings, are objects of its own
        # classes
        of_tensorflow = type(given).__module__.startswith("tensorflow.")
        if callable(given) and not own_resources.switched_on and not of_tensorflow:
            given = show_tf1s_variables(given)
        return plain(graph, given)


@patch(
    "tf.device with a function",
    source="framework/ops.py, device",
    test="tests/runtime/graph_session/test_processes.py",
)
def devices_may_be_functions(changes: Patch) -> None:
    """Lets `tf.device` take a function, as in TF1, in a script that uses `tf.compat.v1`."""
    changes.set(tf, "device", _v1.device)
