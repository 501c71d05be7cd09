"""The tutorial's average_gradients, and what only looks like it."""

import ast

import pytest

from tf2towers.program.averaging import is_mean_over_towers
from tf2towers.program.functions import Functions

TUTORIAL = """
def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = []
        for g, _ in grad_and_vars:
            expanded_g = tf.expand_dims(g, 0)
            grads.append(expanded_g)
        grad = tf.concat(axis=0, values=grads)
        grad = tf.reduce_mean(grad, 0)
        v = grad_and_vars[0][1]
        grad_and_var = (grad, v)
        average_grads.append(grad_and_var)
    return average_grads
"""


def recognised(text: str) -> bool:
    return is_mean_over_towers(
        Functions(None, ast.parse("import tensorflow as tf\n" + text)), "average_gradients"
    )


def test_the_tutorial():
    assert recognised(TUTORIAL)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tf.concat(axis=0, values=grads)", "tf.concat(grads, 0)"),
        ("tf.concat(axis=0, values=grads)", "tf.concat(0, grads)"),
        ("tf.reduce_mean(grad, 0)", "tf.reduce_mean(grad, axis=0)"),
        ("tf.reduce_mean(grad, 0)", "tf.reduce_mean(grad, reduction_indices=[0])"),
        ("    average_grads = []\n    for", "    '''Doc.'''\n    average_grads = list()\n    for"),
        ("    for grad_and_vars", "    with tf.name_scope('a'):\n      pass\n    for grad_and_vars"),
        ("zip(*tower_grads)", "list(zip(*tower_grads))"),
        ("        grad_and_var = (grad, v)", "        print('mean', grad)\n        grad_and_var = (grad, v)"),
        ("tf.expand_dims(g, 0)", "tf.expand_dims(g, axis=0)"),
        ("tf.expand_dims(g, 0)", "tf.expand_dims(input=g, dim=0, name='e')"),
        ("v = grad_and_vars[0][1]", "v = grad_and_vars[1][1]"),
    ],
)
def test_the_same_in_other_words(old, new):
    assert old in TUTORIAL
    assert recognised(TUTORIAL.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tf.reduce_mean(grad, 0)", "tf.reduce_sum(grad, 0)"),
        ("tf.reduce_mean(grad, 0)", "tf.reduce_max(grad, 0)"),
        ("tf.reduce_mean(grad, 0)", "tf.reduce_mean(grad, 1)"),
        ("tf.reduce_mean(grad, 0)", "tf.reduce_mean(grad)"),
        ("tf.reduce_mean(grad, 0)", "tf.reduce_mean(grad, 0) * 2"),
        ("tf.reduce_mean(grad, 0)", "0.5 * tf.reduce_mean(grad, 0)"),
        ("tf.reduce_mean(grad, 0)", "tf.clip_by_norm(tf.reduce_mean(grad, 0), 1.0)"),
        ("tf.expand_dims(g, 0)", "tf.expand_dims(tf.clip_by_value(g, -1.0, 1.0), 0)"),
        ("tf.expand_dims(g, 0)", "tf.expand_dims(scaled(g), 0)"),
        ("tf.expand_dims(g, 0)", "tf.expand_dims(-g, 0)"),
        ("zip(*tower_grads)", "zip(*tower_grads[1:])"),
        ("zip(*tower_grads)", "tower_grads"),
        ("for g, _ in grad_and_vars:", "for g, _ in grad_and_vars[:1]:"),
        (
            "        for g, _ in grad_and_vars:",
            "        for g, _ in grad_and_vars:\n            if g is None: continue",
        ),
        ("average_grads.append(grad_and_var)", "average_grads.append((v, grad))"),
        ("return average_grads", "return average_grads[:-1]"),
        ("return average_grads", "return [(g, v) for g, v in average_grads if 'bias' not in v.name]"),
        ("return average_grads", "return average_grads, len(average_grads)"),
        ("v = grad_and_vars[0][1]", "v = grad_and_vars[-1][0]"),
        ("tf.concat(axis=0, values=grads)", "tf.concat(axis=1, values=grads)"),
        ("tf.concat(axis=0, values=grads)", "tf.concat(axis=0, values=grads[:1])"),
        ("        grads = []\n", ""),
        ("        grads = []\n        for", "        for"),
        ("grads.append(expanded_g)", "grads.append(expanded_g); grads.append(expanded_g)"),
        ("        grad = tf.concat", "            grad = tf.concat"),
        ("    return average_grads", "        return average_grads"),
        ("    return average_grads", "    return tower_grads"),
        ("    return average_grads", "    return"),
        ("tf.reduce_mean(grad, 0)", "tf.reduce_mean(grad, 0, True)"),
        ("tf.reduce_mean(grad, 0)", "tf.reduce_mean(grad, 0, keepdims=True)"),
        ("tf.expand_dims(g, 0)", "tf.expand_dims(g, -1)"),
        ("for g, _ in grad_and_vars", "for _, g in grad_and_vars"),
        ("for g, _ in", "for g, _, _ in"),
        ("(grad, v)", "(g, v)"),
        ("grads.append(expanded_g)", "grads.insert(0, tf.stop_gradient(expanded_g))"),
    ],
)
def test_only_alike(old, new):
    assert old in TUTORIAL
    assert not recognised(TUTORIAL.replace(old, new))


@pytest.mark.parametrize(
    "body",
    [
        "return [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*t)]",
        "return [(tf.reduce_mean([g for g, v in p], axis=0), p[0][1]) for p in zip(*t)]",
        "r = []\n    for p in zip(*t):\n        gs, vs = zip(*p)\n"
        "        r.append((tf.reduce_mean(tf.stack(gs), 0), vs[0]))\n    return r",
        "r = []\n    for p in zip(*t):\n        gs = [x[0] for x in p]\n"
        "        r.append((tf.reduce_mean(tf.stack(gs, axis=0), 0), p[0][1]))\n    return r",
    ],
)
def test_short_forms(body):
    assert recognised(f"def average_gradients(t):\n    {body}\n")


def test_a_list_that_outlives_its_variable():
    moved = TUTORIAL.replace("        grads = []\n", "").replace(
        "    average_grads = []", "    average_grads, grads = [], []"
    )
    assert not recognised(moved)
    assert not recognised(
        moved.replace("average_grads, grads = [], []", "average_grads = []\n    grads = []")
    )


def test_no_such_function():
    assert not is_mean_over_towers(Functions(None, ast.parse("x = 1")), "average_gradients")
