"""Snippets read by the recognisers."""

import textwrap

import libcst as cst
from libcst.metadata import MetadataWrapper

from tf2towers.exact.program import Program
from tf2towers.names.symbols import Names
from tf2towers.program.python_code.function_summaries import Functions
from tf2towers.program.statements.value_kinds import ValueKinds
from tf2towers.program.towers.tower_loop import find_tower_loops
from tf2towers.program.understand import understand
from tf2towers.source.script import Script

HEAD = "import tensorflow as tf\n"


def wrapper_of(text: str) -> MetadataWrapper:
    """The tree of a snippet; `tf` is TensorFlow."""
    return MetadataWrapper(cst.parse_module(HEAD + textwrap.dedent(text)), unsafe_skip_copy=True)


def read(text: str):
    """(module, names, functions) of a snippet."""
    wrapper = wrapper_of(text)
    return wrapper.module, Names(wrapper), Functions(Program(Script.from_text(wrapper.module.code)))


def kind_of(expression: str, **names: str) -> str:
    """The kind of an expression, with the kinds of some names given."""
    module, resolver, functions = read(f"_ = {expression}\n")
    value_kinds = ValueKinds(resolver, functions, Program(Script.from_text(module.code)))
    value_kinds.names.update(names)
    small = module.body[-1].body[0]
    return value_kinds.of(small.value)


def training_of(text: str):
    """The program around the one tower loop of a snippet."""
    module, names, _ = read(text)
    (tower,) = [loop for loop in find_tower_loops(module, names) if loop.has_gradients]
    return understand(tower, names, Program(Script.from_text(module.code)))


TRAINER = """
def average_gradients(towers):
    result = []
    for pairs in zip(*towers):
        result.append((tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]))
    return result

def train():
    x = tf.placeholder(tf.float32, [None, 2])
    opt = tf.train.AdamOptimizer(0.1)
    parts = tf.split(x, 2)
    grads, losses = [], []
    for i in range(2):
        with tf.device('/gpu:%d' % i), tf.variable_scope('m', reuse=i > 0):
            loss = tf.reduce_mean(parts[i] * tf.get_variable('w', [2]))
            losses.append(loss)
            grads.append(opt.compute_gradients(loss))
    train_op = opt.apply_gradients(average_gradients(grads))
    mean = tf.reduce_mean(losses)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        _, value = sess.run([train_op, mean], feed_dict={x: [[1., 2.]]})
        other = sess.run(loss, {x: [[1., 2.]]})
"""
