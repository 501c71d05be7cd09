"""The public names of our packages; each is a TF 1.15 symbol (which, `tf1_names` says)."""

LAYERS = [
    "AveragePooling1D", "AveragePooling2D", "AveragePooling3D", "BatchNormalization", "Conv1D", "Conv2D",
    "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Dense", "Dropout", "Flatten", "InputSpec", "Layer",
    "MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "SeparableConv1D", "SeparableConv2D",
    "average_pooling1d", "average_pooling2d", "average_pooling3d", "batch_normalization", "conv1d",
    "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose", "dense", "dropout", "flatten",
    "max_pooling1d", "max_pooling2d", "max_pooling3d", "separable_conv1d", "separable_conv2d",
]  # fmt: skip

CONTRIB_LAYERS = [
    "apply_regularization", "avg_pool2d", "avg_pool3d", "batch_norm", "bias_add", "conv1d", "conv2d",
    "conv2d_in_plane", "conv2d_transpose", "conv3d", "conv3d_transpose", "convolution", "convolution1d",
    "convolution2d", "convolution2d_in_plane", "convolution2d_transpose", "convolution3d",
    "convolution3d_transpose", "dropout", "elu", "flatten", "fully_connected", "group_norm",
    "instance_norm", "l1_l2_regularizer", "l1_regularizer", "l2_regularizer", "layer_norm",
    "legacy_fully_connected", "legacy_linear", "legacy_relu", "linear", "max_pool2d", "max_pool3d",
    "maxout", "one_hot_encoding", "relu", "relu6", "repeat", "separable_conv2d",
    "separable_convolution2d", "softmax", "stack", "sum_regularizer", "unit_norm",
    "variance_scaling_initializer", "xavier_initializer", "xavier_initializer_conv2d",
]  # fmt: skip

CONTRIB_FRAMEWORK = [
    "add_arg_scope", "add_model_variable", "arg_scope", "arg_scoped_arguments", "assert_global_step",
    "assert_or_get_global_step", "create_global_step", "current_arg_scope", "filter_variables",
    "get_global_step", "get_local_variables", "get_model_variables", "get_or_create_global_step",
    "get_trainable_variables", "get_unique_variable", "get_variable_full_name", "get_variables",
    "get_variables_by_name", "get_variables_by_suffix", "get_variables_to_restore", "global_variable",
    "has_arg_scope", "local_variable", "model_variable", "variable",
]  # fmt: skip

LOSSES = [
    "absolute_difference", "add_loss", "compute_weighted_loss", "cosine_distance", "get_losses",
    "get_regularization_losses", "get_total_loss", "hinge_loss", "log_loss",
    "mean_pairwise_squared_error", "mean_squared_error", "sigmoid_cross_entropy", "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]  # fmt: skip

CELLS = [
    "BasicLSTMCell", "BasicRNNCell", "DeviceWrapper", "DropoutWrapper", "GRUCell", "LSTMCell",
    "LSTMStateTuple", "MultiRNNCell", "RNNCell", "ResidualWrapper",
]  # fmt: skip

CONTRIB_CELLS = ["LSTMBlockCell", "LayerNormBasicLSTMCell", "LayerRNNCell"]

LOOPS = ["bidirectional_dynamic_rnn", "dynamic_rnn", "raw_rnn", "static_bidirectional_rnn", "static_rnn"]

UTILS = [
    "append_tensor_alias", "channel_dimension", "collect_named_outputs", "convert_collection_to_dict",
    "get_tensor_aliases", "get_variable_collections", "last_dimension", "two_element_tuple",
]  # fmt: skip


def tf1_names():
    """(TF 1.15 symbol, our module, name in it), for every symbol."""
    homes = [
        ("layers", LAYERS, ["tf.layers"]),
        ("slim", CONTRIB_LAYERS, ["tf.contrib.layers", "tf.contrib.slim"]),
        ("slim", CONTRIB_FRAMEWORK, ["tf.contrib.framework", "tf.contrib.slim"]),
        ("slim", ["arg_scope_func_key", "pool"], ["tf.contrib.slim"]),
        ("slim.losses", LOSSES, ["tf.contrib.losses", "tf.contrib.slim.losses"]),
        ("slim.utils", UTILS, ["tf.contrib.slim.utils"]),
        ("rnn", CELLS, ["tf.nn.rnn_cell", "tf.contrib.rnn"]),
        ("rnn", CONTRIB_CELLS, ["tf.contrib.rnn"]),
        ("rnn", LOOPS, ["tf.nn"]),
        ("rnn", ["static_rnn", "static_bidirectional_rnn"], ["tf.contrib.rnn"]),
    ]
    for module, names, prefixes in homes:
        for name in names:
            for prefix in prefixes:
                yield prefix + "." + name, "tf2towers.runtime." + module, name
