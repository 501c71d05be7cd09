"""The names of TensorFlow's that are not public: each is there, and means what `patches/` and `session.py` say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtime.tasks import run_python

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

from tf2towers.runtime.patches import functions, operations  # noqa: E402
from tf2towers.runtime.patches import register as patches  # noqa: E402


def test_what_scripts_read_of_operations() -> None:
    patches.complete_graphs()
    with tf.Graph().as_default() as graph:
        assert graph._last_id == 0
        first, second, before = tf.constant(1.0), tf.constant(2.0), tf.no_op()
        with tf.control_dependencies([before]):
            total = first + second
        assert total.op._inputs == [first, second]
        assert total.op._outputs == [total]
        assert total.op._control_inputs == [before]
        assert graph._last_id == total.op._id


def test_where_an_operation_was_built() -> None:
    v1 = tf.compat.v1
    was = v1.control_flow_v2_enabled()
    v1.disable_control_flow_v2()
    try:
        with tf.Graph().as_default():
            made = []
            v1.while_loop(lambda i: i < 3, lambda i: made.append(i + 1) or made[-1], [tf.constant(0)])
            v1.cond(
                tf.constant(True), lambda: made.append(tf.constant(1) + 1) or made[-1], lambda: tf.constant(0)
            )
            outside = tf.constant(1) + 1
    finally:
        if was:
            v1.enable_control_flow_v2()
    loop, branch = made
    assert operations.in_loop(loop.op) and not operations.in_loop(branch.op)
    assert operations.control_flow_context(branch.op) is not None
    assert operations.control_flow_context(outside.op) is None


def test_what_a_call_is_cancelled_by() -> None:
    from tf2towers.runtime.graph_session.runs.cancelling import Runs

    runs = Runs()
    with runs.running() as first:
        assert not first.is_cancelled
    with runs.running() as second:
        assert second is first  # one that nothing was cancelled by serves the next run
        with runs.running() as inner:
            assert inner is not second
        runs.cancel()
        assert second.is_cancelled
    with runs.running() as after:
        assert after.is_cancelled  # a run that begins after the session's end


def test_a_run_that_fails_leaves_its_manager_to_no_other() -> None:
    from tf2towers.runtime.graph_session.runs.cancelling import Runs

    runs = Runs()
    with pytest.raises(tf.errors.AbortedError), runs.running() as failed:
        raise tf.errors.AbortedError(None, None, "")
    with runs.running() as following:
        assert following is not failed


def test_runs_are_watched_where_a_function_stands_for_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not functions.runs_are_watched()
    base = tf.compat.v1.Session.__mro__[1]
    for name in ("run", "_run"):
        with monkeypatch.context() as patch:
            patch.setattr(base, name, lambda *arguments: None)
            assert functions.runs_are_watched()
    assert not functions.runs_are_watched()


def test_a_reference_to_a_variable_has_a_gradient() -> None:
    patches.variables_are_tf1s()
    with tf.Graph().as_default():
        variable = tf.compat.v1.get_variable("v", initializer=2.0, use_resource=True)
        (gradient,) = tf.gradients(variable * variable, [variable._ref()])
        assert gradient is not None


def test_a_regularizers_loss_has_an_average() -> None:
    patches.one_loss_a_variable()
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        v1.get_variable("w", [2], use_resource=True, regularizer=lambda w: tf.reduce_sum(w * w))
        (loss,) = v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES)
        average = v1.train.ExponentialMovingAverage(0.5)
        average.apply([loss])
        assert average.average(loss) is not None


def test_shapes_of_unknown_sizes_are_not_equal(request: pytest.FixtureRequest) -> None:
    """As TensorFlow 1.15 says: a shape with an unknown size is equal to itself alone; specs are compared by sizes."""
    request.addfinalizer(patches.unknown_sizes_are_not_equal.undo)
    patches.unknown_sizes_are_not_equal()
    with tf.Graph().as_default():
        first, second = (tf.compat.v1.placeholder(tf.float32, [None, 3]) for _ in range(2))
        assert first.shape != second.shape
        assert (first.shape == second.shape) is False
        assert first.shape == first.get_shape()
        assert (first.shape != first.get_shape()) is False
        assert first.shape != [None, 3] and second.shape not in [first.shape]
        assert first.shape[1:] == second.shape[1:] == [3]
        assert tf.TensorShape(None) == tf.TensorShape(None)
        assert tf.TensorShape(first.shape) == first.shape
    # by these TensorFlow decides whether a function or a dataset fits
    for make in (tf.TensorSpec, tf.SparseTensorSpec, tf.RaggedTensorSpec):
        assert make([None, 3]) == make([None, 3]) != make([None, 4])
        assert tf.data.DatasetSpec(make([None, 3])) == tf.data.DatasetSpec(make([None, 3]))
        assert {make([None, 3]): 1}[make([None, 3])] == 1
    assert first.shape != second.shape


def test_the_result_of_an_assignment_is_evaluated_with_feeds() -> None:
    patches.assignments_give_references()
    with tf.Graph().as_default(), tf.compat.v1.Session():
        variable = tf.compat.v1.get_variable("v", [], use_resource=True)
        fed = tf.compat.v1.placeholder(tf.float32, [])
        assert tf.compat.v1.assign(variable, fed).eval({fed: 3.0}) == 3.0
        assert variable.eval() == 3.0


def test_a_dataset_reads_a_variable_when_an_element_is_asked_for() -> None:
    """Each in a process of its own: with its iterator, and with one that it is put into."""
    program = """
import sys, time
import tensorflow.compat.v1 as tf
from tensorflow.python.data.ops import dataset_ops, readers
from tf2towers.runtime import Session, graph_mode
graph_mode()
assert dataset_ops.Dataset is tf.data.Dataset and readers.TextLineDataset is tf.data.TextLineDataset
count = tf.get_variable("count", [], tf.int32, tf.zeros_initializer())
dataset = dataset_ops.Dataset.range(6).map_with_legacy_function(lambda index: count)
iterator = dataset.make_initializable_iterator()
other = tf.data.Iterator.from_structure(dataset.output_types, dataset.output_shapes)
initializers = [iterator.initializer, other.make_initializer(dataset)]
following, increment = [iterator.get_next(), other.get_next()], tf.assign_add(count, 1)
with Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(initializers)
    for step in range(4):
        assert session.run(following) == [step, step], step
        time.sleep(0.1)
        session.run(increment)
"""
    run_python("-c", program)


def test_a_server_survives_clients_that_come_together() -> None:
    out, _ = run_python(str(Path(__file__).with_name("connect_together.py")))
    assert out.strip() == "60"


def test_a_sum_over_rows_has_a_second_gradient() -> None:
    patches.sums_over_rows_have_second_gradients()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        sums = tf.compat.v1.sparse_segment_sum(x, [0, 2, 1], [0, 0, 1])
        (gradient,) = tf.gradients(tf.reduce_sum(sums**3), x)
        (second,) = tf.gradients(tf.reduce_sum(gradient**2), x)
        assert session.run(second).tolist() == [[15552, 36864], [972, 2304], [15552, 36864]]  # from TF 1.15
