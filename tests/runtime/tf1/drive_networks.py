"""Whole networks: FILE gets the variables, collections and gradients of one step of each.

    python drive_networks.py FILE [save|restore|double FOLDER] [NETWORK ...]

Runs in TensorFlow 1.15 (which made ../goldens/networks.json) and, on our session, in TensorFlow 2.
`save` writes a checkpoint of each network, `restore` begins from it: so the checkpoints of
TensorFlow 1.15 were tried. `double` takes the gradients in double precision, with the statistics of
the batch: what is apart there is no rounding.
"""

import json
import sys
import zlib
from pathlib import Path

import numpy as np

try:
    import tensorflow as tf
    from tensorflow import layers
    from tensorflow.contrib import slim
    from tensorflow.contrib.slim.python.slim.nets import inception_v3, resnet_v1, resnet_v2

    Session = tf.Session
except ImportError:
    from tf2towers.runtime import Session, graph_mode

    graph_mode()

    import tensorflow.compat.v1 as tf
    from tf2towers.runtime.tf1.slim.nets import inception_v3, resnet_v1, resnet_v2

    from tf2towers.runtime.tf1 import layers, slim


def slims(module, name, scope, **options):
    """A network of slim; its norms are fused in float32 alone."""

    def build(images, training):
        with slim.arg_scope(getattr(module, scope)()) as known:
            for options_of in known.values() if images.dtype == tf.float64 else ():
                normalizer = options_of.get("normalizer_params")
                for given in (options_of, normalizer) if normalizer is not None else (options_of,):
                    if given is normalizer or "decay" in given:
                        given["fused"] = False
            return getattr(module, name)(images, num_classes=7, is_training=training, **options)[0]

    return build


def of_layers(images, training):
    """A network of `tf.layers`."""
    l2 = slim.l2_regularizer(0.01)
    net = layers.conv2d(images, 8, 5, 2, "same", activation=tf.nn.relu, kernel_regularizer=l2)
    net = layers.batch_normalization(net, training=training)
    net = layers.max_pooling2d(layers.separable_conv2d(net, 12, 3), 2, 2)
    net = layers.batch_normalization(layers.conv2d_transpose(net, 6, 3, 2), training=training, name="norm")
    return layers.dense(layers.flatten(layers.average_pooling2d(net, 4, 4)), 7, name="logits")


#: a network -> how it is built, and the size of its images
NETWORKS = {
    "layers": (of_layers, 32),
    "inception_v3": (
        slims(inception_v3, "inception_v3", "inception_v3_arg_scope", dropout_keep_prob=1.0),
        171,
    ),
    "resnet_v1_50": (slims(resnet_v1, "resnet_v1_50", "resnet_arg_scope"), 33),
    "resnet_v2_50": (slims(resnet_v2, "resnet_v2_50", "resnet_arg_scope"), 33),
}


def start_of(name, shape):
    """A variable's value: it depends on nothing but the name and the shape."""
    values = np.random.RandomState(zlib.crc32(name.encode()) % 2**31).uniform(-1, 1, shape)
    if name.endswith(("gamma", "variance")):
        values = 1 + values / 10
    return values * np.sqrt(3.0 / max(np.prod(shape[:-1]), 1)) if len(shape) > 1 else values


def outcome(name, action, folder):
    """What becomes of a network in one step, and its gradients, which are taken with the moving statistics.

    With those of the batch, a difference in rounding is a hundred thousand times as large 50 layers
    further.
    """
    with tf.Graph().as_default():
        found = of_step(name, True, action, folder)
    with tf.Graph().as_default():
        again = action if action == "double" else "restore" if action else ""
        found["gradients"] = of_step(name, action == "double", again, folder)["gradients"]
    return found


def of_step(name, training, action, folder):
    """The variables and collections of a network, and what a step changes and computes."""
    build, size = NETWORKS[name]
    images = tf.constant(np.random.RandomState(1).uniform(-1, 1, [2, size, size, 3]))
    images = images if action == "double" else tf.cast(images, tf.float32)
    logits = tf.reshape(build(images, training), [2, 7])
    loss = tf.losses.sparse_softmax_cross_entropy([1, 6], logits)
    total = tf.losses.get_total_loss()
    step = tf.train.GradientDescentOptimizer(0.1).compute_gradients(total)
    step = [
        pair for pair in step if pair[0] is not None
    ]  # the auxiliary head of Inception has no part in the loss
    variables, updates = tf.global_variables(), tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    moved = [variable for variable in variables if variable not in tf.trainable_variables()]
    saver, path = tf.train.Saver(), str(Path(folder) / name)
    with Session() as session:
        session.run(tf.global_variables_initializer())
        if action == "restore":
            saver.restore(session, path)
        else:
            for variable in variables:
                value = start_of(variable.op.name, variable.shape.as_list())
                variable.load(value.astype(variable.dtype.as_numpy_dtype), session)
        if action == "save":
            saver.save(session, path)
        losses = session.run([loss, total])
        gradients = session.run([gradient for gradient, _ in step])
        session.run(updates)
        after = session.run(moved)
    collections = {key: tf.get_collection(key) for key in ("trainable_variables", "model_variables")}
    shapes = [[variable.op.name, variable.shape.as_list()] for variable in variables]
    return {
        "variables": [len(variables), zlib.crc32(repr(shapes).encode())],
        "collections": {
            key: [len(value), zlib.crc32(repr([each.op.name for each in value]).encode())]
            for key, value in collections.items()
        },
        "updates": len(updates),
        "regularization": len(tf.losses.get_regularization_losses()),
        "losses": [float(value) for value in losses],
        "gradients": {step[at][1].op.name: digest(value) for at, value in enumerate(gradients)},
        "moved": {moved[at].op.name: digest(value) for at, value in enumerate(after)},
    }


def digest(value):
    """The norm of an array, and its product with a vector of cosines."""
    flat = np.asarray(value, np.float64).ravel()
    return [float(f"{number:.6g}") for number in (np.sqrt(flat @ flat), flat @ np.cos(np.arange(flat.size)))]


if __name__ == "__main__":
    target, action, folder, *names = [*sys.argv[1:], "", ""]
    found = {}
    for network in [name for name in names if name] or NETWORKS:
        found[network] = outcome(network, action, folder)
        Path(target).write_text(json.dumps(found, sort_keys=True, separators=(",", ":")) + "\n")
