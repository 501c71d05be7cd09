"""The runtime's versions of `tf.contrib`, beyond the cases of TF 1.15 (tests/runtime/tf1/test_cases.py)."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import tensorflow as tf

from tf2towers.runtime.patches.slim import tf_slim_finds_its_names

tf_slim_finds_its_names()


from tf2towers.runtime.tf1 import cudnn_rnn, nccl, opt, training  # noqa: E402

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def graph_as_in_tf1() -> Iterator[None]:
    """Sets what `graph_mode()` sets, for one test."""
    v1.disable_control_flow_v2()
    v1.disable_v2_tensorshape()
    v1.disable_tensor_equality()
    yield
    v1.enable_control_flow_v2()
    v1.enable_v2_tensorshape()
    v1.enable_tensor_equality()


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
        found = session.run([sums, gradients])
    assert [value.tolist() for value in found[0]] == [[6.0, -12.0]] * 3
    assert [value.tolist() for value in found[1]] == [[3.0, 3.0]] * 3
    with tf.Graph().as_default(), pytest.raises(ValueError, match="device"):
        nccl.all_sum([tf.constant(1.0)])


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (partial(cudnn_rnn.CudnnLSTM, 1, 3), "input_mode"),
        (partial(cudnn_rnn.CudnnLSTM, 1, 3), "input_size"),
        (training.HParams, "hparam_def"),
    ],
)
def test_what_a_configuration_names_stops_before_a_step(make: Callable[..., Any], name: str) -> None:
    """`migrate` does not see the names of `**options` out of a file; building the graph does, and says them."""
    with tf.Graph().as_default(), pytest.raises((NotImplementedError, TypeError), match=name):
        make(**{name: "other"})


def test_variables_are_placed_where_the_fewest_bytes_are() -> None:
    strategy = training.GreedyLoadBalancingStrategy(2, training.byte_size_load_fn)
    with tf.Graph().as_default(), v1.device(v1.train.replica_device_setter(2, ps_strategy=strategy)):
        sizes = [[10, 10], [5], [3, 3], [100], [2]]
        made = [v1.get_variable(f"v{n}", size, use_resource=True) for n, size in enumerate(sizes)]
    # TF 1.15, whose variables were references
    assert [variable.device[-1] for variable in made] == list("01110")


def test_training_operations_change_variables() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        weights, square, momentum = (
            v1.get_variable(name, initializer=[1.0, 2.0], use_resource=True) for name in "wsm"
        )
        done = opt.apply_rms_prop(
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
        opt.apply_nothing  # noqa: B018
