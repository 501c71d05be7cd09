"""What stands for contrib, in a graph as `graph_mode` makes it, against the real TF 1.15."""

from collections.abc import Iterator
from importlib import import_module
from types import SimpleNamespace

import pytest
import tensorflow as tf

from tf2towers.codemod.symbols import own
from tf2towers.runtime import layers, rnn, slim
from tf2towers.runtime.contrib import (
    crf,
    data,
    distributions,
    image,
    legacy_seq2seq,
    lookup,
    metrics,
    mixed_precision,
    nccl,
    opt,
    seq2seq,
    tfprof,
    training,
    training_ops,
)
from tf2towers.runtime.tf1.keras import layers as keras_layers

from .. import against_golden
from ..cases import running
from ..cases.contrib_cases import CASES

v1 = tf.compat.v1

CONTRIB = SimpleNamespace(
    crf=crf,
    data=data,
    distributions=distributions,
    image=image,
    keras_layers=keras_layers,
    legacy_seq2seq=legacy_seq2seq,
    metrics=metrics,
    mixed_precision=mixed_precision,
    nets=slim.nets,
    opt=opt,
    rnn=rnn,
    seq2seq=seq2seq,
    tfprof=SimpleNamespace(model_analyzer=tfprof),
)


@pytest.fixture(autouse=True)
def graph_as_in_tf1() -> Iterator[None]:
    """What graph_mode() sets, for the time of a test."""
    v1.disable_control_flow_v2()
    v1.disable_v2_tensorshape()
    v1.disable_tensor_equality()
    yield
    v1.enable_control_flow_v2()
    v1.enable_v2_tensorshape()
    v1.enable_tensor_equality()


@pytest.mark.parametrize("title", sorted(CASES))
def test_same_as_tf1(title: str) -> None:
    case, golden = CASES[title], against_golden.goldens("contrib")[title]
    api = running.Api(v1, layers, slim, slim, rnn, CONTRIB)
    with tf.Graph().as_default(), v1.Session() as session:
        inputs = [
            v1.placeholder_with_default(running.fixed(f"input{i}", shape), shape)
            for i, shape in enumerate(case.shapes)
        ]
        fetches = running.build(case, api, inputs)
        found = running.facts(api, fetches)
        if case.names_only:
            assert running.names_of(v1, found) == golden
            return
        found["variables"] = [
            [running.variable_name(variable), variable.shape.as_list()] for variable in v1.global_variables()
        ]
        for fact in ("variables", "trainable", "model_variables", "shapes"):
            assert found[fact] == golden[fact], fact
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        if not case.keep_initial:
            for variable in v1.global_variables():
                variable.load(
                    running.fixed(running.variable_name(variable), variable.shape.as_list()), session
                )
        values = session.run(fetches)
    assert sorted(values) == sorted(golden["values"])
    largest = max(expected["norm"] for expected in golden["values"].values())
    for name, expected in golden["values"].items():
        tolerance = 1e-4 * max(expected["norm"], 0.01 * largest)
        against_golden.assert_close(values[name], expected, tolerance, name)


def test_draws_of_a_mixture_are_of_its_components() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        parts = [distributions.MultivariateNormalDiag([20.0 * n, 0.0], [1.0, 2.0]) for n in range(2)]
        mixture = distributions.Mixture(distributions.Categorical(probs=[0.25, 0.75]), parts)
        drawn = session.run(mixture.sample(4000, seed=3))
    assert drawn.shape == (4000, 2)
    assert abs((drawn[:, 0] > 10.0).mean() - 0.75) < 0.03
    assert abs(drawn[:, 1].std() - 2.0) < 0.1


def test_buckets_hold_sequences_of_one_length() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        length = v1.train.limit_epochs(v1.random_uniform([], 1, 9, tf.int32, seed=1), 40)
        lengths, (values,) = training.bucket_by_sequence_length(
            length, [tf.fill([length], length)], 4, [4, 7], dynamic_pad=True, allow_smaller_final_batch=True
        )
        session.run(v1.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        seen = 0
        while seen < 40:
            sizes, rows = session.run([lengths, values])
            assert rows.shape == (len(sizes), max(sizes))
            assert len({(size >= 4) + (size >= 7) for size in sizes}) == 1
            seen += len(sizes)
        coordinator.request_stop()
        coordinator.join(threads)
    assert seen == 40


def test_hyperparameters() -> None:
    parameters = training.HParams(rate=0.1, layers=[1, 2], name="x", deep=False)
    parameters.parse("rate=0.5,layers=[3,4],deep=true").set_hparam("name", "y")
    assert parameters.values() == {"rate": 0.5, "layers": [3, 4], "name": "y", "deep": True}
    assert "rate" in parameters
    assert parameters.get("none", 3) == 3
    with pytest.raises(ValueError, match="Unknown hyperparameter"):
        parameters.parse("other=1")


def test_records_are_provided_and_decoded(tmp_path: object) -> None:
    path = f"{tmp_path}/some.tfrecord"
    pixels = tf.io.encode_png(tf.zeros([2, 3, 1], tf.uint8)).numpy()
    with tf.io.TFRecordWriter(path) as writer:
        for label in range(6):
            features = {
                "image/encoded": tf.train.Feature(bytes_list=tf.train.BytesList(value=[pixels])),
                "image/format": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"png"])),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())
    with tf.Graph().as_default(), v1.Session() as session:
        decoder = slim.tfexample_decoder.TFExampleDecoder(
            {
                "image/encoded": v1.FixedLenFeature((), tf.string, default_value=""),
                "image/format": v1.FixedLenFeature((), tf.string, default_value="png"),
                "label": v1.FixedLenFeature([1], tf.int64),
            },
            {
                "image": slim.tfexample_decoder.Image(shape=[2, 3, 1], channels=1),
                "label": slim.tfexample_decoder.Tensor("label", shape=[]),
            },
        )
        data = slim.dataset.Dataset(path, v1.TFRecordReader, decoder, 6, {"label": "a number"})
        provider = slim.dataset_data_provider.DatasetDataProvider(data, shuffle=False, num_epochs=1)
        image, label = provider.get(["image", "label"])
        session.run(v1.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        assert [session.run([label, tf.shape(image)])[0] for _ in range(6)] == [0, 1, 2, 3, 4, 5]
        coordinator.request_stop()
        coordinator.join(threads)


def test_tables() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        words = lookup.index_to_string_table_from_tensor(["a", "b"], default_value="?")
        table = lookup.HashTable(lookup.KeyValueTensorInitializer(["a"], tf.constant([5], tf.int64)), -1)
        session.run([v1.tables_initializer(), table.init])
        found = words.lookup(tf.constant([1, 7], tf.int64)), table.lookup(tf.constant(["a", "c"]))
        assert [list(value) for value in session.run(found)] == [[b"b", b"?"], [5, -1]]


def test_training_operations_change_variables() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        weights, square, momentum = (
            v1.get_variable(name, initializer=[1.0, 2.0], use_resource=True) for name in "wsm"
        )
        done = training_ops.apply_rms_prop(
            weights, square, momentum, 0.1, 0.9, 0.5, 1e-10, tf.constant([1.0, -1.0]), use_locking=False
        )
        session.run(v1.global_variables_initializer())
        session.run(done.op)
        optimizer = v1.train.RMSPropOptimizer(0.1, 0.9, 0.5, 1e-10)
        other = v1.get_variable("other", initializer=[1.0, 2.0], use_resource=True)
        apply = optimizer.apply_gradients([(tf.constant([1.0, -1.0]), other)])
        session.run(v1.variables_initializer([other, *optimizer.variables()]))
        session.run(
            [
                optimizer.get_slot(other, "rms").assign([1.0, 2.0]),
                optimizer.get_slot(other, "momentum").assign([1.0, 2.0]),
            ]
        )
        session.run(apply)
        assert session.run(weights).tolist() == session.run(other).tolist()
    with pytest.raises(AttributeError):
        training_ops.apply_nothing  # noqa: B018


def test_dropout_of_keras() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        layer, training = Dropout(rate=0.5, noise_shape=[None, 1], seed=1), v1.placeholder(tf.bool, [])
        inputs = tf.ones([50, 4])
        outputs = layer(inputs, training=training)
        assert session.run(outputs, {training: False}).tolist() == [[1.0] * 4] * 50
        rows = {tuple(row) for row in session.run(outputs, {training: True}).tolist()}
        assert rows == {(0.0,) * 4, (2.0,) * 4}
        assert session.run(layer(inputs)).tolist() == [[1.0] * 4] * 50


def test_values_from_a_checkpoint(tmp_path: object) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        first = v1.get_variable("first", initializer=[1.0, 2.0])
        second = v1.get_variable("second", initializer=[3.0])
        session.run(v1.global_variables_initializer())
        path = v1.train.Saver([first, second]).save(session, f"{tmp_path}/model")
        session.run([first.assign([0.0, 0.0]), second.assign([0.0])])
        slim.assign_from_checkpoint_fn(path, [first])(session)
        assert session.run([first, second])[0].tolist() == [1.0, 2.0]
        operation, feeds = slim.assign_from_checkpoint(path, {"second": second})
        session.run(operation, feeds)
        assert session.run(second).tolist() == [3.0]


def test_one_call_that_optimizes() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        weight = v1.get_variable("weight", initializer=2.0)
        step = slim.create_global_step()
        train = slim.optimize_loss(weight * weight, step, 0.25, "SGD")
        session.run(v1.global_variables_initializer())
        assert session.run(train) == 4.0
        assert session.run([weight, step]) == [1.0, 1]


def test_sums_over_devices_and_their_gradients() -> None:
    with tf.Graph().as_default(), v1.Session(config=v1.ConfigProto(allow_soft_placement=True)) as session:
        values = []
        for place in range(3):
            with v1.device(f"/gpu:{place}"):
                values.append(tf.constant([1.0, -2.0]) * (place + 1))
        sums = nccl.all_sum(values)
        assert [value.device for value in sums] == [value.device for value in values]
        # TF 1's gradient is the sum of what came back to every device
        weights = [tf.constant([float(place), 1.0]) for place in range(3)]
        gradients = tf.gradients(sums, values, weights)
        others = [nccl.all_prod(values)[0], nccl.all_min(values)[1], nccl.all_max(values)[2]]
        found = session.run([sums, gradients, others, nccl.reduce_sum(values), nccl.broadcast(values[1])])
    assert [value.tolist() for value in found[0]] == [[6.0, -12.0]] * 3
    assert [value.tolist() for value in found[1]] == [[3.0, 3.0]] * 3
    assert [value.tolist() for value in found[2]] == [[6.0, -48.0], [1.0, -6.0], [3.0, -2.0]]
    assert found[3].tolist() == [6.0, -12.0]
    assert found[4].tolist() == [2.0, -4.0]
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Device assignment"):
        nccl.all_sum([tf.constant(1.0)])


def test_every_name_that_the_codemod_writes_is_there() -> None:
    for name, (module, attribute) in own().items():
        value = import_module(module)
        for part in attribute.split("."):
            if not hasattr(value, part):
                import_module(f"{module}.{part}")  # as `from module import part` does
            value = getattr(value, part, None)
        assert value is not None, name


def test_a_triangle_of_early_tensorflow() -> None:
    """`tf.contrib.linalg.LinearOperatorTriL`, which TF 1.15 has no more."""
    from tf2towers.runtime.contrib.linalg import LinearOperatorTriL

    with tf.Graph().as_default(), v1.Session() as session:
        operator = LinearOperatorTriL(tf.constant([[1.0, 5.0], [2.0, 3.0]]))
        dense, product = session.run([operator.to_dense(), operator.apply(tf.constant([[1.0], [1.0]]))])
    assert dense.tolist() == [[1.0, 0.0], [2.0, 3.0]]
    assert product.tolist() == [[1.0], [5.0]]
