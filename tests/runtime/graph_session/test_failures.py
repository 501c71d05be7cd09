"""Errors of a run begin with their cause and have the operation, as in TensorFlow 1.15, whose words these are."""

from __future__ import annotations

import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow
v1 = tf.compat.v1


CASES = {
    "a kernel": (
        lambda: tf.debugging.check_numerics(tf.math.log(v1.random_uniform([1]) - 2.0), "bad", name="checked"),
        "InvalidArgumentError", "checked", "bad : Tensor had NaN values",
    ),
    "the end of a pipeline": (
        lambda: v1.data.make_one_shot_iterator(tf.data.Dataset.range(0)).get_next("row"),
        "OutOfRangeError", "row", "End of sequence",
    ),
    "Python": (
        lambda: v1.py_func(lambda: 1 / 0, [], tf.float64, name="divided"),
        "UnknownError", "divided", "ZeroDivisionError: division by zero",
    ),
    "a variable without a value": (
        lambda: tf.identity(v1.get_variable("w", [2], use_resource=True), "value"),
        "FailedPreconditionError", "value/ReadVariableOp", "Attempting to use uninitialized value w\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", CASES)
def test_an_error_names_the_graphs_operation(what: str) -> None:
    from tf2towers.runtime import Session

    made, kind, name, beginning = CASES[what]
    with tf.Graph().as_default(), Session() as session:
        fetched = made()
        for _ in range(2):
            with pytest.raises(tf.errors.OpError) as raised:
                session.run(fetched)
            error = raised.value
            assert type(error).__name__ == kind
            assert (error.op.name, error.node_def.name) == (name, name)
            assert error.message.startswith(beginning), error.message
            assert f"[[node {name} (defined at " in error.message
            assert "Graph execution error" not in error.message


def test_a_reference_variable_cannot_be_run() -> None:
    from tf2towers.runtime import Session

    with tf.Graph().as_default(), Session() as session:
        reference = tf.raw_ops.VariableV2(shape=[], dtype=tf.float32, name="old")
        with pytest.raises(tf.errors.UnimplementedError, match="old is a reference variable"):
            session.run(tf.raw_ops.Assign(ref=reference, value=1.0))


@pytest.mark.parametrize("listed", [None, [], "all"])
def test_fails_until_all_are_initialized(listed: object) -> None:
    """The ranks are what TF 1.15 gave."""
    from tf2towers.runtime import Session, assert_variables_initialized

    with tf.Graph().as_default(), Session() as session:
        first = v1.get_variable("first", [3, 3], use_resource=True)
        second = v1.get_local_variable("second", [2], use_resource=True)
        checked = assert_variables_initialized([first, second] if listed == "all" else listed)
        alone = assert_variables_initialized([first])
        with tf.control_dependencies([checked]):
            later = tf.constant(3) + 0
        for missing in (second, first):
            for fetch in (checked, later):
                with pytest.raises(tf.errors.FailedPreconditionError):
                    session.run(fetch)
            session.run(missing.initializer)
        assert [session.run(fetch).tolist() for fetch in (checked, alone, later)] == [[2, 1], 2, 3]
