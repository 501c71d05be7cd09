"""What contrib's own modules became."""

from textwrap import dedent

import pytest
from codemod_texts import after, body, codes, migrated

ONE_LINE = [
    ("s = tf.contrib.seq2seq.TrainingHelper(x, n)", "s = seq2seq.TrainingHelper(x, n)"),
    ("c = tf.contrib.rnn.LSTMBlockCell(3)", "c = rnn_cell.LSTMBlockCell(3)"),
    ("h = tf.contrib.training.HParams(a=1)", "h = hparams.HParams(a=1)"),
    ("d = tf.contrib.distributions.Normal(0.0, 1.0)", "d = Normal(0.0, 1.0)"),
    ("tf.contrib.lookup.index_table_from_tensor(mapping=w)", "lookup.index_table_from_tensor(mapping=w)"),
    ("i = tf.keras.initializers.he_normal()", "i = keras.initializers.he_normal()"),
    ("d = tf.keras.layers.Dropout(0.5)", "d = keras.layers.Dropout(0.5)"),
    ("d = tf.python.keras.layers.Dropout(0.5)", "d = keras.layers.Dropout(0.5)"),
    ("d = tf.contrib.keras.layers.Dropout(0.5)", "d = keras.layers.Dropout(0.5)"),
    ("raise tf.app.flags.FlagsError('x')", "raise tf.app.flags.Error('x')"),
    ("y = tf.keras.utils.to_categorical(x)", "y = keras.utils.to_categorical(x)"),
    ("d = tf.keras.datasets.mnist.load_data()", "d = keras.datasets.mnist.load_data()"),
    ("m = tf.estimator.ModeKeys.TRAIN", "m = ModeKeys.TRAIN"),
    ("e = tf.estimator.Estimator(f)", "e = estimator.Estimator(f)"),
    ("i = tf.estimator.inputs.numpy_input_fn(x)", "i = estimator.inputs.numpy_input_fn(x)"),
    ("h = tf.contrib.estimator.stop_if_lower_hook(e, 'loss', 1)",
     "h = estimator.experimental.stop_if_lower_hook(e, 'loss', 1)"),
    ("d = tf.contrib.framework.VariableDeviceChooser(2)", "d = VariableDeviceChooser(2)"),
    ("t = tf.contrib.lookup.index_table_from_file(p)", "t = lookup.index_table_from_file(p)"),
    ("p = tf.contrib.tfprof.model_analyzer.print_model_analysis(g, tfprof_cmd=c)",
     "p = tf.profiler.profile(g, cmd=c)"),
    ("f = tf.contrib.training.clip_gradient_norms_fn(1.0)", "f = clip_gradient_norms_fn(1.0)"),
    ("f = tf.contrib.data.python.ops.batching.map_and_batch(f, 2)", "f = tf.data.experimental.map_and_batch(f, 2)"),
    ("e = tf.python.eager.context.executing_eagerly()", "e = executing_eagerly()"),
    ("a = tf.contrib.metrics.accuracy(x, y)", "a = metrics.accuracy(x, y)"),
    ("y = tf.contrib.layers.python.layers.utils.smart_cond(x, f, g)", "y = slim.utils.smart_cond(x, f, g)"),
    ("y = tf.python.ops.functional_ops.map_fn(f, x)", "y = tf.map_fn(f, x)"),
    ("s = tf.contrib.compiler.jit.experimental_jit_scope", "s = tf.xla.experimental.jit_scope"),
    ("o = tf.contrib.opt.AdaMaxOptimizer(0.1)", "o = opt.AdaMaxOptimizer(0.1)"),
    ("p = tf.contrib.learn.preprocessing.VocabularyProcessor(5)", "p = vocabulary.VocabularyProcessor(5)"),
    ("p = tf.contrib.predictor.from_saved_model(f)", "p = predictor.from_saved_model(f)"),
    ("s = tf.contrib.learn.make_export_strategy(f)", "s = learn.make_export_strategy(f)"),
    ("s = tf.contrib.learn.utils.saved_model_export_utils.make_export_strategy(f)",
     "s = learn.make_export_strategy(f)"),
    ("g = tf.python.eager.backprop.GradientTape()", "g = tf.GradientTape()"),
    ("v = tf.__git_version__", "v = tf.version.GIT_VERSION"),
    ("n = tf.contrib.slim.nets.vgg.vgg_16.default_image_size", "n = slim.nets.vgg.vgg_16.default_image_size"),
    ("arg_scope = tf.contrib.framework.arg_scope", "arg_scope = slim.arg_scope"),
    ("y = tf.contrib.slim.flatten(x)\nslim = tf.contrib.slim", "y = slim.flatten(x)"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "expected"), ONE_LINE)
def test_a_use_of_contrib(line: str, expected: str) -> None:
    assert body(line + "\n").strip() == expected


def test_data_sets_by_their_names() -> None:
    call = "d = tf.contrib.learn.datasets.load_dataset({})\n"
    assert body(call.format("'mnist'")).strip() == "d = input_data.load_dataset('mnist')"
    for name in ("'iris'", "name=x"):
        assert codes(migrated(f"import tensorflow as tf\n{call.format(name)}tf.placeholder(tf.int32)\n")) == [
            "T2T620"
        ]


IMPORTS = [
    (dedent(
        """\
        from tensorflow.contrib.tensorboard.plugins import projector

        projector.ProjectorConfig()
        """
    ),
     "from tensorboard.plugins import projector\n"),
    (dedent(
        """\
        from tensorflow.contrib.seq2seq.python.ops.attention_wrapper import LuongAttention

        LuongAttention(1)
        """
    ),
     dedent(
         """\


         graph_mode()
         LuongAttention = seq2seq.LuongAttention
         """
     )),
    (dedent(
        """\
        from tensorflow.contrib.seq2seq.python.ops import decoder

        class A(decoder.Decoder):
            pass
        """
    ),
     "graph_mode, seq2seq as decoder\n"),
    (dedent(
        """\
        from tensorflow.contrib.slim.nets import vgg

        vgg.vgg_16(1)
        """
    ),
     dedent(
         """\


         graph_mode()
         vgg = slim.nets.vgg
         """
     )),
    (dedent(
        """\
        import tensorflow.contrib.slim.nets as nets

        nets.vgg.vgg_16(1)
        """
    ),
     dedent(
         """\


         graph_mode()
         nets = slim.nets
         """
     )),
    (dedent(
        """\
        from tensorflow.python.ops.distributions import bernoulli

        bernoulli.Bernoulli(0.5)
        """
    ),
     "from tensorflow.python.ops.distributions import bernoulli\n"),
    (dedent(
        """\
        from tensorflow.python.ops.image_ops_impl import ResizeMethod

        ResizeMethod.BILINEAR
        """
    ),
     "from tensorflow.compat.v1.image import ResizeMethod\n"),
    (dedent(
        """\
        from tensorflow.keras.datasets import mnist

        mnist.load_data()
        """
    ),
     dedent(
         """\


         graph_mode()
         mnist = keras.datasets.mnist
         """
     )),
    (dedent(
        """\
        from tensorflow.keras.layers import *

        Dense(2)
        """
    ), "from tf2towers.runtime.tf1.keras.layers import *\n"),
    (dedent(
        """\
        import tensorflow.keras as keras

        keras.layers.Dense(2)
        """
    ), "graph_mode, keras\n"),
    (dedent(
        """\
        from tensorflow.examples.tutorials.mnist import mnist

        mnist.training(1, 2)
        """
    ), "graph_mode, mnist\n"),
    (dedent(
        """\
        from tensorflow.contrib.crf.python.ops.crf import crf_decode

        crf_decode(1)
        """
    ),
     dedent(
         """\


         graph_mode()
         crf_decode = crf.crf_decode
         """
     )),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line"), IMPORTS)
def test_an_import_of_contrib(text: str, line: str) -> None:
    result = after(
        text
        + dedent(
            """\
        import tensorflow as tf

        sess = tf.Session()
        """
        )
    )
    assert line in result
    assert text.split("\n\n", 1)[1] in result


@pytest.mark.parametrize(
    ("imports", "lines", "more"),
    [
        ("import tensorflow.contrib.slim as slim\n", "d = slim.dataset.Dataset(1)\nv = slim.nets.vgg.vgg_16(d)\n",
         "t = slim.tfexample_decoder.Tensor('a')\nm = slim.metrics.streaming_accuracy(1, 2)\n"),
        ("from tensorflow.contrib import slim\nfrom tensorflow.contrib.slim import layers as L\n",
         "y = slim.layers.conv2d(x, 4, 3)\nz = L.flatten(y)\n", ""),
    ],
)  # fmt: skip
def test_slim_keeps_its_modules_and_layers_are_those_of_contrib(imports: str, lines: str, more: str) -> None:
    result = migrated(f"{imports}\n{lines}{more}")
    assert not result.left
    assert lines in result.changes[0].after
    assert ("L = slim\n" in result.changes[0].after) == ("L.flatten" in lines)


def test_an_import_that_is_another_one_in_another_branch_stays():
    """What is used may be either: nothing of it is rewritten, and both are reported."""
    text = dedent(
        """\
            import tensorflow as tf


            def walk(new):
                if new:
                    from tensorflow.python.ops.op_selector import get_walk_ops as f
                else:
                    from tensorflow.contrib.graph_editor import get_walk_ops as f
                return f(1)


            s = tf.Session()
            """
    )
    result = migrated(text)
    assert codes(result) == ["T2T620", "T2T620"]
    assert "from tensorflow.contrib.graph_editor import get_walk_ops as f" in result.changes[0].after


def test_a_name_of_tensorflow_that_is_given_another_value():
    """It is not written as a name of its own, which would be another variable."""
    text = dedent(
        """\
        import tensorflow as tf


        def f(new):
            tf.Session = new


        s = tf.Session()
        """
    )
    result = migrated(text)
    assert [(finding.code, finding.line) for finding in result.left] == [("T2T626", 5)]
    assert "    tf.Session = new\n" in result.changes[0].after


PASSED = """
import tensorflow as tf
from tensorflow.contrib.layers.python.layers import initializers


class Net:
    def __init__(self, initializers):
        self.initializers = initializers

    def weights(self):
        return tf.get_variable("w", [2, 3], initializer=self.initializers.xavier_initializer(seed=3))


Net(initializers).weights()
"""


def test_a_module_of_initializers_is_an_argument() -> None:
    result = migrated(PASSED)
    assert not result.left
    assert "from tf2towers.runtime import graph_mode, slim as initializers\n" in result.changes[0].after
