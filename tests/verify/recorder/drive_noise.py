"""Records small trainings and measures their gradients' rounding: DRIVE ROOT. Python 3.6 with TF 1.12 on, and 2.21.

Each training is also recorded without that. Says for each case, as JSON on the last line: by name how large a gradient
is and how far rounding moves it, the notes, and whether both recordings are the same.
"""

import json
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
if sys.version_info >= (3, 10):
    from tf2towers.verify import stand_ins
    from tf2towers.verify.recorder import placement

    stand_ins.install(placement.install)
import tensorflow as tf

from tf2towers.verify.recorder import placement
from tf2towers.verify.recorder.session import SessionRecorder, watch

IMAGES = np.random.RandomState(1).normal(0, 1, (4, 6, 6, 3)).astype(np.float32)
ROWS = IMAGES.reshape(4, -1)[:, :5]
LABELS = np.array([0, 2, 1, 2])


class Writer(object):
    """Keeps the steps."""

    def __init__(self):
        self.taken = []
        self.steps = 0

    def step(self, arrays):
        self.taken.append(arrays)
        self.steps += 1


def variable(name, *shape):
    values = np.random.RandomState(len(name) + sum(shape)).normal(0, 0.5, shape)
    return tf.get_variable(name, initializer=tf.constant(values.astype(np.float32)))


def classified(logits):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=LABELS, logits=logits))


def dense(x):
    hidden = tf.nn.relu(tf.matmul(x, variable("w", 5, 8)) + variable("b", 8))
    return classified(tf.matmul(hidden, variable("out", 8, 3)))


def normed(x):
    """The bias before the norm has a gradient of 0 in exact arithmetic."""
    x = tf.nn.conv2d(tf.constant(IMAGES), variable("kernel", 3, 3, 3, 4), [1, 1, 1, 1], "SAME")
    x, _, _ = tf.nn.fused_batch_norm(x + variable("bias", 4), variable("gamma", 4), variable("beta", 4))
    return classified(tf.matmul(tf.reduce_mean(tf.nn.relu(x), [1, 2]), variable("out", 4, 3)))


def embedding(x):
    found = tf.nn.embedding_lookup(variable("table", 6, 4), np.array([[3, 1], [0, 3], [5, 5], [2, 0]]))
    return classified(tf.matmul(tf.reduce_mean(found, 1), variable("out", 4, 3)))


def dropout(x):
    return classified(tf.matmul(tf.nn.dropout(tf.matmul(x, variable("w", 5, 6)), 0.5), variable("out", 6, 3)))


def iterator(x):
    rows = (
        tf.data.Dataset.from_tensor_slices(np.stack([ROWS, ROWS + 1.0]))
        .repeat()
        .make_one_shot_iterator()
        .get_next()
    )
    return classified(tf.matmul(tf.reshape(rows, [4, 5]), variable("w", 5, 3)))


def loop(x):
    u = variable("u", 5, 5)

    def body(place, h):
        return place + 1, tf.tanh(tf.matmul(h, u))

    _, h = tf.while_loop(lambda place, _: place < 3, body, [tf.constant(0), x])
    return classified(tf.matmul(h, variable("w", 5, 3)))


def written(x):
    """A moving average is written where the loss is computed, and comes back."""
    w = variable("w", 5, 3)
    mean = tf.get_variable("mean", [5], initializer=tf.zeros_initializer(), trainable=False)
    with tf.control_dependencies([mean.assign_add(0.1 * tf.reduce_mean(x, 0))]):
        return classified(tf.matmul(x, w) * 1.0)


def drawn_in_a_loop(x):
    def body(place, x):
        return place + 1, x + tf.random_uniform([4, 5])

    _, x = tf.while_loop(lambda place, _: place < 3, body, [tf.constant(0), x])
    return classified(tf.matmul(x, variable("w", 5, 3)))


CASES = [dense, normed, embedding, dropout, iterator, loop, written, drawn_in_a_loop]


def averaged(towers):
    """Of the towers' gradients."""
    pairs = []
    for of_one in zip(*towers):
        if hasattr(of_one[0][0], "indices"):
            rows = tf.concat([gradient.indices for gradient, _ in of_one], 0)
            values = tf.concat([gradient.values for gradient, _ in of_one], 0)
            pairs.append((tf.IndexedSlices(values / 2.0, rows), of_one[0][1]))
        else:
            pairs.append((tf.reduce_mean(tf.stack([gradient for gradient, _ in of_one]), 0), of_one[0][1]))
    return pairs


def recorded(build, noise):
    """The steps of a training on two towers, and the notes."""
    writer = Writer()
    with tf.Graph().as_default():
        tf.set_random_seed(3)
        recorder = SessionRecorder(tf, writer, 100, noise=noise)
        switch["recorder"] = recorder
        x = tf.placeholder(tf.float32, [4, 5])
        optimizer = tf.train.AdamOptimizer(0.1)
        towers = []
        for tower in range(2):
            with tf.device("/gpu:%d" % tower), tf.variable_scope("model", reuse=tower > 0):
                towers.append(optimizer.compute_gradients(build(x)))
        train = optimizer.apply_gradients(averaged(towers))
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
            session.run(tf.global_variables_initializer())
            for step in range(3):
                session.run(train, {x: ROWS + step})
    return writer.taken, recorder.notes


class Switch(dict):
    """Hands on what the patches tell to the recorder of the case."""

    def __getattr__(self, name):
        return getattr(self["recorder"], name)

    def run(self, *call):
        return self["recorder"].run(*call)


if not tf.__version__.startswith("2"):  # the stand-ins have it
    placement.install(tf)
switch = Switch()
watch(tf, switch)
said = {}
for build in CASES:
    plain, _ = recorded(build, noise=False)
    steps, notes = recorded(build, noise=True)
    same = all(np.array_equal(step[name], other[name]) for step, other in zip(plain, steps) for name in step)
    sizes = {
        name[len("noise|model/") :]: [
            float(np.abs(last[name.replace("noise", "gradient")]).max()),
            float(last[name].max()),
        ]
        for last in steps[-1:]
        for name in last
        if name.startswith("noise|")
    }
    said[build.__name__] = {"notes": notes, "same": same and len(plain) == len(steps) == 3, "sizes": sizes}
print("\n" + json.dumps(said))
