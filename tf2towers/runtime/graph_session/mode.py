"""`graph_mode`: the process builds graphs, as TF1 did."""

from __future__ import annotations

import contextlib
import os

import tensorflow as tf

from tf2towers.runtime.graph_session import own_resources
from tf2towers.runtime.graph_session.as_in_tf1.assigned import assignments_give_references
from tf2towers.runtime.graph_session.as_in_tf1.checkpoints_by_steps import hooks_save_at_tf1s_steps
from tf2towers.runtime.graph_session.as_in_tf1.half_embeddings import sums_of_half_embeddings_are_float32
from tf2towers.runtime.graph_session.as_in_tf1.penalties import one_loss_a_variable
from tf2towers.runtime.graph_session.as_in_tf1.shards_of_savers import savers_have_a_shard_for_each_device
from tf2towers.runtime.graph_session.as_in_tf1.slots_under_reuse import slots_under_reuse
from tf2towers.runtime.graph_session.as_in_tf1.sums_over_no_rows import (
    sums_over_no_rows_have_no_gradient,
    sums_over_rows_have_second_gradients,
)
from tf2towers.runtime.graph_session.as_in_tf1.tokens_of_workers import ends_leave_the_tokens
from tf2towers.runtime.graph_session.as_in_tf1.updates_of_optimizers import updates_by_tf1s_methods
from tf2towers.runtime.graph_session.carried import sessions
from tf2towers.runtime.graph_session.cluster.device_functions import device_functions_see_tf1
from tf2towers.runtime.graph_session.managed import SessionManager
from tf2towers.runtime.graph_session.private import (
    before_devices_start,
    complete_graphs,
    complete_variables,
    copies_of_rows_are_dense,
    datasets_read_variables_in_time,
    enumerated_datasets_have_iterators,
    epsilons_of_fused_norms_are_tf1s,
    gradients_by_values_are_the_variables,
    private_datasets_are_tf1s,
    sessions_of_managers_are,
    tf_slim_finds_its_names,
    unknown_sizes_are_not_equal,
    variables_by_tensor_name,
    whole_floats_are_sizes,
)
from tf2towers.runtime.graph_session.runs.nested import have_threads_for_nested_runs
from tf2towers.runtime.printing import print_as_numpy1


def graph_mode(cpu_towers: int = 8, *, resource_variables: bool = False) -> None:
    """Makes graphs the mode of this process, in every thread, with shapes, tensors and prints that behave as TF1's.

    To be called once, before anything is built. The graph is what TF1 built, but for its variables, which are
    resources: branches and loops are operations of the graph itself, so an operation in a branch runs where
    TF1 ran it.

    Args:
        cpu_towers: how many towers a machine without GPUs can hold: so many logical CPU devices. They are made when
            TensorFlow starts, for the first dataset, strategy or session; only then does it look for GPUs.
        resource_variables: whether the script switched them on itself: a variable that is fetched together with its
            update is then read before it.
    """
    before_devices_start(lambda: _settle(cpu_towers))
    # TF1's session asked for it in its `gpu_options`; here the strategy of the towers starts the GPUs before that
    os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
    own_resources.switched_on = resource_variables
    tf.compat.v1.disable_eager_execution()
    tf.compat.v1.disable_v2_tensorshape()
    tf.compat.v1.disable_tensor_equality()
    tf.compat.v1.disable_control_flow_v2()
    tf.compat.v1.enable_resource_variables()
    complete_variables()
    assignments_give_references()
    complete_graphs()
    whole_floats_are_sizes()
    unknown_sizes_are_not_equal()
    variables_by_tensor_name()
    gradients_by_values_are_the_variables()
    enumerated_datasets_have_iterators()
    private_datasets_are_tf1s()
    datasets_read_variables_in_time()
    copies_of_rows_are_dense()
    sessions_of_managers_are(SessionManager)
    epsilons_of_fused_norms_are_tf1s()
    tf_slim_finds_its_names()
    slots_under_reuse()
    ends_leave_the_tokens()
    hooks_save_at_tf1s_steps()
    savers_have_a_shard_for_each_device()
    updates_by_tf1s_methods()
    one_loss_a_variable()
    sums_of_half_embeddings_are_float32()
    sums_over_no_rows_have_no_gradient()
    sums_over_rows_have_second_gradients()
    device_functions_see_tf1()
    print_as_numpy1()


def _settle(cpu_towers: int) -> None:
    _make_logical_cpus(cpu_towers)
    if not sessions:  # a dataset starts TensorFlow: the first session's config will come too late
        with contextlib.suppress(RuntimeError):
            have_threads_for_nested_runs()


def _make_logical_cpus(count: int) -> None:
    if tf.config.list_physical_devices("GPU"):
        return
    cpu = tf.config.list_physical_devices("CPU")[0]
    if len(tf.config.get_logical_device_configuration(cpu) or ()) < count:
        with contextlib.suppress(RuntimeError):  # started already: `TowerStrategy` says what that means
            tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * count)
