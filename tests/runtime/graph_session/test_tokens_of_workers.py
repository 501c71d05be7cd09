"""What the end of a synchronous chief's session leaves to the other sessions of its parameter servers."""

from __future__ import annotations

import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow
v1 = tf.compat.v1


def test_the_tokens_stay_open(request: pytest.FixtureRequest) -> None:
    from tf2towers.runtime.graph_session.patches import ends_leave_the_tokens

    optimizer = v1.train.SyncReplicasOptimizer
    request.addfinalizer(ends_leave_the_tokens.undo)
    ends_leave_the_tokens()
    ends_leave_the_tokens()
    with tf.Graph().as_default(), v1.Session() as session:
        weight = v1.get_variable("weight", initializer=1.0, use_resource=True)
        step = v1.train.get_or_create_global_step()
        opt = optimizer(v1.train.GradientDescentOptimizer(0.25), 1, total_num_replicas=1)
        train_op = opt.minimize(tf.square(weight), global_step=step)
        session.run(v1.global_variables_initializer())
        session.run(opt.chief_init_op)
        chief = v1.train.Coordinator()
        threads = opt.get_chief_queue_runner().create_threads(session, chief, daemon=True, start=True)
        session.run(train_op)
        assert session.run(weight) == 0.5
        closed = opt._sync_token_queue.is_closed()
        chief.request_stop()
        (ending,) = [thread for thread in threads if "close_on_stop" in thread.name]
        ending.join(10)
        assert not ending.is_alive()
        assert not session.run(closed)
