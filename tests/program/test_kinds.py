"""What an expression gives."""

import pytest
from reading import kind_of

from tf2towers.program.statements.value_kinds import family


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("3 + 4", "plain"),
        ("[1, 2]", "plain"),
        ("tf.float32", "plain"),
        ("tf.matmul", "plain"),
        ("lambda: tf.zeros([1])", "plain"),
        ("tf.matmul(a, b)", "tensor"),
        ("tf.zeros([2]) * 3", "tensor"),
        ("tf.placeholder(tf.float32)", "placeholder"),
        ("tf.get_variable('w', [2])", "state"),
        ("tf.Variable(0)", "state"),
        ("tf.train.AdamOptimizer(0.1)", "optimizer"),
        ("tf.train.exponential_decay(0.1, 1, 2, 0.5)", "schedule"),
        ("tf.train.ExponentialMovingAverage(0.9)", "average"),
        ("tf.train.Saver()", "saver"),
        ("tf.summary.FileWriter('x')", "writer"),
        ("tf.Session()", "session"),
        ("tf.global_variables_initializer()", "initializer"),
        ("tf.ConfigProto()", "config"),
        ("tf.data.Dataset.range(3)", "dataset"),
        ("tf.data.Dataset.range(3).batch(2).make_one_shot_iterator()", "iterator"),
        ("tf.data.Dataset.range(3).make_one_shot_iterator().get_next()", "get_next"),
        ("tf.no_op()", "op"),
        ("tf.trainable_variables()", "variables"),
    ],
)
def test_kind(expression, kind):
    assert kind_of(expression) == kind


@pytest.mark.parametrize(
    ("expression", "names", "kind"),
    [
        ("opt.compute_gradients(loss)", {"opt": "optimizer", "loss": "tensor"}, "tensor"),
        ("opt.apply_gradients(grads)", {"opt": "optimizer", "grads": "tensor"}, "op"),
        ("ema.apply(xs)", {"ema": "average"}, "op"),
        ("ema.average(v)", {"ema": "average"}, "tensor"),
        ("iterator.initializer", {"iterator": "iterator"}, "initializer"),
        ("iterator.get_next()", {"iterator": "iterator"}, "get_next"),
        ("sess.run(x)", {"sess": "session", "x": "tensor"}, "session"),
        ("sess.graph", {"sess": "session"}, "graph"),
        ("helper(loss)", {"loss": "tensor"}, "tensor"),
        ("helper(3)", {}, "plain"),
        ("helper(sess)", {"sess": "session"}, "session"),
        ("x is None", {"x": "tensor"}, "plain"),
        ("x > 3", {"x": "tensor"}, "tensor"),
        ("{x: batch}", {"x": "placeholder"}, "plain"),
        ("[x, 1]", {"x": "tensor"}, "tensor"),
        ("xs[0]", {"xs": "tensor"}, "tensor"),
        ("w[0]", {"w": "state"}, "tensor"),
        ("w > 3", {"w": "state"}, "tensor"),
        ("w in ws", {"w": "state", "ws": "state"}, "state"),
        ("abs(w)", {"w": "state"}, "tensor"),
        ("len(w)", {"w": "state"}, "plain"),
        ("rate * 0.5", {"rate": "schedule"}, "tensor"),
        ("w.initialized_value()", {"w": "state"}, "tensor"),
        ("made().make_initializable_iterator()", {"made": "plain"}, "plain"),
    ],
)
def test_kind_with_names(expression, names, kind):
    assert kind_of(expression, **names) == kind


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("w" + " + w" * 60, "tensor"),
        ("n" + " + n" * 60, "plain"),
        ("[" * 60 + "w" + "]" * 60, "state"),
        ("(" * 60 + "n < n" + ") < n" * 60, "plain"),
    ],
)
def test_each_part_is_looked_at_once(expression, kind):
    """Looked at twice on each of sixty levels, this would never end."""
    assert kind_of(expression, w="state", n="plain") == kind


@pytest.mark.parametrize(
    ("kind", "coarse"),
    [
        ("op", "tensor"),
        ("placeholder", "tensor"),
        ("optimizer", "state"),
        ("initializer", "session"),
        ("config", "plain"),
    ],
)
def test_family(kind, coarse):
    assert family(kind) == coarse
