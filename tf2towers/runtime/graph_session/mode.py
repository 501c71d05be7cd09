"""`graph_mode`: the process builds graphs, as TF1 did."""

from __future__ import annotations

import contextlib
import os

import tensorflow as tf

from tf2towers.runtime.graph_session import own_resources
from tf2towers.runtime.graph_session.deprecations import hide_deprecations_of_libraries
from tf2towers.runtime.graph_session.managed import SessionManager
from tf2towers.runtime.graph_session.runs.nested import have_threads_for_nested_runs
from tf2towers.runtime.graph_session.session import Session
from tf2towers.runtime.patches.devices import before_devices_start
from tf2towers.runtime.patches.register import FOR_EVERY_SCRIPT, FOR_MIGRATED
from tf2towers.runtime.patches.training import sessions_of_managers_are


def graph_mode(cpu_towers: int = 8, *, resource_variables: bool = False, v2_behavior: bool = False) -> None:
    """Switches this process to graph mode: shapes, tensors and prints behave as TF1's.

    Must be called once, before anything is built. The graph is the one that TF1 built, except that
    its variables are resource variables. Branches and loops are ops of the graph itself (control
    flow v1), so an op in a branch runs where TF1 ran it.

    Args:
        cpu_towers: the number of logical CPU devices that a machine without GPUs gets, for as many
            towers. TensorFlow makes them when the first dataset, strategy or session starts it;
            only then does it look for GPUs.
        resource_variables: whether the script enabled resource variables itself. A variable that is
            fetched together with its update is then read before the update.
        v2_behavior: whether the script ran on TF 2 and disabled eager execution only. Its variables
            are then resource variables, too, and the sizes in a shape are integers or None.
    """
    before_devices_start(lambda: _settle(cpu_towers))
    # in TF1 the session's `gpu_options` set this; here the towers' strategy starts the GPUs before
    # the session
    os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
    hide_deprecations_of_libraries()
    own_resources.switched_on = resource_variables or v2_behavior
    tf.compat.v1.disable_eager_execution()
    if not v2_behavior:
        tf.compat.v1.disable_v2_tensorshape()
    tf.compat.v1.disable_tensor_equality()
    tf.compat.v1.disable_control_flow_v2()
    # `variables_are_made_as_tf1s` makes each variable a resource, and sees which ones the script asks for
    tf.compat.v1.disable_resource_variables()
    for patch in FOR_EVERY_SCRIPT:
        patch()
    for patch in FOR_MIGRATED:
        patch.apply_or_guard()
    sessions_of_managers_are.apply_or_guard(SessionManager, Session)


def _settle(cpu_towers: int) -> None:
    _make_logical_cpus(cpu_towers)
    with contextlib.suppress(RuntimeError):
        have_threads_for_nested_runs()


def _make_logical_cpus(count: int) -> None:
    if tf.config.list_physical_devices("GPU"):
        return
    cpu = tf.config.list_physical_devices("CPU")[0]
    if len(tf.config.get_logical_device_configuration(cpu) or ()) < count:
        with contextlib.suppress(RuntimeError):  # TensorFlow has started: `TowerStrategy` explains
            tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * count)
