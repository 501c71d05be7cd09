"""What stands for a name in TF2: one row a fact."""

import ast

import pytest

from tf2towers.names.old_names import argument_orders, keyword_renames, old_order
from tf2towers.names.tables import RuntimeName, is_module, lookup, read_table


@pytest.mark.parametrize(
    ("name", "kind", "target"),
    [
        ("tf", "keep", "tf"),
        ("tf.float32", "keep", "tf.float32"),
        ("tf.concat", "keep", "tf.concat"),
        ("tf.nn.relu", "keep", "tf.nn.relu"),
        ("tf.errors.OutOfRangeError", "keep", "tf.errors.OutOfRangeError"),
        ("tf.raw_ops.Add", "keep", "tf.raw_ops.Add"),
        ("tf.keras.layers.Dense", "keep", "tf.keras.layers.Dense"),
        ("tf.compat.as_bytes", "keep", "tf.compat.as_bytes"),
        ("tf.compat.v2.constant", "rename", "tf.constant"),
        ("tf.log", "rename", "tf.math.log"),
        ("tf.random_uniform", "rename", "tf.random.uniform"),
        ("tf.python_io.TFRecordWriter", "rename", "tf.io.TFRecordWriter"),
        ("tf.FixedLenFeature", "rename", "tf.io.FixedLenFeature"),
        ("tf.mul", "rename", "tf.multiply"),
        ("tf.pack", "rename", "tf.stack"),
        ("tf.get_variable", "compat", "tf.compat.v1.get_variable"),
        ("tf.train.MomentumOptimizer", "compat", "tf.compat.v1.train.MomentumOptimizer"),
        ("tf.train.exponential_decay", "compat", "tf.compat.v1.train.exponential_decay"),
        ("tf.GraphKeys.UPDATE_OPS", "compat", "tf.compat.v1.GraphKeys.UPDATE_OPS"),
        ("tf.app.flags.DEFINE_string", "compat", "tf.compat.v1.app.flags.DEFINE_string"),
        ("tf.app.flags.FLAGS.batch_size", "compat", "tf.compat.v1.app.flags.FLAGS.batch_size"),
        ("tf.train.SummaryWriter", "compat", "tf.compat.v1.summary.FileWriter"),
        ("tf.initialize_all_variables", "compat", "tf.compat.v1.global_variables_initializer"),
        ("tf.contrib.data.Dataset.range", "compat", "tf.compat.v1.data.Dataset.range"),
        (
            "tf.contrib.framework.get_or_create_global_step",
            "compat",
            "tf.compat.v1.train.get_or_create_global_step",
        ),
        (
            "tf.contrib.slim.get_or_create_global_step",
            "compat",
            "tf.compat.v1.train.get_or_create_global_step",
        ),
        ("tf.contrib.framework.nest.flatten", "rename", "tf.nest.flatten"),
        ("tf.contrib.util.constant_value", "rename", "tf.get_static_value"),
        ("tf.python.framework.ops.Graph", "rename", "tf.Graph"),
        ("tf.python.platform.gfile.Exists", "compat", "tf.compat.v1.gfile.Exists"),
        (
            "tf.python.client.device_lib.list_local_devices",
            "keep",
            "tensorflow.python.client.device_lib.list_local_devices",
        ),
        ("tf.layers.dense", "runtime", RuntimeName("tf2towers.runtime.tf1.layers", "dense")),
        ("tf.contrib.slim.conv2d", "runtime", RuntimeName("tf2towers.runtime.tf1.slim", "conv2d")),
        ("tf.contrib.rnn.LSTMCell", "runtime", RuntimeName("tf2towers.runtime.tf1.rnn_cell", "LSTMCell")),
        (
            "tf.python.ops.rnn_cell_impl.LSTMStateTuple",
            "runtime",
            RuntimeName("tf2towers.runtime.tf1.rnn_cell", "LSTMStateTuple"),
        ),
        ("tf.contrib.slim", "runtime", RuntimeName("tf2towers.runtime.tf1", "slim")),
        ("tf.contrib.layers", "runtime", RuntimeName("tf2towers.runtime.tf1", "slim")),
        ("tf.contrib.seq2seq.dynamic_decode", "gone", None),
        ("tf.contrib.framework.nest.no_such_thing", "gone", None),
        ("tf.examples.tutorials.mnist.mnist", "runtime", ("tf2towers.runtime", "mnist")),
        ("tf.examples.tutorials.mnist.input_data", "runtime", RuntimeName("tf2towers.runtime", "input_data")),
        ("tf.contrib.learn.datasets.mnist", "runtime", RuntimeName("tf2towers.runtime", "input_data")),
        (
            "tf.contrib.learn.python.learn.datasets.mnist.read_data_sets",
            "runtime",
            RuntimeName("tf2towers.runtime.input_data", "read_data_sets"),
        ),
        (
            "tf.python.training.moving_averages.assign_moving_average",
            "runtime",
            RuntimeName("tf2towers.runtime", "assign_moving_average"),
        ),
        ("tf.estimator.Estimator", "gone", None),
        ("tf.nn.no_such_thing", "unknown", None),
        ("tf.no_such_thing", "unknown", None),
        ("numpy.zeros", "unknown", None),
    ],
)
def test_lookup(name: str, kind: str, target: object) -> None:
    found = lookup(name)
    assert (found.kind, found.target) == (kind, target)


def test_gone_says_what_to_do() -> None:
    assert "Probability" in lookup("tf.contrib.distributions.Normal").note
    for row in read_table("gone.tsv"):
        assert len(row) == 2
        assert row[1]


def test_old_summaries_are_those_of_contrib_deprecated() -> None:
    """`tf.summary.scalar` puts the name scope before the tag, and `_` for what a name may not have."""
    for name in ("tf.scalar_summary", "tf.contrib.deprecated.scalar_summary"):
        assert lookup(name).target == "tensorflow.python.ops.logging_ops.scalar_summary"


def call(text: str) -> ast.Call:
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Call)
    return node


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("tf.concat", "tf.concat(0, xs)", ("axis", "values")),
        ("tf.concat", "tf.concat(-1, xs)", ("axis", "values")),
        ("tf.concat", "tf.concat(dim, [a, b])", ("axis", "values")),
        ("tf.concat", "tf.concat(xs, 0)", None),
        ("tf.concat", "tf.concat([a, b], 0)", None),
        ("tf.concat", "tf.concat(a, b)", None),
        ("tf.concat", "tf.concat(values=xs, axis=0)", None),
        ("tf.split", "tf.split(0, n, x)", ("axis", "num_or_size_splits", "value")),
        ("tf.split", "tf.split(x, n, 0)", None),
        ("tf.split", "tf.split(x, [1, 2])", None),
        (
            "tf.nn.softmax_cross_entropy_with_logits",
            "tf.nn.softmax_cross_entropy_with_logits(l, y)",
            ("logits", "labels"),
        ),
        (
            "tf.nn.softmax_cross_entropy_with_logits",
            "tf.nn.softmax_cross_entropy_with_logits(logits=l, labels=y)",
            None,
        ),
        ("tf.log", "tf.log(0)", None),
    ],
)
def test_old_order(name: str, text: str, expected: tuple[str, ...] | None) -> None:
    assert old_order(name, call(text)) == expected
    assert expected is None or argument_orders()[name][2]


def test_keywords() -> None:
    assert keyword_renames("tf.reduce_mean")["reduction_indices"] == ("axis", True)
    assert keyword_renames("tf.concat")["concat_dim"] == ("axis", False)
    assert keyword_renames("tf.log") == {}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("tf.reduce_mean", "f(x)", True),
        ("tf.reduce_mean", "f(x, 0, keepdims=True)", True),
        ("tf.reduce_mean", "f(x, 0, True)", False),
        ("tf.reduce_mean", "f(x, keep_dims=True)", False),
        ("tf.reduce_mean", "f(*x)", False),
        ("tf.nn.max_pool", "f(x, k, s, 'SAME')", False),
        ("tf.nn.max_pool", "f(x, k, s, 'SAME', name='pool1')", True),
        ("tf.nn.sparse_softmax_cross_entropy_with_logits", "f(logits=a, labels=b)", True),
        ("tf.nn.sparse_softmax_cross_entropy_with_logits", "f(a, b)", False),
        ("tf.constant", "f(0, shape=[2])", False),
    ],
)
def test_plain_calls(name: str, text: str, expected: bool) -> None:
    plain = lookup(name).plain
    assert plain is not None
    assert plain.fits(call(text)) is expected


def test_modules() -> None:
    assert is_module("tf.nn")
    assert is_module("tf.contrib.slim")
    assert not is_module("tf.GraphKeys")
