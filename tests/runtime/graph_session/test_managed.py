"""The session manager of the runtime, in a process of its own: it changes TensorFlow's modes."""

import pytest

from tests.runtime.tasks import run_python

pytestmark = pytest.mark.tensorflow

#: a worker goes on as soon as the model is ready, not at its next check, 30 seconds after the first
WAITS = """
import time
import numpy as np
import tensorflow.compat.v1 as tf
from tf2towers.runtime import SessionManager, graph_mode

graph_mode()
looks = []


def missing():
    looks.append(time.monotonic())
    return np.array(["w"] if len(looks) < 3 else [], dtype=object)


ready = tf.py_func(missing, [], tf.string)
local = tf.Variable(0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
count = tf.py_func(lambda: np.int32(len(looks)), [], tf.int32)
manager = SessionManager(ready_op=ready, local_init_op=tf.assign(local, count), recovery_wait_secs=30)
begin = time.monotonic()
session = manager.wait_for_session("")
assert time.monotonic() - begin < 15, looks
assert (len(looks), session.run(local)) == (4, 3), (looks, session.run(local))  # the last look is a whole one

looks.clear()
begin = time.monotonic()
try:
    manager.wait_for_session("", max_wait_secs=20)
except tf.errors.DeadlineExceededError:
    pass
else:
    raise AssertionError("there was no time left for another look, 30 seconds later")
assert len(looks) == 1 and time.monotonic() - begin < 15
"""

#: the sessions of this process end
RESET = """
import tensorflow.compat.v1 as tf
from tf2towers.runtime import Session, graph_mode

graph_mode()
variable = tf.get_variable("variable", [], initializer=tf.ones_initializer())
old = Session()
old.run(variable.initializer)
Session.reset("")
try:
    old.run(variable)
except tf.errors.CancelledError as error:
    assert "Session has been closed." in str(error)
else:
    raise AssertionError("it is still there")
old.close()
with Session() as new:
    new.run(variable.initializer)
    assert new.run(variable) == 1
"""

#: a run that takes longer than it may
LIMITS = """
import time
import tensorflow.compat.v1 as tf
from tf2towers.runtime import Session, graph_mode

graph_mode()
queue = tf.FIFOQueue(3, tf.int32, [[]])
put, get = queue.enqueue(7), queue.dequeue()


def is_too_long(session, **options):
    begin = time.monotonic()
    try:
        session.run(get, **options)
    except tf.errors.DeadlineExceededError:
        return 0.4 < time.monotonic() - begin < 5
    return False


with Session() as session:
    session.run(put)
    half_a_second = tf.RunOptions(timeout_in_ms=500)
    assert session.run(get, options=half_a_second) == 7
    assert is_too_long(session, options=half_a_second)
    session.run(put, options=half_a_second)
    assert session.run(get) == 7  # what was waited for in vain is still there
with Session(config=tf.ConfigProto(operation_timeout_in_ms=500)) as session:
    session.run(put)
    assert session.run(get) == 7
    assert is_too_long(session)
"""


@pytest.mark.parametrize("program", [WAITS, RESET, LIMITS], ids=["waits", "reset", "limits"])
def test_managed_sessions_in_a_process_of_their_own(program: str) -> None:
    run_python("-c", program)
