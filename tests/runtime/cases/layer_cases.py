"""Cases for `tf.layers`, beside those of tests/functions/programs/layers.py."""

from .running import Case

IMAGES = (2, 6, 5, 3)
SEQUENCES = (2, 7, 3)
VOLUMES = (1, 4, 5, 4, 2)
ROWS = (3, 5)


def _l2(scale):
    def loss(variable):
        return scale * variable * variable

    return lambda variable: loss(variable)[(0,) * len(variable.shape)]


def _names(api, x):
    """Default names, given names, reuse by scope and by argument."""
    tf, layers = api.tf, api.layers
    y = layers.dense(x, 5)
    y = layers.dense(y, 5)
    with tf.variable_scope("outer"):
        y = layers.dense(y, 5)
        y = layers.dense(y, 5, name="given")
    with tf.variable_scope("outer", reuse=True):
        y = layers.dense(y, 5)
        y = layers.dense(y, 5, name="given")
    y = layers.dense(y, 5, name="dense", reuse=True)
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        return layers.dense(y, 5, name="dense_1")


def _objects(api, x):
    """Layer objects: scope taken at the first call, variables shared by the later ones."""
    tf, layers = api.tf, api.layers
    first = layers.Dense(5, activation=tf.nn.tanh)
    named = layers.Dense(5, use_bias=False, name="named")
    with tf.variable_scope("here"):
        y = first(x)
    y = named(first(y))
    again = layers.Dense(4, name="named")
    return again(named.apply(y))


def _built_first(api, x):
    """Layers that the script builds itself, and then calls; two of each kind."""
    tf, layers = api.tf, api.layers
    outputs = []
    for _ in range(2):
        dense = layers.Dense(5)
        dense.build(x.shape)
        convolution = layers.Conv1D(2, 1)
        convolution.build((3, 5, 1))
        outputs.append(convolution(tf.expand_dims(dense(x), 2)))
    return outputs


def _frozen_by_a_getter(api, x):
    """What a custom getter freezes the layer lists as not trainable."""
    tf, layers = api.tf, api.layers

    def freeze(getter, *args, **kwargs):
        return getter(*args, **dict(kwargs, trainable=False))

    dense = layers.Dense(5)
    with tf.variable_scope("frozen", custom_getter=freeze):
        y = dense(x)
    return y + (10 * len(dense.trainable_weights) + len(dense.non_trainable_weights))


def _towers(api, x):
    """Two towers as in TF1: name scopes differ, variables are shared, updates are told apart by scope."""
    tf, layers = api.tf, api.layers
    outputs = []
    for i in range(2):
        with tf.name_scope(f"tower_{i}"), tf.variable_scope(tf.get_variable_scope(), reuse=i > 0):
            y = layers.conv2d(x, 4, 3, name="conv")
            y = layers.batch_normalization(y, training=True, name="bn")
            outputs.append(layers.dense(layers.flatten(y), 2, name="logits"))
    return outputs


def _regularized(api, x):
    tf, layers = api.tf, api.layers
    y = layers.dense(
        x, 4, kernel_regularizer=_l2(0.1), bias_regularizer=_l2(0.2), activity_regularizer=tf.reduce_sum
    )
    with tf.variable_scope("scope", regularizer=_l2(0.3)):
        return layers.dense(y, 4)


def _batch_norm(training, **options):
    def build(api, x):
        flag = api.tf.reduce_sum(x) > (-1e9 if training == "tensor true" else 1e9)
        flag = flag if isinstance(training, str) else training
        return api.layers.batch_normalization(x, training=flag, **options)

    return build


def _adjusted_batch_norm(training, **options):
    def build(api, x):
        def adjustment(shape):
            tf = api.tf
            example = tf.reshape(tf.cast(tf.range(shape[0]), tf.float32), [-1, 1, 1, 1])
            return 1.0 + example, 0.5 - example

        return _batch_norm(training, adjustment=adjustment, **options)(api, x)

    return build


def _scope_defaults(api, x):
    tf, layers = api.tf, api.layers
    with tf.variable_scope("constant", initializer=tf.constant_initializer(0.25)):
        y = layers.dense(x, 4, activation="relu")
    y = layers.dense(y, 4, kernel_initializer=tf.ones_initializer, bias_initializer="ones")
    return layers.dense(y, 4, kernel_initializer=tf.glorot_uniform_initializer(seed=5))


def _layer(function, *arguments, **options):
    return lambda api, x: getattr(api.layers, function)(x, *arguments, **options)


CASES = {
    "names": Case(_names, ROWS),
    "objects": Case(_objects, ROWS),
    "towers": Case(_towers, IMAGES),
    "built first": Case(_built_first, ROWS),
    "frozen by a getter": Case(_frozen_by_a_getter, ROWS),
    "regularized": Case(_regularized, ROWS),
    "scope defaults": Case(_scope_defaults, ROWS, keep_initial=True),
    "conv1d causal": Case(_layer("conv1d", 4, 3, padding="causal", dilation_rate=2), SEQUENCES),
    "conv1d strided": Case(_layer("conv1d", 4, 3, 2, "same", use_bias=False), SEQUENCES),
    "conv2d_transpose channels first": Case(
        _layer("conv2d_transpose", 4, 3, 2, "same", "channels_first"), IMAGES
    ),
    "batch_normalization rows inference": Case(_batch_norm(False, center=False), ROWS),
    "batch_normalization rows tensor false": Case(_batch_norm("tensor false"), ROWS),
    "batch_normalization axis 1": Case(_batch_norm(True, axis=1), SEQUENCES),
    "batch_normalization two axes": Case(_batch_norm(True, axis=[1, 3]), IMAGES),
    "batch_normalization renormalized": Case(
        _batch_norm(True, renorm=True, momentum=0.9), IMAGES, one_run=True
    ),
    "batch_normalization renormalized tensor true": Case(
        _batch_norm("tensor true", renorm=True), ROWS, one_run=True
    ),
    "batch_normalization renormalized tensor false": Case(_batch_norm("tensor false", renorm=True), ROWS),
    "batch_normalization renormalized inference": Case(_batch_norm(False, renorm=True), ROWS),
    "batch_normalization virtual batches renormalized": Case(
        _batch_norm("tensor true", virtual_batch_size=1, renorm=True), ROWS, one_run=True
    ),
    "batch_normalization adjusted tensor false": Case(_adjusted_batch_norm("tensor false"), IMAGES),
    "dropout rows": Case(_layer("dropout", 0.5, noise_shape=[None, 1], seed=9, training=True), (6, 4)),
    "flatten channels first": Case(_layer("flatten", data_format="channels_first"), IMAGES),
    "average_pooling3d": Case(_layer("average_pooling3d", 2, 2, data_format="channels_first"), VOLUMES),
}
