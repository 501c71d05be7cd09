"""TF1's `tf.contrib.layers` and `tf.contrib.slim`, with `tf.contrib.framework`'s scopes and variables, for TF2.

Every name here stands for the symbol of the same name in those packages of TensorFlow 1.15: same arguments in the same
order, same variable names, same kernels. They are built on TensorFlow's public API only. What stands in modules of its
own (networks, records, summaries) is loaded on its first use.
"""

from importlib import import_module
from typing import Any

from tf2towers.runtime.slim import learning, losses, model_analyzer, prefetch_queue, utils
from tf2towers.runtime.slim.arg_scopes import (
    add_arg_scope,
    arg_scope,
    arg_scope_func_key,
    arg_scoped_arguments,
    current_arg_scope,
    has_arg_scope,
)
from tf2towers.runtime.slim.batch_norm import (
    batch_norm,
)
from tf2towers.runtime.slim.convolution import (
    conv1d,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    convolution,
    convolution1d,
    convolution2d,
    convolution2d_transpose,
    convolution3d,
    convolution3d_transpose,
)
from tf2towers.runtime.slim.dense import (
    elu,
    fully_connected,
    legacy_fully_connected,
    legacy_linear,
    legacy_relu,
    linear,
    relu,
    relu6,
)
from tf2towers.runtime.slim.depthwise import (
    conv2d_in_plane,
    convolution2d_in_plane,
    separable_conv2d,
    separable_convolution2d,
)
from tf2towers.runtime.slim.embedding import (
    embed_sequence,
)
from tf2towers.runtime.slim.initializers import (
    variance_scaling_initializer,
    xavier_initializer,
    xavier_initializer_conv2d,
)
from tf2towers.runtime.slim.normalization import (
    group_norm,
    instance_norm,
    layer_norm,
)
from tf2towers.runtime.slim.pooling import (
    avg_pool2d,
    avg_pool3d,
    max_pool2d,
    max_pool3d,
    pool,
)
from tf2towers.runtime.slim.regularizers import (
    apply_regularization,
    l1_l2_regularizer,
    l1_regularizer,
    l2_regularizer,
    sum_regularizer,
)
from tf2towers.runtime.slim.shaping import (
    bias_add,
    dropout,
    flatten,
    maxout,
    one_hot_encoding,
    softmax,
    unit_norm,
)
from tf2towers.runtime.slim.stacking import (
    repeat,
    stack,
)
from tf2towers.runtime.slim.variables import (
    add_model_variable,
    assert_global_step,
    assert_or_get_global_step,
    create_global_step,
    filter_variables,
    get_global_step,
    get_local_variables,
    get_model_variables,
    get_or_create_global_step,
    get_trainable_variables,
    get_unique_variable,
    get_variable_full_name,
    get_variables,
    get_variables_by_name,
    get_variables_by_suffix,
    get_variables_to_restore,
    global_variable,
    local_variable,
    model_variable,
    variable,
)

__all__ = [
    "add_arg_scope",
    "add_model_variable",
    "apply_regularization",
    "arg_scope",
    "arg_scope_func_key",
    "arg_scoped_arguments",
    "assert_global_step",
    "assert_or_get_global_step",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bias_add",
    "conv1d",
    "conv2d",
    "conv2d_in_plane",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "convolution",
    "convolution1d",
    "convolution2d",
    "convolution2d_in_plane",
    "convolution2d_transpose",
    "convolution3d",
    "convolution3d_transpose",
    "create_global_step",
    "current_arg_scope",
    "dropout",
    "elu",
    "embed_sequence",
    "filter_variables",
    "flatten",
    "fully_connected",
    "get_global_step",
    "get_local_variables",
    "get_model_variables",
    "get_or_create_global_step",
    "get_trainable_variables",
    "get_unique_variable",
    "get_variable_full_name",
    "get_variables",
    "get_variables_by_name",
    "get_variables_by_suffix",
    "get_variables_to_restore",
    "global_variable",
    "group_norm",
    "has_arg_scope",
    "instance_norm",
    "l1_l2_regularizer",
    "l1_regularizer",
    "l2_regularizer",
    "layer_norm",
    "learning",
    "legacy_fully_connected",
    "legacy_linear",
    "legacy_relu",
    "linear",
    "local_variable",
    "losses",
    "max_pool2d",
    "max_pool3d",
    "maxout",
    "model_analyzer",
    "model_variable",
    "one_hot_encoding",
    "pool",
    "prefetch_queue",
    "relu",
    "relu6",
    "repeat",
    "separable_conv2d",
    "separable_convolution2d",
    "softmax",
    "stack",
    "sum_regularizer",
    "unit_norm",
    "utils",
    "variable",
    "variance_scaling_initializer",
    "xavier_initializer",
    "xavier_initializer_conv2d",
]

#: name -> module, for what few scripts need
_LATER = {
    **dict.fromkeys(
        (
            "data_decoder",
            "data_provider",
            "dataset",
            "dataset_data_provider",
            "evaluation",
            "nets",
            "parallel_reader",
            "queues",
            "repeated_evaluation",
            "summaries",
            "tfexample_decoder",
        ),
        "",
    ),
    **dict.fromkeys(
        (
            "assign_from_checkpoint",
            "assign_from_checkpoint_fn",
            "assign_from_values",
            "assign_from_values_fn",
        ),
        "checkpoints",
    ),
    **dict.fromkeys(
        ("OPTIMIZER_CLS_NAMES", "OPTIMIZER_SUMMARIES", "adaptive_clipping_fn", "optimize_loss"), "optimizers"
    ),
    **dict.fromkeys(
        (
            "summarize_activation",
            "summarize_activations",
            "summarize_collection",
            "summarize_tensor",
            "summarize_tensors",
        ),
        "layer_summaries",
    ),
}


def __getattr__(name: str) -> Any:
    if name == "metrics":
        return import_module("tf2towers.runtime.contrib.metrics")
    if name == "layers":  # slim.layers.conv2d was slim.conv2d
        return import_module(__name__)
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(f"{__name__}.{_LATER[name] or name}")
    value = getattr(home, name) if _LATER[name] else home
    globals()[name] = value  # a module of the same name is set by its import
    return value
