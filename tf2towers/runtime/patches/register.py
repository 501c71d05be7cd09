"""Which patches are applied, and when."""

from __future__ import annotations

from tf2towers.runtime.patches.datasets import (
    datasets_read_variables_in_time,
    enumerated_datasets_have_iterators,
    private_datasets_are_tf1s,
)
from tf2towers.runtime.patches.devices import (
    device_functions_see_tf1,
    devices_are_settled_when_found,
    devices_may_be_functions,
)
from tf2towers.runtime.patches.estimators import (
    estimators_are_imported,
    estimators_run_on,
    tpu_estimators_are_imported,
)
from tf2towers.runtime.patches.gradients import (
    copies_of_rows_are_dense,
    gradients_by_values_are_the_variables,
    sums_of_half_embeddings_are_float32,
    sums_over_no_rows_have_no_gradient,
    sums_over_rows_have_second_gradients,
)
from tf2towers.runtime.patches.graphs import complete_graphs, variables_by_tensor_name
from tf2towers.runtime.patches.images import image_sizes_may_be_old, standardized_images_keep_their_type
from tf2towers.runtime.patches.keras import (
    keras_computes_as_tf1,
    keras_is_tf1s,
    keras_runs_on,
    layers_are_keras2s,
    sequentials_predict_classes,
    variables_are_keras2s,
)
from tf2towers.runtime.patches.keras_training import (
    events_have_keras2s_names,
    losses_are_keras2s,
    methods_take_old_words,
    models_are_saved_as_keras2s,
    networks_have_keras2s_norm,
    optimizers_are_keras2s,
    rows_are_shuffled_as_keras2s,
)
from tf2towers.runtime.patches.layers import (
    epsilons_of_fused_norms_are_tf1s,
    sizes_of_padding_are_int32,
    transposed_convolutions_have_whole_shapes,
)
from tf2towers.runtime.patches.old_arguments import (
    sampled_losses_take_both_orders,
    shards_are_scaled_as_the_whole,
    tuples_wait_for_assignments,
)
from tf2towers.runtime.patches.printing import print_as_numpy1
from tf2towers.runtime.patches.shapes import unknown_sizes_are_not_equal, whole_floats_are_sizes
from tf2towers.runtime.patches.slim import tf_slim_finds_its_names
from tf2towers.runtime.patches.training import (
    ends_leave_the_tokens,
    hooks_save_at_tf1s_steps,
    savers_have_a_shard_for_each_device,
    sessions_of_managers_are,
    slots_under_reuse,
    updates_by_tf1s_methods,
)
from tf2towers.runtime.patches.variables import (
    assignments_give_references,
    one_loss_a_variable,
    restored_shapes_are_checked,
    variables_are_made_as_tf1s,
    variables_are_tf1s,
    variables_have_initial_values,
)

#: patches that every migrated script needs: without one of them `graph_mode` raises an error
FOR_EVERY_SCRIPT = (variables_are_tf1s, variables_are_made_as_tf1s, assignments_give_references)
#: patches for an original that runs on TensorFlow 2, with TF1's own variables, sessions and modes
FOR_ORIGINALS = (
    epsilons_of_fused_norms_are_tf1s,
    tf_slim_finds_its_names,
    whole_floats_are_sizes,
    unknown_sizes_are_not_equal,
    one_loss_a_variable,
    hooks_save_at_tf1s_steps,
    sums_over_no_rows_have_no_gradient,
    sums_over_rows_have_second_gradients,
    transposed_convolutions_have_whole_shapes,
    standardized_images_keep_their_type,
    image_sizes_may_be_old,
    sampled_losses_take_both_orders,
    shards_are_scaled_as_the_whole,
    sizes_of_padding_are_int32,
    print_as_numpy1,
)
#: patches for a migrated script, whose variables are resources and whose sessions are the runtime's
FOR_MIGRATED = (
    variables_have_initial_values,
    restored_shapes_are_checked,
    complete_graphs,
    variables_by_tensor_name,
    gradients_by_values_are_the_variables,
    enumerated_datasets_have_iterators,
    private_datasets_are_tf1s,
    datasets_read_variables_in_time,
    copies_of_rows_are_dense,
    slots_under_reuse,
    ends_leave_the_tokens,
    savers_have_a_shard_for_each_device,
    updates_by_tf1s_methods,
    sums_of_half_embeddings_are_float32,
    tuples_wait_for_assignments,
    device_functions_see_tf1,
    devices_may_be_functions,
    *FOR_ORIGINALS,
)
#: patches that are applied where they are needed, some of them with arguments
ON_DEMAND = (
    devices_are_settled_when_found,
    sessions_of_managers_are,
    keras_is_tf1s,
    keras_computes_as_tf1,
    keras_runs_on,
    sequentials_predict_classes,
    layers_are_keras2s,
    losses_are_keras2s,
    optimizers_are_keras2s,
    rows_are_shuffled_as_keras2s,
    models_are_saved_as_keras2s,
    methods_take_old_words,
    events_have_keras2s_names,
    networks_have_keras2s_norm,
    variables_are_keras2s,
    estimators_are_imported,
    estimators_run_on,
    tpu_estimators_are_imported,
)
