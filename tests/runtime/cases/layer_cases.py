"""Cases for `tf.layers`."""

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
    """A layer lists variables that a custom getter has frozen as not trainable."""
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
    "conv1d": Case(_layer("conv1d", 4, 3), SEQUENCES),
    "conv1d causal": Case(_layer("conv1d", 4, 3, padding="causal", dilation_rate=2), SEQUENCES),
    "conv1d strided": Case(_layer("conv1d", 4, 3, 2, "same", use_bias=False), SEQUENCES),
    "conv2d": Case(_layer("conv2d", 4, 3), IMAGES),
    "conv2d same relu": Case(
        lambda api, x: api.layers.conv2d(x, 4, [3, 2], (2, 1), "SAME", activation=api.tf.nn.relu), IMAGES
    ),
    "conv2d dilated": Case(_layer("conv2d", 4, 2, dilation_rate=2, trainable=False), IMAGES),
    "conv2d without bias": Case(_layer("conv2d", 4, 3, use_bias=False), IMAGES),
    "conv3d without bias": Case(_layer("conv3d", 4, 3, use_bias=False), VOLUMES),
    "conv3d": Case(_layer("conv3d", 3, (2, 3, 2), name="volume"), VOLUMES),
    "conv2d_transpose": Case(_layer("conv2d_transpose", 4, 3, 2), IMAGES),
    "conv2d_transpose same": Case(
        _layer("conv2d_transpose", 4, (3, 2), (2, 3), "same", use_bias=False), IMAGES
    ),
    "conv2d_transpose channels first": Case(
        _layer("conv2d_transpose", 4, 3, 2, "same", "channels_first"), IMAGES
    ),
    "conv3d_transpose": Case(_layer("conv3d_transpose", 2, 2, 2), VOLUMES),
    "separable_conv1d": Case(_layer("separable_conv1d", 4, 3, depth_multiplier=2), SEQUENCES),
    "separable_conv2d": Case(_layer("separable_conv2d", 4, 3, padding="same", depth_multiplier=2), IMAGES),
    "dense": Case(_layer("dense", 4), ROWS),
    "dense of three dimensions": Case(
        lambda api, x: api.layers.dense(x, 4, activation=api.tf.nn.sigmoid), SEQUENCES
    ),
    "batch_normalization fused training": Case(_batch_norm(True), IMAGES),
    "batch_normalization fused inference": Case(_batch_norm(False, scale=False), IMAGES),
    "batch_normalization fused tensor true": Case(_batch_norm("tensor true", momentum=0.9), IMAGES),
    "batch_normalization fused tensor false": Case(_batch_norm("tensor false", momentum=0.9), IMAGES),
    "batch_normalization unfused training": Case(_batch_norm(True, fused=False, epsilon=1e-5), IMAGES),
    "batch_normalization rows": Case(_batch_norm(True), ROWS),
    "batch_normalization rows inference": Case(_batch_norm(False, center=False), ROWS),
    "batch_normalization rows tensor true": Case(_batch_norm("tensor true"), ROWS),
    "batch_normalization rows tensor false": Case(_batch_norm("tensor false"), ROWS),
    "batch_normalization axis 1": Case(_batch_norm(True, axis=1), SEQUENCES),
    "batch_normalization two axes": Case(_batch_norm(True, axis=[1, 3]), IMAGES),
    "batch_normalization renormalized": Case(
        _batch_norm(True, renorm=True, momentum=0.9), IMAGES, one_run=True
    ),
    "batch_normalization renormalized, clipped": Case(
        _batch_norm(
            True,
            renorm=True,
            renorm_clipping={"rmin": 0.3, "rmax": 3.0, "dmax": 5.0},
            renorm_momentum=0.8,
            axis=1,
            scale=False,
        ),
        SEQUENCES,
        one_run=True,
    ),
    "batch_normalization renormalized tensor true": Case(
        _batch_norm("tensor true", renorm=True), ROWS, one_run=True
    ),
    "batch_normalization renormalized tensor false": Case(_batch_norm("tensor false", renorm=True), ROWS),
    "batch_normalization renormalized inference": Case(_batch_norm(False, renorm=True), ROWS),
    "batch_normalization virtual batches": Case(_batch_norm(True, virtual_batch_size=2), IMAGES),
    "batch_normalization virtual batches renormalized": Case(
        _batch_norm("tensor true", virtual_batch_size=1, renorm=True), ROWS, one_run=True
    ),
    "batch_normalization adjusted": Case(_adjusted_batch_norm(True), IMAGES),
    "batch_normalization adjusted tensor false": Case(_adjusted_batch_norm("tensor false"), IMAGES),
    "batch_normalization frozen": Case(_batch_norm(True, trainable=False), IMAGES),
    "dropout": Case(_layer("dropout", 0.4, seed=7, training=True), (4, 6)),
    "dropout rows": Case(_layer("dropout", 0.5, noise_shape=[None, 1], seed=9, training=True), (6, 4)),
    "dropout off": Case(_layer("dropout", 0.4), ROWS),
    "flatten": Case(_layer("flatten"), IMAGES),
    "flatten channels first": Case(_layer("flatten", data_format="channels_first"), IMAGES),
    "max_pooling1d": Case(_layer("max_pooling1d", 2, 2), SEQUENCES),
    "max_pooling2d": Case(_layer("max_pooling2d", 2, 2, name="pool"), IMAGES),
    "max_pooling2d same": Case(_layer("max_pooling2d", [3, 2], [2, 1], "same"), IMAGES),
    "max_pooling3d": Case(_layer("max_pooling3d", 2, 1), VOLUMES),
    "average_pooling1d": Case(_layer("average_pooling1d", 3, 2, "same"), SEQUENCES),
    "average_pooling2d": Case(_layer("average_pooling2d", (2, 3), 1), IMAGES),
    "average_pooling3d": Case(_layer("average_pooling3d", 2, 2, data_format="channels_first"), VOLUMES),
}
