"""Cases for `tf.contrib.layers`, `tf.contrib.slim` and `tf.contrib.framework`."""

from .running import Case

IMAGES = (2, 6, 5, 3)
SEQUENCES = (2, 7, 3)
VOLUMES = (1, 4, 5, 4, 2)
ROWS = (6, 5)


def _layer(function, *arguments, **options):
    return lambda api, x: getattr(api.slim, function)(x, *arguments, **options)


def _names(api, x):
    """Default scopes made unique, given scopes, reuse."""
    tf, slim = api.tf, api.slim
    y = slim.fully_connected(x, 5)
    y = slim.fully_connected(y, 5)
    with tf.variable_scope("outer"):
        y = slim.fully_connected(y, 5)
        y = slim.linear(y, 5, scope="given")
    with tf.variable_scope("outer", reuse=True):
        y = slim.fully_connected(y, 5)
        y = slim.linear(y, 5, scope="given")
    return slim.relu(y, 5, scope="fully_connected_1", reuse=True)


def _model(api, x):
    """A small model as the model zoo writes them: argument scopes, normalizer, weight decay, end points."""
    tf, slim = api.tf, api.slim
    norm = {"decay": 0.9, "is_training": True, "scale": True}
    decay = slim.l2_regularizer(0.01)
    with slim.arg_scope(
        [slim.conv2d, slim.fully_connected],
        weights_regularizer=decay,
        normalizer_fn=slim.batch_norm,
        normalizer_params=norm,
    ), slim.arg_scope([slim.conv2d, slim.max_pool2d], padding="SAME", outputs_collections="points") as scope:
        pass
    with tf.variable_scope("net", "model", [x]), slim.arg_scope(scope):
        y = slim.repeat(x, 2, slim.conv2d, 4, [3, 3], scope="conv1")
        y = slim.max_pool2d(y, [2, 2], scope="pool1")
        y = slim.repeat(y, 2, slim.conv2d, 4, 1, activation_fn=None)
        y = slim.flatten(y)
        y = slim.stack(y, slim.fully_connected, [6, 5], scope="fc")
        y = slim.stack(y, slim.fully_connected, [(4, tf.nn.tanh)])
        y = slim.fully_connected(y, 3, activation_fn=None, normalizer_fn=None, scope="logits")
    points = slim.utils.convert_collection_to_dict("points")
    return [y] + [points[name] for name in ("net/conv1/conv1_2", "net/pool1")]


def _custom_scoped(api, x):
    """A user's own function in an argument scope, and what a call passes winning over the scope."""
    slim = api.slim

    @slim.add_arg_scope
    def block(inputs, depth=3, activation_fn=None, scope=None):
        return slim.fully_connected(inputs, depth, activation_fn=activation_fn, scope=scope)

    with slim.arg_scope([block], depth=4), slim.arg_scope([block], activation_fn=api.tf.nn.tanh):
        y = block(x, scope="a")
        assert slim.arg_scoped_arguments(block) == ("depth", "activation_fn", "scope")
        return block(y, depth=2, scope="b")


def _variable_lookups(api, x):
    """Every way to look for variables, counted."""
    tf, slim = api.tf, api.slim
    with tf.variable_scope("one"):
        y = slim.fully_connected(x, 4, variables_collections=["mine"], trainable=False)
        y = slim.batch_norm(y)
    y = slim.conv1d(
        tf.expand_dims(y, 2), 2, 3, variables_collections={"weights": ["mine"], "biases": ["other"]}
    )
    slim.model_variable("extra", [2], initializer=tf.zeros_initializer(), collections=["mine"])
    slim.variable("plain", [2], initializer=tf.zeros_initializer(), trainable=False)
    counts = [
        slim.get_variables(),
        slim.get_variables("one"),
        slim.get_model_variables(),
        slim.get_model_variables("one"),
        slim.get_trainable_variables(),
        slim.get_variables_by_name("weights"),
        slim.get_variables_by_suffix("s", scope="one"),
        slim.get_variables_to_restore(include=["one", "Conv"]),
        slim.get_variables_to_restore(exclude=["one"]),
        slim.filter_variables(slim.get_model_variables(), ["Conv", "one"], ["biases"]),
        tf.get_collection("mine"),
        tf.get_collection("other"),
    ]
    assert slim.get_unique_variable("one/fully_connected/weights") is tf.get_collection("mine")[0]
    return [y, tf.reduce_sum(y) * 0 + tf.constant([float(len(count)) for count in counts])]


def _batch_norm(training, **options):
    def build(api, x):
        flag = api.tf.reduce_sum(x) > (-1e9 if training == "tensor true" else 1e9)
        flag = flag if isinstance(training, str) else training
        return api.slim.batch_norm(x, is_training=flag, **options)

    return build


def _weighted_batch_norm(api, x):
    return api.slim.batch_norm(x, batch_weights=api.tf.constant([0.5, 1.5]), scale=True)


def _regularizers(api, x):
    slim = api.slim
    y = slim.fully_connected(x, 3, weights_regularizer=slim.l1_regularizer(0.1))
    y = slim.fully_connected(y, 3, weights_regularizer=slim.l1_l2_regularizer(0.1, 0.2))
    summed = slim.sum_regularizer(
        [slim.l2_regularizer(0.3), None, slim.l2_regularizer(0.0), slim.l1_regularizer(0.4)]
    )
    y = slim.fully_connected(y, 3, weights_regularizer=summed, biases_regularizer=slim.l2_regularizer(0.5))
    slim.apply_regularization(slim.l2_regularizer(0.1), slim.get_variables_by_name("weights"))
    return y


def _initializers(api, x):
    slim = api.slim
    y = x
    for initializer in (
        slim.xavier_initializer(seed=1),
        slim.xavier_initializer(uniform=False, seed=2),
        slim.variance_scaling_initializer(seed=3),
        slim.variance_scaling_initializer(1.0, "FAN_OUT", True, seed=4),
    ):
        y = slim.conv2d(
            y, 4, 3, weights_initializer=initializer, biases_initializer=api.tf.ones_initializer()
        )
    return y


def _losses(api, x):
    """Every loss, with and without weights; predictions and labels made from the input."""
    tf, losses = api.tf, api.slim.losses
    labels = api.slim.one_hot_encoding(tf.argmax(x, 1), 5)
    numbers = tf.cast(tf.argmin(x, 1), tf.int32)
    rows = tf.reduce_sum(tf.cast(x > 0, tf.float32), 1)
    probabilities = tf.nn.sigmoid(x)
    made = [
        losses.softmax_cross_entropy(x, labels),
        losses.softmax_cross_entropy(x, labels, weights=0.4, label_smoothing=0.1),
        losses.sparse_softmax_cross_entropy(x, numbers, weights=rows),
        losses.sigmoid_cross_entropy(x, labels, label_smoothing=0.2),
        losses.absolute_difference(x, labels, weights=tf.cast(x > 0, tf.float32)),
        losses.mean_squared_error(x, labels, weights=rows),
        losses.mean_pairwise_squared_error(x, labels),
        losses.log_loss(probabilities, labels),
        losses.cosine_distance(x, labels, axis=1),
    ]
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, 0.5 * tf.reduce_sum(x))
    losses.add_loss(tf.reduce_mean(x))
    assert len(losses.get_losses()) == len(made) + 1
    return [
        tf.stack(made),
        losses.hinge_loss(x, labels),
        losses.get_total_loss(),
        losses.get_total_loss(False),
    ]


def _legacy(api, x):
    y = api.slim.legacy_relu(x, 4)
    y = api.slim.legacy_linear(y, 4, name="named", weight_regularizer=api.slim.l2_regularizer(0.1))
    return y, api.slim.apply_regularization(api.slim.l1_regularizer(0.5))


CASES = {
    "names": Case(_names, ROWS),
    "model": Case(_model, IMAGES),
    "custom scoped": Case(_custom_scoped, ROWS),
    "variable_lookups": Case(_variable_lookups, ROWS),
    "regularizers": Case(_regularizers, ROWS),
    "initializers": Case(_initializers, IMAGES, keep_initial=True),
    "losses": Case(_losses, ROWS),
    "legacy": Case(_legacy, SEQUENCES),
    "conv1d": Case(_layer("conv1d", 4, 3), SEQUENCES),
    "conv2d": Case(_layer("conv2d", 4, 3, 2), IMAGES),
    "conv2d rate": Case(_layer("convolution2d", 4, 3, rate=2, padding="VALID", scope="x"), IMAGES),
    "conv3d": Case(_layer("conv3d", 2, 3, biases_initializer=None), VOLUMES),
    "convolution": Case(_layer("convolution", 4, [3, 2], [1, 2]), IMAGES),
    "conv2d_transpose": Case(_layer("conv2d_transpose", 4, 3, 2), IMAGES),
    "conv3d_transpose": Case(_layer("conv3d_transpose", 2, 2, 2, activation_fn=None), VOLUMES),
    "conv2d_in_plane": Case(_layer("conv2d_in_plane", 3), IMAGES),
    "separable_conv2d": Case(_layer("separable_conv2d", 4, 3, 2), IMAGES),
    "separable_conv2d depthwise": Case(_layer("separable_conv2d", None, [3, 3], 2, stride=2), IMAGES),
    "fully_connected": Case(_layer("fully_connected", 4), ROWS),
    "relu6": Case(_layer("relu6", 4), ROWS),
    "fully_connected of three dimensions": Case(_layer("linear", 4, trainable=False), SEQUENCES),
    "fully_connected normalized": Case(
        lambda api, x: api.slim.fully_connected(x, 4, normalizer_fn=api.slim.batch_norm), ROWS
    ),
    "batch_norm": Case(_batch_norm(True), IMAGES),
    "batch_norm inference": Case(_batch_norm(False, scale=True, center=False), IMAGES),
    "batch_norm tensor true": Case(_batch_norm("tensor true"), IMAGES),
    "batch_norm in place": Case(_batch_norm(True, updates_collections=None, decay=0.9), IMAGES),
    "batch_norm in place tensor true": Case(
        _batch_norm("tensor true", updates_collections=None, decay=0.9), IMAGES
    ),
    "batch_norm in place tensor false": Case(
        _batch_norm("tensor false", updates_collections=None, decay=0.9), IMAGES
    ),
    "batch_norm rows": Case(_batch_norm(True, scale=True, decay=0.9), ROWS),
    "batch_norm rows tensor false": Case(_batch_norm("tensor false", decay=0.9), ROWS),
    "batch_norm rows in place": Case(_batch_norm(True, updates_collections=None, scope="norm"), ROWS),
    "batch_norm sequences": Case(_batch_norm(True, decay=0.5), SEQUENCES),
    "batch_norm sequences in place": Case(_batch_norm(True, updates_collections=None), SEQUENCES),
    "batch_norm sequences in place tensor": Case(
        _batch_norm("tensor true", updates_collections=None), SEQUENCES
    ),
    "batch_norm unfused elsewhere": Case(
        _batch_norm(True, updates_collections="elsewhere", fused=False), IMAGES
    ),
    "batch_norm unfused first": Case(
        _batch_norm(True, updates_collections=None, fused=False, data_format="NCHW"), IMAGES
    ),
    "batch_norm weighted": Case(_weighted_batch_norm, IMAGES),
    "batch_norm renormalized": Case(
        _batch_norm(True, renorm=True, renorm_decay=0.9, scale=True), IMAGES, one_run=True
    ),
    "batch_norm renormalized rows": Case(
        _batch_norm("tensor true", renorm=True, scope="norm"), ROWS, one_run=True
    ),
    "batch_norm without bias to zero": Case(
        _batch_norm(True, zero_debias_moving_mean=True, decay=0.9), IMAGES
    ),
    "batch_norm without bias to zero in place": Case(
        _batch_norm("tensor true", zero_debias_moving_mean=True, updates_collections=None), ROWS
    ),
    "batch_norm without bias to zero, sequences": Case(
        _batch_norm("tensor true", zero_debias_moving_mean=True, fused=False), SEQUENCES
    ),
    "batch_norm frozen": Case(_batch_norm(True, trainable=False), IMAGES),
    "layer_norm": Case(_layer("layer_norm"), IMAGES),
    "layer_norm rows": Case(_layer("layer_norm", center=False, scope="norm"), ROWS),
    "layer_norm last": Case(_layer("layer_norm", begin_norm_axis=-1, scale=False), SEQUENCES),
    "instance_norm": Case(_layer("instance_norm"), IMAGES),
    "instance_norm first": Case(_layer("instance_norm", data_format="NCHW"), IMAGES),
    "group_norm": Case(_layer("group_norm", 3), IMAGES),
    "group_norm near zero": Case(_layer("group_norm", 2, 1, (2, 3), mean_close_to_zero=True), IMAGES),
    "max_pool2d": Case(_layer("max_pool2d", 2), IMAGES),
    "max_pool2d same": Case(_layer("max_pool2d", [3, 3], 1, "SAME", scope="pool"), IMAGES),
    "max_pool3d": Case(_layer("max_pool3d", 2, 1), VOLUMES),
    "avg_pool2d": Case(_layer("avg_pool2d", [6, 5]), IMAGES),
    "avg_pool3d": Case(_layer("avg_pool3d", 2), VOLUMES),
    "pool": Case(_layer("pool", 2, "MAX", stride=2), IMAGES),
    "dropout": Case(_layer("dropout", 0.75, seed=3), ROWS),
    "dropout off": Case(_layer("dropout", 0.75, is_training=False), ROWS),
    "flatten": Case(_layer("flatten"), IMAGES),
    "bias_add": Case(_layer("bias_add"), IMAGES),
    "softmax": Case(_layer("softmax"), SEQUENCES),
    "unit_norm": Case(_layer("unit_norm", 1), SEQUENCES),
    "maxout": Case(_layer("maxout", 2), (3, 6)),
}
