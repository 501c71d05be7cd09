"""What stands for a TF1 name, one row a fact; the keywords of old releases (test_old_api.py: their orders)."""

import pytest
from codemod_texts import table

from tf2towers.codemod.symbols import find_replacement, is_module, names_in
from tf2towers.codemod.tables import keyword_renames


@pytest.mark.parametrize(
    ("name", "kind", "target"),
    [
        ("tf.errors.OutOfRangeError", "v1", "tf.errors.OutOfRangeError"),
        ("tf.raw_ops.Add", "v1", "tf.raw_ops.Add"),
        ("tf.keras.layers.Dense", "runtime", "tf2towers.runtime.tf1:keras.layers.Dense"),
        ("tf.compat.as_bytes", "v1", "tf.compat.as_bytes"),
        ("tf.random_uniform", "v1", "tf.random_uniform"),
        ("tf.python_io.TFRecordWriter", "v1", "tf.python_io.TFRecordWriter"),
        ("tf.FixedLenFeature", "v1", "tf.FixedLenFeature"),
        ("tf.train.MomentumOptimizer", "v1", "tf.train.MomentumOptimizer"),
        ("tf.train.exponential_decay", "v1", "tf.train.exponential_decay"),
        ("tf.app.flags.FLAGS.batch_size", "v1", "tf.app.flags.FLAGS.batch_size"),
        ("tf.contrib.data.Dataset.range", "v1", "tf.data.Dataset.range"),
        ("tf.contrib.framework.get_or_create_global_step", "v1", "tf.train.get_or_create_global_step"),
        ("tf.contrib.slim.get_or_create_global_step", "v1", "tf.train.get_or_create_global_step"),
        ("tf.contrib.framework.nest.flatten", "v1", "tf.nest.flatten"),
        ("tf.contrib.util.constant_value", "v1", "tf.get_static_value"),
        ("tf.python.framework.ops.Graph", "v1", "tf.Graph"),
        ("tf.python.platform.gfile.Exists", "v1", "tf.gfile.Exists"),
        ("tf.python.client.device_lib.list_local_devices", "private",
         "tensorflow.python.client.device_lib.list_local_devices"),
        ("tf.contrib.rnn.LSTMCell", "runtime", "tf2towers.runtime.tf1.rnn_cell:LSTMCell"),
        ("tf.python.ops.rnn_cell_impl.LSTMStateTuple", "runtime", "tf2towers.runtime.tf1.rnn_cell:LSTMStateTuple"),
        ("tf.contrib.layers", "runtime", "tf2towers.runtime.tf1:slim"),
        ("tf.contrib.seq2seq.dynamic_decode", "runtime", "tf2towers.runtime.tf1.seq2seq:dynamic_decode"),
        ("tf.contrib.framework.nest.no_such_thing", "left", "T2T620"),
        ("tf.contrib.learn.datasets.mnist", "runtime", "tf2towers.runtime:input_data"),
        ("tf.contrib.learn.python.learn.datasets.mnist.read_data_sets", "runtime",
         "tf2towers.runtime.input_data:read_data_sets"),
        ("tf.python.training.moving_averages.assign_moving_average", "private",
         "tensorflow.python.training.moving_averages.assign_moving_average"),
        ("tf.estimator.Estimator", "runtime", "tf2towers.runtime.tf1.estimator:Estimator"),
        ("tf.estimator.export.PredictOutput", "runtime", "tf2towers.runtime.tf1.estimator.export:PredictOutput"),
        ("tf.python.estimator.model_fn.EstimatorSpec", "runtime", "tf2towers.runtime.tf1.estimator:EstimatorSpec"),
        ("tf.estimator.BoostedTreesClassifier", "left", "T2T620"),
        ("tf.estimator.tpu.TPUEstimator", "runtime", "tf2towers.runtime.tf1.tpu:TPUEstimator"),
        ("tf.estimator.tpu.experimental", "left", "T2T620"),
        ("tf.nn.no_such_thing", "left", "T2T620"),
        ("numpy.zeros", "left", "T2T620"),
    ],
)  # fmt: skip
def test_the_replacement_of_a_name(name: str, kind: str, target: str) -> None:
    found = find_replacement(name)
    ours = f"{found.runtime.module}:{found.runtime.name}" if found.runtime is not None else ""
    assert (found.kind, ours or found.target or found.code) == (kind, target)


def test_what_is_gone_says_what_to_do() -> None:
    assert "crf_log_likelihood" in find_replacement("tf.contrib.crf.no_such_thing").why
    assert "moved to" in find_replacement("tf.contrib.no_such_module.no_such_thing").why
    for row in table("gone.tsv"):
        assert len(row) == 2
        assert row[1]


def test_old_summaries_are_those_of_contrib_deprecated() -> None:
    """`tf.summary.scalar` puts the name scope before the tag, and `_` for what a name may not have."""
    for name in ("tf.scalar_summary", "tf.contrib.deprecated.scalar_summary"):
        assert find_replacement(name).runtime == ("tf2towers.runtime.tf1", "scalar_summary")


def test_keywords_that_were_renamed() -> None:
    assert keyword_renames()["tf.reduce_mean"] == {}  # compat.v1 takes reduction_indices still
    assert keyword_renames()["tf.concat"]["concat_dim"] == "axis"
    assert "tf.log" not in keyword_renames()


def test_which_names_are_modules() -> None:
    assert is_module("tf.nn")
    assert is_module("tf.contrib.slim")
    assert not is_module("tf.GraphKeys")


def test_a_module_has_the_names_of_the_public_modules_that_it_shows() -> None:
    of_slim = names_in("tf.contrib.slim")
    assert {"tf.contrib.slim.conv2d", "tf.contrib.slim.arg_scope"} <= {*of_slim}
    assert of_slim == sorted({*of_slim})
    assert "tf.python.ops.metrics.accuracy" in names_in("tf.python.ops.metrics")
