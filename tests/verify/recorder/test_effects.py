"""What a session call uses, by which workers of a cluster take turns: the same in an original and a migrated script."""

import pytest

tf = pytest.importorskip("tensorflow").compat.v1
pytestmark = pytest.mark.tensorflow


def test_a_fetched_variable_is_used() -> None:
    """As a chief's `saver.save(session, path, global_step=variable)` fetches it: by no op, where TF 2 has a read."""
    from tf2towers.verify.recorder.variables import Effects

    with tf.Graph().as_default():
        steps = [tf.Variable(0, use_resource=resource, name="step") for resource in (False, True)]
        fetched = [steps[0]._ref().op, tf.convert_to_tensor(steps[1]).op]
    assert [Effects([op], set()).used for op in fetched] == [{"step"}, {"step_1"}]


def test_a_queue_of_a_parameter_server_may_wait_for_another_worker() -> None:
    from tf2towers.verify.recorder.variables import Effects

    with tf.Graph().as_default():
        taken = []
        for job in ("ps", "worker"):
            with tf.device(f"/job:{job}/task:0"):
                taken.append(tf.FIFOQueue(1, tf.int32, shapes=[()], shared_name=job).dequeue().op)
    assert [Effects([op], set()).meets for op in taken] == [True, False]


@pytest.mark.parametrize("resource", [False, True])
def test_a_restore_uses_nothing(resource: bool) -> None:
    """It begins a variable, as its initializer does; one that counted on one side took a turn there alone."""
    from tf2towers.verify.recorder.variables import Effects

    with tf.Graph().as_default() as graph:
        variable = tf.get_variable("v", [2], use_resource=resource)
        tf.train.Saver([variable])
        restore = graph.get_operation_by_name("save/restore_all")
    assert (Effects([restore], set()).used, Effects([restore], set()).written) == (set(), {"v"})
