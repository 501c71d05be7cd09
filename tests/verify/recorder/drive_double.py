"""Records small trainings with their float64 run: DRIVE ROOT. Runs on Python 3.6 with TF 1.12 to 1.15, and on 2.21.

Each is built a second time in float64 from the start, on the variables, inputs and draws of the recorded step. Says
for each case and name how far the recorded float64 and float32 values are from that, as JSON on the last line.
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

STEPS = 2


class Writer(object):
    """Keeps the steps."""

    def __init__(self):
        self.taken = []
        self.steps = 0

    def step(self, arrays):
        self.taken.append(arrays)
        self.steps += 1


class Model(object):
    """What a case is built with: a float32 one for the recording, and a float64 one for what is right."""

    def __init__(self, dtype, draws=None, resource=False):
        self.dtype = dtype
        self.exact = dtype == tf.float64
        self.draws = list(draws or [])
        self.resource = resource
        self.given = {}

    def variable(self, name, shape):
        values = np.random.RandomState(len(name) + sum(shape)).normal(0, 0.5, shape)
        return tf.get_variable(
            name,
            shape,
            self.dtype,
            tf.constant_initializer(values.astype(np.float32)),
            use_resource=self.resource,
        )

    def input(self, name, values):
        """A placeholder that is fed."""
        dtype = self.dtype if values.dtype.kind == "f" else tf.as_dtype(values.dtype)
        tensor = tf.placeholder(dtype, values.shape, name)
        self.given[tensor] = values
        return tensor


def images(shape=(4, 6, 6, 3), seed=1):
    return np.random.RandomState(seed).normal(0, 1, shape).astype(np.float32)


LABELS = np.array([0, 2, 1, 2], np.int32)


def classified(model, logits):
    labels = model.input("labels", LABELS)
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


def dense(model):
    x = model.input("x", images((4, 5)))
    hidden = tf.nn.relu(tf.matmul(x, model.variable("w", [5, 8])) + model.variable("b", [8]))
    return classified(model, tf.matmul(hidden, model.variable("out", [8, 3])))


def regularised(model):
    w = model.variable("w", [5, 3])
    loss = classified(model, tf.matmul(model.input("x", images((4, 5))), w))
    return loss + 0.0625 * tf.nn.l2_loss(w) + tf.add_n([0.125 * tf.reduce_sum(tf.abs(w))])


def convolution(model):
    x = model.input("x", images())
    x = tf.nn.conv2d(x, model.variable("kernel", [3, 3, 3, 4]), [1, 1, 1, 1], "SAME")
    x = tf.nn.bias_add(x, model.variable("bias", [4]))
    x = tf.nn.avg_pool(
        tf.nn.max_pool(tf.nn.elu(x), [1, 2, 2, 1], [1, 2, 2, 1], "VALID"), [1, 3, 3, 1], [1, 3, 3, 1], "VALID"
    )
    return classified(model, tf.matmul(tf.reshape(x, [4, 4]), model.variable("out", [4, 3])))


def moments(model):
    """The bias before the norm has a true gradient of 0."""
    x = tf.matmul(model.input("x", images((4, 5))), model.variable("w", [5, 6])) + model.variable("bias", [6])
    mean, variance = tf.nn.moments(x, [0])
    x = tf.nn.batch_normalization(
        x, mean, variance, model.variable("beta", [6]), model.variable("gamma", [6]), np.float32(1e-3)
    )
    return classified(model, tf.matmul(tf.nn.relu(x), model.variable("out", [6, 3])))


def fused(model):
    x = tf.nn.conv2d(model.input("x", images()), model.variable("kernel", [3, 3, 3, 4]), [1, 1, 1, 1], "SAME")
    x = x + model.variable("bias", [4])
    scale, offset = model.variable("gamma", [4]), model.variable("beta", [4])
    if model.exact:
        mean, variance = tf.nn.moments(x, [0, 1, 2])
        x = tf.nn.batch_normalization(x, mean, variance, offset, scale, np.float32(1e-3))
        mean, variance = tf.stop_gradient(mean), tf.stop_gradient(variance) * (4 * 6 * 6) / (4 * 6 * 6 - 1)
    else:
        x, mean, variance = tf.nn.fused_batch_norm(x, scale, offset, epsilon=1e-3)
    x = tf.reduce_mean(tf.nn.relu(x), [1, 2])
    return (
        classified(model, tf.matmul(x, model.variable("out", [4, 3]))) + tf.reduce_sum(mean * variance) / 8.0
    )


def fused_with_given_moments(model):
    x = tf.nn.conv2d(model.input("x", images()), model.variable("kernel", [3, 3, 3, 4]), [1, 1, 1, 1], "SAME")
    scale, offset = model.variable("gamma", [4]), model.variable("beta", [4])
    mean, deviation = model.variable("mean", [4]), model.variable("deviation", [4])
    mean, variance = tf.stop_gradient(mean), tf.stop_gradient(tf.square(deviation))
    if model.exact:
        x = tf.nn.batch_normalization(x, mean, variance, offset, scale, np.float32(1e-3))
    else:
        x = tf.nn.fused_batch_norm(x, scale, offset, mean, variance, 1e-3, is_training=False)[0]
    return classified(model, tf.matmul(tf.reduce_mean(tf.nn.relu(x), [1, 2]), model.variable("out", [4, 3])))


def response_norm(model):
    x = tf.nn.conv2d(model.input("x", images()), model.variable("kernel", [3, 3, 3, 7]), [1, 1, 1, 1], "SAME")
    bias, alpha, beta = np.float32(1.0), np.float32(0.001 / 9.0) * 100, np.float32(0.75)
    if model.exact:
        wide = tf.pad(tf.square(x), [[0, 0], [0, 0], [0, 0], [2, 2]])
        near = tf.add_n([wide[:, :, :, place : place + 7] for place in range(5)])
        x = x / tf.pow(np.float64(bias) + np.float64(np.float32(alpha)) * near, np.float64(beta))
    else:
        x = tf.nn.lrn(x, 2, bias=float(bias), alpha=float(np.float32(alpha)), beta=float(beta))
    return classified(model, tf.matmul(tf.reduce_mean(x, [1, 2]), model.variable("out", [7, 3])))


def embedding(model):
    rows = model.input("ids", np.array([[3, 1], [0, 3], [5, 5], [2, 0]], np.int64))
    found = tf.nn.embedding_lookup(model.variable("table", [6, 4]), rows)
    return classified(model, tf.matmul(tf.reduce_mean(found, 1), model.variable("out", [4, 3])))


def dropout(model):
    x = tf.matmul(model.input("x", images((4, 5))), model.variable("w", [5, 6]))
    if model.exact:
        x = x * 2.0 * tf.constant((model.draws[0] >= np.float32(0.5)).astype(np.float64))
    else:
        x = tf.nn.dropout(x, keep_prob=0.5)
    return classified(model, tf.matmul(x, model.variable("out", [6, 3])))


def noise(model):
    """Drawn outside of the forward pass as well."""
    w = model.variable("w", [5, 3])
    shape = [5, 3]
    drawn = tf.constant(model.draws[0], model.dtype) if model.exact else tf.random_normal(shape)
    return classified(model, tf.matmul(model.input("x", images((4, 5))), w + 0.125 * drawn))


def loop(model):
    """A recurrent net as a `tf.while_loop` over a `TensorArray`."""
    x = model.input("x", images((4, 3, 5)))
    w, u = model.variable("w", [5, 3]), model.variable("uu", [3, 3])
    steps = tf.TensorArray(model.dtype, 3).unstack(tf.transpose(x, [1, 0, 2]))

    def body(place, h):
        return place + 1, tf.tanh(tf.matmul(steps.read(place), w) + tf.matmul(h, u))

    _, h = tf.while_loop(lambda place, _: place < 3, body, [tf.constant(0), tf.zeros([4, 3], model.dtype)])
    return classified(model, 3.0 * h)


def branch(model):
    w = model.variable("w", [5, 3])
    x = model.input("x", images((4, 5)))
    train = model.input("train", np.array(True))
    scale = tf.cond(train, lambda: tf.reduce_sum(w * w), lambda: tf.constant(7.0, model.dtype))
    other = tf.cond(train, lambda: tf.constant(3.0, model.dtype), lambda: tf.reduce_sum(w))
    return classified(model, tf.matmul(x, w)) * scale * other


def iterator(model):
    values = images((4, 5))
    if model.exact:
        x = tf.constant(values.astype(np.float64))
    else:
        x = tf.data.Dataset.from_tensors(values).repeat().make_one_shot_iterator().get_next()
    return classified(model, tf.matmul(x, model.variable("w", [5, 3])))


def printed(model):
    x = tf.matmul(model.input("x", images((4, 5))), model.variable("w", [5, 3]))
    return classified(model, tf.Print(x, [tf.shape(x)], first_n=0) if hasattr(tf, "Print") else x)


def resized(model):
    """Computes in float32: there is no other kernel."""
    x = tf.cast(tf.cast(model.input("x", np.abs(images()) * 50), tf.uint8), tf.float32)
    x = tf.cast(tf.image.resize_bilinear(x, [4, 4]), model.dtype)
    return classified(model, tf.matmul(tf.reshape(x, [4, 48]) / 64.0, model.variable("w", [48, 3])))


def in_loop(model):
    """Draws in a loop's body, which cannot be fetched."""
    w = model.variable("w", [5, 3])

    def body(place, x):
        return place + 1, x + tf.random_uniform([4, 5], dtype=model.dtype)

    _, x = tf.while_loop(lambda place, _: place < 3, body, [tf.constant(0), model.input("x", images((4, 5)))])
    return classified(model, tf.matmul(x, w))


CASES = {
    "dense": dense, "regularised": regularised, "convolution": convolution, "moments": moments, "fused": fused,
    "fused, given moments": fused_with_given_moments, "response norm": response_norm, "embedding": embedding,
    "dropout": dropout, "noise": noise, "loop": loop, "branch": branch, "iterator": iterator, "printed": printed,
    "resized": resized, "draws in a loop": in_loop,
}  # fmt: skip
RESOURCE = ["dense", "embedding", "loop", "branch"]


def averaged(towers):
    """Of the towers' gradients, as the tutorials have it."""
    pairs = []
    for of_one in zip(*towers):
        if any(gradient is None or hasattr(gradient, "indices") for gradient, _ in of_one):
            pairs.append(of_one[0])
        else:
            grads = tf.concat([tf.expand_dims(gradient, 0) for gradient, _ in of_one], 0)
            pairs.append((tf.reduce_mean(grads, 0), of_one[0][1]))
    return pairs


def recorded(build, resource):
    """The last step's arrays, and the notes."""
    model, writer = Model(tf.float32, resource=resource), Writer()
    with tf.Graph().as_default():
        tf.set_random_seed(3)
        recorder = SessionRecorder(tf, writer, 100, double=True)
        switch["recorder"] = recorder
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        with tf.variable_scope(tf.get_variable_scope()):
            towers = []
            for tower in range(2):
                with tf.device("/gpu:%d" % tower), tf.name_scope("tower_%d" % tower):
                    towers.append(optimizer.compute_gradients(build(model)))
                    tf.get_variable_scope().reuse_variables()
        train = optimizer.apply_gradients(averaged(towers))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(STEPS):
                session.run(train, model.given)
    return writer.taken[-1], recorder.notes


def right(build, step, tower):
    """The gradients of a tower, computed in float64 from the start."""
    draws = [step[name] for name in sorted(step) if name.startswith("draw|%d|" % tower)]
    model = Model(tf.float64, draws)
    with tf.Graph().as_default():
        loss = build(model)
        variables = tf.trainable_variables()
        found = {}
        for variable, gradient in zip(variables, tf.gradients(loss, variables)):
            name = "gradient64|" + variable.name[:-2] + ("//values" if hasattr(gradient, "indices") else "")
            if gradient is not None:
                found[name] = getattr(gradient, "values", gradient)
        with tf.Session() as session:
            for variable in variables:
                variable.load(step["variable|" + variable.name[:-2]].astype(np.float64), session)
            return session.run(found, model.given)


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
said = {"tensorflow": tf.__version__, "cases": {}}
for title in list(CASES) + [name + ", resource" for name in RESOURCE] + ["branch, functions"]:
    name, _, kind = title.rpartition(", ") if title not in CASES else (title, "", "")
    if kind == "functions":  # the last one: there is no way back in the stand-ins
        tf.enable_control_flow_v2()
    build, resource = CASES[name], kind == "resource"
    step, notes = recorded(build, resource)
    written = said["cases"][title] = {"notes": notes, "values": {}}
    written["kinds"] = sorted({name.split("|")[0] for name in step})
    if not any(name.startswith("gradient64|") for name in step):
        continue
    towers = [right(build, step, tower) for tower in range(2)]
    for name in towers[0]:  # of a sparse one the first tower's is applied
        truth = np.mean([tower[name] for tower in (towers[:1] if "//" in name else towers)], 0)
        off = [float(np.abs(step[key] - truth).max()) for key in (name, name.replace("64|", "|"))]
        written["values"][name] = [float(np.abs(truth).max())] + off
    written["types"] = sorted({str(step[name].dtype) for name in step if name.split("|")[0].endswith("64")})
print("\n" + json.dumps(said))
