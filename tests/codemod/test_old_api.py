"""What TensorFlow 0.x said, in the script and in its modules: what the official upgraders knew (0.x to 1.0, 1.x to 2)."""

from pathlib import Path
from textwrap import dedent, indent

import pytest
from codemod_texts import TF, after, body, codes, migrated, printed, texts

#: a call of TensorFlow 0.x, and its form today; x and y are tensors [2, 3], m matrices, s a scalar
CALLS = [
    ("tf.mul(x, y)", "tf.multiply(x, y)"),
    ("tf.sub(x, y)", "tf.subtract(x, y)"),
    ("tf.neg(x)", "tf.negative(x)"),
    ("tf.inv(x)", "tf.math.reciprocal(x)"),
    ("tf.pack([x, y])", "tf.stack([x, y])"),
    ("tf.unpack(x)", "tf.unstack(x)"),
    ("tf.select(x > y, x, y)", "tf.where(x > y, x, y)"),
    ("tf.complex_abs(tf.complex(x, y))", "tf.abs(tf.complex(x, y))"),
    ("tf.concat(0, [x, y])", "tf.concat(axis=0, values=[x, y])"),
    ("tf.concat(-1, [x, y])", "tf.concat(axis=-1, values=[x, y])"),
    ("tf.concat(0, [x, y], 'name')", "tf.concat(axis=0, values=[x, y], name='name')"),
    ("tf.concat(0, [x, y], name='n')", "tf.concat(axis=0, values=[x, y], name='n')"),
    ("tf.concat(concat_dim=0, values=[x, y])", "tf.concat(axis=0, values=[x, y])"),
    ("tf.concat([x, y], 0)", "tf.concat([x, y], 0)"),
    ("tf.concat_v2([x, y], 0)", "tf.concat([x, y], 0)"),
    ("tf.split(1, 3, x)", "tf.split(axis=1, num_or_size_splits=3, value=x)"),
    ("tf.split(1, 3, x, 'n')", "tf.split(axis=1, num_or_size_splits=3, value=x, name='n')"),
    ("tf.split(split_dim=1, num_split=3, value=x)", "tf.split(axis=1, num_or_size_splits=3, value=x)"),
    ("tf.split(x, 3, 1)", "tf.split(x, 3, 1)"),
    ("tf.batch_matmul(m, m, adj_y=True)", "tf.matmul(m, m, adjoint_b=True)"),
    ("tf.batch_matmul(m, m, True)", "tf.matmul(m, m, adjoint_a=True)"),
    ("tf.batch_matrix_diag(x)", "tf.matrix_diag(x)"),
    ("tf.batch_matrix_inverse(m)", "tf.linalg.inv(m)"),
    ("tf.batch_cholesky(m)", "tf.linalg.cholesky(m)"),
    ("tf.batch_matrix_transpose(m)", "tf.linalg.matrix_transpose(m)"),
    ("tf.reduce_sum(x, reduction_indices=[1])", "tf.reduce_sum(x, reduction_indices=[1])"),
    ("tf.reduce_mean(x, 1, keep_dims=True)", "tf.reduce_mean(x, 1, keep_dims=True)"),
    ("tf.argmax(x, dimension=1)", "tf.argmax(x, dimension=1)"),
    ("tf.arg_max(x, 1)", "tf.arg_max(x, 1)"),
    ("tf.expand_dims(x, dim=1)", "tf.expand_dims(x, dim=1)"),
    ("tf.squeeze(x[:1], squeeze_dims=[0])", "tf.squeeze(x[:1], squeeze_dims=[0])"),
    ("tf.reverse_sequence(x, [1, 2], seq_dim=1)", "tf.reverse_sequence(x, [1, 2], seq_dim=1)"),
    ("tf.listdiff([1, 2], [1])", "tf.setdiff1d([1, 2], [1])"),
    ("tf.lin_space(0.0, 1.0, 3)", "tf.lin_space(0.0, 1.0, 3)"),
    ("tf.nn.softmax_cross_entropy_with_logits(x, y)",
     "tf.nn.softmax_cross_entropy_with_logits(logits=x, labels=y)"),
    ("tf.nn.softmax_cross_entropy_with_logits(x, y, -1, 'n')",
     "tf.nn.softmax_cross_entropy_with_logits(logits=x, labels=y, dim=-1, name='n')"),
    ("tf.nn.sparse_softmax_cross_entropy_with_logits(x, [0, 1])",
     "tf.nn.sparse_softmax_cross_entropy_with_logits(logits=x, labels=[0, 1])"),
    ("tf.nn.sparse_softmax_cross_entropy_with_logits(x, [0, 1], 'n')",
     "tf.nn.sparse_softmax_cross_entropy_with_logits(logits=x, labels=[0, 1], name='n')"),
    ("tf.nn.sigmoid_cross_entropy_with_logits(x, y)",
     "tf.nn.sigmoid_cross_entropy_with_logits(logits=x, labels=y)"),
    ("tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x)",
     "tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x)"),
    ("tf.scalar_summary('loss', s)", "scalar_summary('loss', s)"),
    ("tf.scalar_summary(tags='loss', values=s)", "scalar_summary(tags='loss', values=s)"),
    ("tf.histogram_summary('x', x)", "histogram_summary('x', x)"),
    ("tf.image_summary('i', tf.zeros([1, 2, 2, 3]), max_images=1)", "image_summary('i', tf.zeros([1, 2, 2, 3]), max_images=1)"),
    ("tf.audio_summary('a', tf.zeros([1, 9]), 8.0)", "audio_summary('a', tf.zeros([1, 9]), 8.0)"),
    ("tf.merge_summary([tf.summary.scalar('q', s)])", "tf.summary.merge([tf.summary.scalar('q', s)])"),
    ("tf.merge_all_summaries()", "tf.summary.merge_all()"),
    ("tf.initialize_all_variables()", "tf.initialize_all_variables()"),
    ("tf.initialize_local_variables()", "tf.initialize_local_variables()"),
    ("tf.initialize_variables(tf.all_variables())", "tf.initialize_variables(tf.all_variables())"),
    ("tf.initialize_all_tables()", "tf.initialize_all_tables()"),
    ("tf.image.per_image_whitening(tf.zeros([2, 2, 3]))",
     "tf.image.per_image_standardization(tf.cast(tf.zeros([2, 2, 3]), tf.float32))"),
    ("tf.op_scope([x], 'n', 'd')", "tf.op_scope([x], 'n', 'd')"),
    ("tf.contrib.deprecated.scalar_summary('loss', s)", "scalar_summary('loss', s)"),
    ("tf.contrib.deprecated.merge_all_summaries()", "tf.summary.merge_all()"),
    ("tf.nn.deconv2d(z, w, [1, 4, 4, 1], [1, 2, 2, 1])", "tf.nn.conv2d_transpose(z, w, [1, 4, 4, 1], [1, 2, 2, 1])"),
    ("tf.ensure_shape(tf.image.resize_images(z, n, 3), [1, 5, 3, 1])",
     "tf.ensure_shape(tf.image.resize_images(z, n, 3), [1, 5, 3, 1])"),
    ("tf.ensure_shape(tf.image.resize_images(z, tf.constant(n), n + 1, 1, True), [1, 5, 6, 1])",
     "tf.ensure_shape(tf.image.resize_images(z, tf.constant(n), n + 1, 1, True), [1, 5, 6, 1])"),
    ("tf.ensure_shape(tf.image.resize_images(z, [n, 3][:], 1), [1, 5, 3, 1])",
     "tf.ensure_shape(tf.image.resize_images(z, [n, 3][:], 1), [1, 5, 3, 1])"),
    ("tf.image.resize_images(z, [n, 3], 1)", "tf.image.resize_images(z, [n, 3], 1)"),
    ("tf.image.random_crop(z[0], [2, 1])", "tf.image.random_crop(z[0], [2, 1])"),
    ("tf.image.random_crop(value=z[0], size=(2, 1), seed=1)",
     "tf.image.random_crop(value=z[0], size=(2, 1), seed=1)"),
    ("tf.image.random_crop(x, [2, 1])", "tf.image.random_crop(x, [2, 1])"),
    ("tf.image.random_crop(z[0], [2, 1, 1])", "tf.image.random_crop(z[0], [2, 1, 1])"),
    ("tf.random_crop(x, [2, 1])", "tf.random_crop(x, [2, 1])"),
    ("tf.image.resize_images(z, 2 * [n], tf.image.ResizeMethod.BICUBIC)",
     "tf.image.resize_images(z, 2 * [n], tf.image.ResizeMethod.BICUBIC)"),
    ("tf.sparse_split(1, 1, sparse)", "tf.sparse_split(axis=1, num_split=1, sp_input=sparse)"),
    ("tf.sparse_reduce_sum(sparse, reduction_axes=1)", "tf.sparse_reduce_sum(sparse, reduction_axes=1)"),
    ("tf.sparse_concat(concat_dim=0, sp_inputs=[sparse])", "tf.sparse_concat(axis=0, sp_inputs=[sparse])"),
    ("tf.reduce_join(['a', 'b'], reduction_indices=0)", "tf.reduce_join(['a', 'b'], reduction_indices=0)"),
    ("tf.count_nonzero(x, reduction_indices=0)", "tf.count_nonzero(x, reduction_indices=0)"),
]  # fmt: skip
HEAD = """\
x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
y = tf.constant([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]])
m = tf.constant([[[4.0, 1.0], [1.0, 3.0]]])
s = tf.reduce_sum(x)
n = 5
z = tf.zeros([1, 2, 2, 1])
w = tf.zeros([3, 3, 1, 1])
sparse = tf.SparseTensor([[0, 0]], [1.0], [2, 2])
"""


def module(calls: list[str]) -> str:
    lines = "".join(f"found.append({call})\n" for call in calls)
    inside = indent(f"found = []\n{HEAD}{lines}return found\n", "    ")
    return dedent(
        """\
        import tensorflow as tf


        def build():
        {inside}"""
    ).format(inside=inside)


def beside(old: str, call: str) -> dict[str, str]:
    """A module, and a script that calls something of it."""
    return {"old.py": old, "train.py": f"{TF}import old\ntf.Session().run(old.{call}())\n"}


def test_a_module_of_the_program(program) -> None:
    result = program(beside(module([before for before, _ in CALLS]), "build"))
    assert not result.left
    text = texts(result)["old.py"]
    rows = [row.strip() for row in text.splitlines() if "found.append" in row]
    assert len(rows) == len(CALLS)
    for row, (before, wanted) in zip(rows, CALLS, strict=True):
        assert row == f"found.append({wanted})", before
    assert not migrated(text.replace("build()", "graph()")).changed


@pytest.mark.parametrize(("before", "wanted"), CALLS)
def test_a_call_of_an_old_release(before: str, wanted: str) -> None:
    assert f"f = {wanted}\n" in after(
        dedent(
            """\
            import tensorflow as tf
            f = {before}
            tf.Session()
            """
        ).format(before=before)
    )


@pytest.mark.tensorflow
def test_every_one_of_them_builds(tmp_path: Path) -> None:
    text = module([after for _, after in CALLS]).replace("import tensorflow", "import tensorflow.compat.v1")
    summaries = ", ".join(f"{kind}_summary" for kind in ("scalar", "histogram", "image", "audio"))
    text = f"from tf2towers.runtime import graph_mode\nfrom tf2towers.runtime import {summaries}\n{text}"
    text += dedent(
        """\


        graph_mode()
        with tf.Graph().as_default():
            print(len(build()))
        """
    )
    (tmp_path / "new.py").write_text(text)
    assert printed("new.py", folder=tmp_path).strip() == str(len(CALLS))


def migrated_line(line: str) -> str:
    """A line of a script for TensorFlow 0.x after the migration."""
    text = dedent(
        """\
        import tensorflow as tf
        x = tf.mul(tf.zeros([2, 2]), 2.0)
        f = ({line})
        tf.Session()
        """
    ).format(line=line)
    result = migrated(text)
    assert not result.left
    return result.changes[0].after.partition("f = (")[2].partition(")\nSession()")[0]


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ("tf.train.SyncReplicasOptimizer(o, (2), replica_id=1, name='x')", "tf.train.SyncReplicasOptimizer(o, (2), name='x')"),
        ("tf.train.SyncReplicasOptimizer(replica_id=1, opt=o)", "tf.train.SyncReplicasOptimizer(opt=o)"),
        (dedent(
            """\
            tf.train.SyncReplicasOptimizer(o,
                2,  # workers
                replica_id=(1 +
                    2))"""
        ), "tf.train.SyncReplicasOptimizer(o,\n    2,  # workers\n    )"),
        ("tf.train.SyncReplicasOptimizer(o, 2, replica_id=tf.constant(1))", "tf.train.SyncReplicasOptimizer(o, 2)"),
        ("tf.SparseTensor(i, v, shape=[2])", "tf.SparseTensor(i, v, dense_shape=[2])"),
        ("tf.reverse(x, [1])", "tf.reverse(x, [1])"),
        ("tf.nn.nce_loss(w, b, inputs, labels, 2, 9)", "tf.nn.nce_loss(w, b, inputs, labels, 2, 9)"),
        ("tf.nn.sampled_softmax_loss(w, b, inputs, labels, 2, 9)", "tf.nn.sampled_softmax_loss(w, b, inputs, labels, 2, 9)"),
        ("tf.nn.nce_loss(w, b, labels=labels, inputs=inputs)", "tf.nn.nce_loss(w, b, labels=labels, inputs=inputs)"),
        ("tf.nn.nce_loss(*given)", "tf.nn.nce_loss(*given)"),
        ("tf.uniform_unit_scaling_initializer(full_shape=[2])", "tf.uniform_unit_scaling_initializer(full_shape=[2])"),
        ("tf.uniform_unit_scaling_initializer(2.0, 1)", "tf.uniform_unit_scaling_initializer(2.0, 1)"),
        ("tf.tuple(x, control_inputs=[a])", "tf.tuple(x, control_inputs=[a])"),
        ("tf.tuple(x, 'n')", "tf.tuple(x, 'n')"),
        ("tf.einsum('ii', x)", "tf.einsum('ii', x)"),
        ("tf.reverse(x, [0, y])", "tf.reverse(x, [0, y])"),
        ("tf.einsum('abba,ac', x, y)", "tf.einsum('abba,ac', x, y)"),
    ],
)  # fmt: skip
def test_arguments_of_old_releases(before: str, wanted: str) -> None:
    assert migrated_line(before) == wanted


@pytest.mark.parametrize(
    "call",
    [
        "tf.add(x, y, 'name', 4)",
        "tf.train.SyncReplicasOptimizer(o, 2, replica_id=which())",
        "tf.truncated_normal([2], standard_deviation=0.1)",
        # TF 1.15 took the trace of the last two axes, TF 2 sums over i and j
        "tf.einsum('ijji', x)",
        "tf.linalg.einsum('i j i', x)",
        # TF 0.12 reversed the second axis, TF 1.15 and TF 2 reverse both
        "tf.reverse(x, [False, True])",
        "tf.reverse(tensor=x, axis=(flip, True))",
        "tf.reverse(x, axis=(flag, True))",
    ],
)
def test_arguments_that_nothing_takes_any_more(call: str) -> None:
    result = migrated(
        dedent(
            """\
            import tensorflow as tf
            f = {call}
            tf.Session()
            """
        ).format(call=call)
    )
    assert codes(result) == ["T2T620"]
    assert f"f = {call}\n" in result.changes[0].after


def test_an_old_argument_in_what_nothing_calls_is_reported(program) -> None:
    functions = dedent(
        """\
        def former():
            return tf.zeros([2], kind=1)

        def new():
            return tf.zeros([2])
        """
    )
    result = program(beside(f"import tensorflow as tf\n\n{functions}", "new"))
    assert not result.left
    assert [finding.kind for finding in result.findings if finding.code == "T2T620"] == ["note"]


@pytest.mark.parametrize(
    ("call", "left"),
    [
        ("tf.contrib.slim.learning.train(op, '/tmp/x', trace_every_n_steps=10)", []),
        ("tf.contrib.cudnn_rnn.CudnnLSTM(1, 4, input_mode='skip_input')", ["T2T620"]),
        ("tf.contrib.cudnn_rnn.CudnnLSTM(1, 4, input_mode=mode)", ["T2T620"]),
        ("tf.contrib.cudnn_rnn.CudnnLSTM(1, 4, 3)", ["T2T620"]),
        ("tf.contrib.cudnn_rnn.CudnnLSTM(1, 4, input_size=3)", ["T2T620"]),
        ("tf.contrib.cudnn_rnn.CudnnLSTM(1, 4, 'linear_input', dropout=0.5)", []),
        ("tf.nn.seq2seq.sequence_loss([tf.log(x)], [y], [w], softmax_loss_function=f)", []),
        ("tf.contrib.lookup.HashTable(init, -1, 'shared')", []),
        ("tf.contrib.rnn.LSTMBlockCell(3, 0.5, None, use_peephole=op)", []),
        ("tf.contrib.seq2seq.AttentionWrapper(op, init, attention_layer=op)", []),
        ("tf.contrib.seq2seq.BeamSearchDecoder(op, init, 1, 2, 3, 4, coverage_penalty_weight=op)", []),
        ("tf.contrib.cudnn_rnn.CudnnLSTM(*op)", ["T2T620"]),
        ("tf.contrib.cudnn_rnn.CudnnLSTM(**op)", []),
        ("tf.contrib.cudnn_rnn.CudnnLSTM(**dict(op, input_mode='skip_input'))", ["T2T620"]),
        ("tf.contrib.training.HParams(hparam_def=op)", ["T2T620"]),
        ("tf.contrib.training.HParams(**op)", []),  # its names are the script's own
    ],
)
def test_an_argument_that_our_own_function_does_not_serve_is_left(call: str, left: list[str]) -> None:
    text = dedent(
        """\
        import tensorflow as tf


        def made(op, init):
            return {call}


        print(made)
        """
    ).format(call=call)
    assert codes(migrated(text)) == left


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ("tf.random_uniform_initializer(maxval=9)", "tf.random_uniform_initializer(maxval=9, minval=0)"),
        ("tf.initializers.random_uniform(maxval=9, seed=1)",
         "tf.initializers.random_uniform(maxval=9, seed=1, minval=0)"),
        ("tf.random_uniform_initializer(-1, 1)", "tf.random_uniform_initializer(-1, 1)"),
        ("tf.random_uniform_initializer(minval=1, maxval=9)", "tf.random_uniform_initializer(minval=1, maxval=9)"),
        ("tf.random_uniform_initializer(seed=1)", "tf.random_uniform_initializer(seed=1)"),
        ("tf.random_uniform(shape=[2], maxval=9)", "tf.random_uniform(shape=[2], maxval=9)"),
        ("tf.nn.top_k(x, 2, True, 'top')", "tf.nn.top_k(x, 2, True, name='top')"),
        ("tf.nn.top_k(x, 2, True)", "tf.nn.top_k(x, 2, True)"),
    ],
)  # fmt: skip
def test_what_a_later_argument_has_moved(before, wanted):
    assert body(before + "\n") == wanted + "\n"
