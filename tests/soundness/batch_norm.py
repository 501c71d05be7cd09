"""Batch norm as a matrix: programs that differ only in how they write it, made of one text.

`matrix` has every norm with every flag and every use of its updates; towers and their place take
turns. `a_dozen` has each value of each of these at least once.
"""

from __future__ import annotations

import itertools
from textwrap import dedent, indent
from typing import NamedTuple

#: the layer, as an expression of `h` and `training`, in a tower that other towers share variables
#: with
NORMS = {
    "layers_fused": "tf.layers.batch_normalization(h, training=training, momentum=0.8, name='bn')",
    "layers": "tf.layers.batch_normalization(h, training=training, momentum=0.8, fused=False, name='bn')",
    "slim": "slim.batch_norm(h, is_training=training, decay=0.8, scale=True, scope='bn')",
    "contrib_in_place": "tf.contrib.layers.batch_norm(h, is_training=training, decay=0.8, "
    "updates_collections=None, fused=True, scope='bn')",
    "keras": "keras_norm(h, training=training)",
    "by_hand": "own_norm(h, training)",
}
#: norms whose updates are part of the layer's output: how a program collects them changes nothing
IN_PLACE = ("contrib_in_place", "by_hand")
FLAGS = {
    "placeholder": "tf.placeholder(tf.bool, [], name='training')",
    "with_default": "tf.placeholder_with_default(True, [], name='training')",
    "bool": "True",
    "variable": "tf.Variable(True, trainable=False, name='training')",
}
FED = {"placeholder": "{training: step < 5}", "with_default": "{training: False} if step == 5 else {}"}
COLLECTED = {
    "all": "updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)",
    "first": "updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS, 'tower_0')",
    "last": "updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS, 'tower_%d' % (TOWERS - 1))",
}
DEPENDENT = """
    with tf.control_dependencies(updates):
        train = optimizer.apply_gradients(average(tower_grads))
    """
GROUPED = """
    train = tf.group(optimizer.apply_gradients(average(tower_grads)), *updates)
    """
IN_THE_RUN = """
    train = [optimizer.apply_gradients(average(tower_grads)), updates]
    """
#: which updates, and how they are run
UPDATES = {
    "all_dependent": ("all", DEPENDENT),
    "first_dependent": ("first", DEPENDENT),
    "last_grouped": ("last", GROUPED),
    "all_grouped": ("all", GROUPED),
    "all_in_the_run": ("all", IN_THE_RUN),
    "first_in_the_run": ("first", IN_THE_RUN),
}
TOWER = """
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i):
        with tf.variable_scope('model', reuse=i > 0):
            loss = model(xs[i], ys[i])
        tower_grads.append(optimizer.compute_gradients(loss))
    """
PLACES = {
    "loop": """
        tower_grads = []
        for i in range(TOWERS):
            {tower}
        """,
    "function": """
        def towers():
            tower_grads = []
            for i in range(TOWERS):
                {tower}
            return tower_grads, loss

        tower_grads, loss = towers()
        """,
    "class": """
        class Trainer(object):
            def __init__(self, optimizer):
                self.optimizer = optimizer

            def build(self, xs, ys):
                optimizer = self.optimizer
                tower_grads = []
                for i in range(TOWERS):
                    {tower}
                return tower_grads, loss

        tower_grads, loss = Trainer(optimizer).build(xs, ys)
        """,
}
BEGIN = """
    import numpy as np
    import tensorflow as tf
    {imports}
    TOWERS = {towers}
    x = tf.placeholder(tf.float32, [6 * TOWERS, 4, 4, 3])
    y = tf.placeholder(tf.float32, [6 * TOWERS, 1])
    training = {flag}
    optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
    """
OF_KERAS = """
    keras_norm = tf.keras.layers.BatchNormalization(momentum=0.8, name='bn')
    """
BY_HAND = """
    def own_norm(h, training):
        size = h.get_shape()[-1:]
        scale = tf.get_variable('scale', size, initializer=tf.ones_initializer())
        mean = tf.get_variable('mean', size, initializer=tf.zeros_initializer(), trainable=False)
        variance = tf.get_variable('variance', size, initializer=tf.ones_initializer(), trainable=False)

        def of_batch():
            batch_mean, batch_variance = tf.nn.moments(h, [0, 1, 2])
            moved = [tf.assign(mean, mean * 0.8 + batch_mean * 0.2)]
            moved.append(tf.assign(variance, variance * 0.8 + batch_variance * 0.2))
            with tf.control_dependencies(moved):
                return tf.identity(batch_mean), tf.identity(batch_variance)

        used = tf.cond(tf.convert_to_tensor(training), of_batch, lambda: (tf.identity(mean), tf.identity(variance)))
        return tf.nn.batch_normalization(h, used[0], used[1], None, scale, 1e-3)

    """
MODEL = """
    def model(x, y):
        h = tf.layers.conv2d(x, 4, 3, name='conv', kernel_initializer=tf.random_normal_initializer(seed=1))
        h = tf.nn.relu({norm})
        h = tf.reshape(h, [-1, 16])
        out = tf.layers.dense(h, 1, name='out', kernel_initializer=tf.random_normal_initializer(seed=2))
        return tf.reduce_mean(tf.square(out - y))


    def average(tower_grads):
        return [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*tower_grads)]


    xs, ys = tf.split(x, TOWERS), tf.split(y, TOWERS)
    """
END = """
    rng = np.random.RandomState(0)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(6):
            feed = {{x: rng.rand(6 * TOWERS, 4, 4, 3), y: rng.rand(6 * TOWERS, 1)}}
            feed.update({fed})
            _, value = sess.run([train, loss], feed)
            print(step, value)
        for variable in tf.global_variables():
            print(variable.op.name, np.sum(np.abs(sess.run(variable))))
    """


class Choice(NamedTuple):
    """How a program writes batch norm."""

    norm: str
    flag: str
    updates: str
    towers: int
    place: str

    @property
    def name(self) -> str:
        return f"{self.norm}-{self.flag}-{self.updates}-{self.towers}-{self.place}"

    @property
    def text(self) -> str:
        """The program."""
        collected, how = UPDATES[self.updates]
        of_norm = {"keras": OF_KERAS, "by_hand": BY_HAND}.get(self.norm, "\n")
        imports = "from tensorflow.contrib import slim" if self.norm == "slim" else ""
        parts = [
            dedent(BEGIN).format(imports=imports, towers=self.towers, flag=FLAGS[self.flag]),
            dedent(of_norm),
            dedent(MODEL).replace("{norm}", NORMS[self.norm]),
            self._towers(),
            (COLLECTED[collected] if self.norm != "keras" else "updates = keras_norm.updates"),
            dedent(how),
            dedent(END).format(fed=FED.get(self.flag, "{}")),
        ]
        return "\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"

    def _towers(self) -> str:
        lines = []
        for line in dedent(PLACES[self.place]).splitlines():
            if line.strip() == "{tower}":
                lines.append(indent(dedent(TOWER).strip("\n"), line[: line.index("{")]))
            else:
                lines.append(line)
        return "\n".join(lines)


def matrix() -> list[Choice]:
    """Every norm with every flag and every use of its updates."""
    found: list[Choice] = []
    turns = itertools.cycle(itertools.product((2, 1, 3), PLACES))
    for norm, flag, updates in itertools.product(NORMS, FLAGS, UPDATES):
        if norm in IN_PLACE and updates not in ("all_dependent", "all_in_the_run"):
            continue
        if norm == "keras" and not updates.startswith("all"):
            continue  # its updates have no scope
        found.append(Choice(norm, flag, updates, *next(turns)))
    return found


def a_dozen() -> list[Choice]:
    """Twelve of the matrix, with each of its values."""
    flags, updates = itertools.cycle(FLAGS), itertools.cycle(UPDATES)
    turns = itertools.cycle(itertools.product((2, 3, 1), PLACES))
    found = []
    for norm in NORMS:
        for _ in range(2):
            how = next(updates) if norm not in (*IN_PLACE, "keras") else "all_dependent"
            found.append(Choice(norm, next(flags), how, *next(turns)))
    return found
