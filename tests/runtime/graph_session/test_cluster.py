"""A process's place in a cluster: targets, devices, what is refused; no other process is needed for these."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.runtime.tasks import free_ports, run_python

pytestmark = pytest.mark.tensorflow

SCRIPT = """
import logging
import sys
import tensorflow as tf2
import tensorflow.compat.v1 as tf
from tests.runtime.tasks import free_ports
from tf2towers.runtime import ClusterError, Server, Session, graph_mode
from tf2towers.runtime.graph_session.cluster.server import process_of

graph_mode()
here, there, other = (f"localhost:{port}" for port in free_ports(3))


def raised(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError("nothing was raised")


# a parameter server and a worker in one process, and another worker that is not there
spec = tf.train.ClusterSpec({"ps": [here], "worker": [there, other]})
ps = Server(spec, "ps", 0)
server = Server(spec, job_name="worker", task_index=0)
assert server.target == f"grpc://{there}", server.target
assert (server.server_def.job_name, server.server_def.task_index) == ("worker", 0)
assert "is not the target of a server" in raised(ClusterError, lambda: Session("grpc://localhost:1"))
isolated = tf.ConfigProto(isolate_session_state=True)
assert "share its variables" in raised(NotImplementedError, lambda: Session(server.target, config=isolated))
assert "task_index goes from 0 to 1" in raised(ClusterError, lambda: Server(spec, "worker", 2))
assert Server({"master": ["localhost:0"], "worker": []}, "master", 0).target  # no worker, or none yet
assert "the cluster has no job 'master'" in raised(ClusterError, lambda: Server(spec, "master", 0))
assert "Does this task run already" in raised(ClusterError, lambda: Server(spec, "worker", 0))

with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:0", cluster=spec)):
    shared = tf.get_variable("shared", [3], initializer=tf.ones_initializer())
    table = tf.get_variable("table", [6, 2], initializer=tf.ones_initializer())
    with tf.device("/job:worker/task:0/cpu:0"):
        own = tf.get_local_variable("own", [], initializer=tf.zeros_initializer())
    add = tf.cond(tf.reduce_sum(shared) > 0.0, lambda: shared.assign_add([1.0, 1.0, 1.0]), lambda: shared.value())
    count = tf.get_variable("count", [], tf.int64, initializer=tf.zeros_initializer())
    count_up = tf.group(tf.assign_add(count, 1), tf.assign_add(own, 0.0))
    as_hooks_read = tf.cond(tf.is_variable_initialized(count), count.read_value, lambda: count.initial_value) + 0
    with tf.device("/job:worker/task:1"):
        elsewhere = tf.add(shared, 1.0, name="elsewhere")
    with tf.device("/job:ps/task:0"):
        queue = tf.FIFOQueue(3, tf.float32, [[3]], shared_name="queue")
        own_queue = tf.FIFOQueue(3, tf.float32, [[3]], name="own_queue")
        on_ps = tf.identity(shared) * 2.0
        words = tf.constant([b"a", b"b"])
    put, size, get = [queue.enqueue(shared), own_queue.enqueue(shared)], queue.size(), queue.dequeue()
    with tf.device("/job:ps/task:0"):
        sparse = tf.SparseConditionalAccumulator(tf.float32, [6, 2], shared_name="sparse")
    gradient = tf.IndexedSlices(tf.gather(table, [1, 3]), tf.constant([1, 3], tf.int64), [6, 2])
    give, take = sparse.apply_indexed_slices_grad(gradient), sparse.take_indexed_slices_grad(2)
    loop = tf.while_loop(lambda i: i < 3, lambda i: i + tf.cast(shared[0], tf.int32), [0])

here_alone = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:0"])
with Session(server.target, config=here_alone) as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    assert not logging.root.handlers  # with one each line of tf.logging would be printed twice
    assert session.run(add).tolist() == [2, 2, 2]
    assert session.run(shared).tolist() == [2, 2, 2]
    assert session.run(on_ps).tolist() == [4, 4, 4]
    assert session.run(words).tolist() == [b"a", b"b"]
    assert session.run(loop) == 4
    # what a parameter server's variable was before the run, whatever runs beside it: as TF 1.15 had it nearly always
    counted = [session.run([count, count_up, shared])[0] for _ in range(30)]
    assert counted == list(range(30)), counted
    counted = [session.run([as_hooks_read, count_up])[0] for _ in range(30)]
    assert counted == list(range(30, 60)), counted
    assert "ended the sessions of all processes" in raised(NotImplementedError, lambda: Session.reset(server.target))
    assert session.run(tf.assign_add(own, 1.0)) == 1.0
    session.run(put)
    assert session.run(size) == 1
    session.run(give)
    session.run(give)
    taken = session.run(take)
    assert (taken.indices.tolist(), taken.values.tolist()) == ([1, 3], [[1, 1], [1, 1]])
    said = raised(tf.errors.InvalidArgumentError, lambda: session.run(elsewhere))
    assert "operation elsewhere (Add" in said and "/job:worker/task:1" in said and "/job:ps/task:0" in said, said
    assert "before the first run of a session" in said, said

# what is in the server and the parameter server outlives a session, as in TF1; a session of its own process has its own
with Session(server.target, config=here_alone) as session:
    assert session.run(own) == 1.0
    assert session.run(get).tolist() == [2, 2, 2]
    assert session.run([size, own_queue.size()]) == [0, 0]  # without a shared name it is a session's own
with Session() as session:
    session.run(tf.local_variables_initializer())
    assert session.run(own) == 0.0

# what the script gives to no task is on the first parameter server, as TF 1.15 placed it (TF 2.21's sessions do not)
with tf.Graph().as_default():
    free = tf.get_variable("free", [2], initializer=tf.ones_initializer())
    with tf.device("/cpu:0"):
        free_queue = tf.FIFOQueue(3, tf.string, [[]], shared_name="free_queue")
    with Session(server.target, config=here_alone) as session:
        session.run([free.initializer, free_queue.enqueue(b"x")])
with tf.Graph().as_default(), tf.device("/job:ps/task:0"):
    free = tf.get_variable("free", [2])
    free_queue = tf.FIFOQueue(3, tf.string, [[]], shared_name="free_queue")
    with Session(ps.target, config=here_alone) as session:
        assert session.run(free).tolist() == [1, 1]
        assert session.run(free_queue.dequeue()) == b"x"

with tf.Graph().as_default():  # a session of the parameter server's own process
    with tf.device("/job:ps/task:0"):
        shared = tf.get_variable("shared", [3])
    with Session(ps.target, config=here_alone) as session:
        assert session.run(shared).tolist() == [2, 2, 2]

local = Server.create_local_server()
with tf.Graph().as_default(), Session(local.target) as session:
    with tf.device("/job:localhost/task:0"):
        assert session.run(tf.constant(3) + 4) == 7
assert isinstance(server.strategy, tf2.distribute.ParameterServerStrategy)
print("fine")
"""


#: two servers in a process, and a session of each
BOTH = """
import tensorflow.compat.v1 as tf

from tests.runtime.tasks import free_ports
from tf2towers.runtime import Server, Session, graph_mode

graph_mode()
cluster = tf.train.ClusterSpec({"local": [f"localhost:{port}" for port in free_ports(2)]})
first, second = (Server(cluster, job_name="local", task_index=index) for index in range(2))
with tf.device("/job:local/task:0"):
    a = tf.Variable([1.0, 2.0])
with tf.device("/job:local/task:1"):
    b = tf.Variable([3.0, 4.0])
    grown = a.assign_add(b)
with Session(second.target) as session:
    session.run(tf.global_variables_initializer())
    assert session.run(grown).tolist() == [4, 6]
with Session(first.target) as session:
    assert session.run(grown).tolist() == [7, 10] and session.run(b).tolist() == [3, 4]
print("fine")
"""

#: a session without a target that has run before the process is connected to its parameter server,
#: and runs on
LOCAL_BEFORE = """
import tensorflow.compat.v1 as tf

from tests.runtime.tasks import free_ports
from tf2towers.runtime import ClusterError, Server, Session, graph_mode

graph_mode()
with tf.Graph().as_default() as graph:
    own = tf.get_variable("own", [2], initializer=tf.ones_initializer())
    empty = tf.get_variable("empty", [2], initializer=tf.ones_initializer())
    more = own.assign_add([1.0, 2.0])
    drawn = tf.random_uniform([2], seed=3)
    queue = tf.FIFOQueue(3, tf.float32)
    put, size = queue.enqueue(1.0), queue.size()
    missing = tf.report_uninitialized_variables()
with Session(graph=graph) as unbroken:
    unbroken.run([own.initializer, more])
    draws = [unbroken.run(drawn).tolist() for _ in range(3)]
before, ended = Session(graph=graph), Session(graph=graph)
before.run([own.initializer, put])
ended.run([own.initializer, put])
ended.close()
assert before.run([more, size])[0].tolist() == [2, 3]
assert before.run(drawn).tolist() == draws[0]

here, there = (f"localhost:{port}" for port in free_ports(2))
spec = tf.train.ClusterSpec({"ps": [here], "worker": [there]})
ps = Server(spec, "ps", 0)
server = Server(spec, "worker", 0)
with tf.device("/job:ps/task:0"):
    shared = tf.get_variable("shared", [2], initializer=tf.zeros_initializer())
with Session(server.target) as session:
    session.run(shared.initializer)
    for turn in (1, 2):
        assert session.run(shared.assign_add([1.0, 1.0])).tolist() == [turn, turn]
        assert before.run(more).tolist() == [2 + turn, 3 + 2 * turn]
        assert before.run(drawn).tolist() == draws[turn]
    assert before.run(missing).tolist() == [b"empty"]
    try:
        before.run(size)
    except ClusterError as error:
        assert "fifo_queue: this session ran before" in str(error), error
    else:
        raise AssertionError("an empty queue")
    assert before.run(own).tolist() == [4, 7]
    with Session(graph=graph) as after:
        after.run(put)
        assert after.run(size) == 1
print("fine")
"""

#: what '/job:worker' without a task makes is on the first worker, for all, as TF 1.15 placed it (TF
#: 2.21 does not)
NO_TASK = """
import sys
import time
import tensorflow.compat.v1 as tf

from tf2towers.runtime import Server, Session, graph_mode

graph_mode()
index, addresses = int(sys.argv[1]), sys.argv[2:]
server = Server(tf.train.ClusterSpec({"worker": addresses}), job_name="worker", task_index=index)
with tf.device("/job:worker"):
    total = tf.Variable([1.0, 2.0])
    more = total.assign_add([1.0, 1.0])
missing = tf.report_uninitialized_variables()
with Session(server.target) as session:
    if index == 0:
        session.run(total.initializer)
    while len(session.run(missing)):
        time.sleep(0.1)
    session.run(more)
    while session.run(total)[0] < 3:
        time.sleep(0.1)
    print(session.run(total).tolist(), flush=True)
    time.sleep(1)
"""


def test_a_job_without_a_task_is_its_first() -> None:
    addresses = [f"localhost:{port}" for port in free_ports(2)]
    with ThreadPoolExecutor(2) as pool:
        for out, _ in pool.map(lambda index: run_python("-c", NO_TASK, index, *addresses), "01"):
            assert out == "[3.0, 4.0]\n"


@pytest.mark.parametrize("script", [SCRIPT, BOTH, LOCAL_BEFORE], ids=["one", "both", "local-before"])
def test_a_cluster_of_one_process(script: str) -> None:
    out, _ = run_python("-c", script)
    assert out.endswith("fine\n")


LATE = """
import sys
import threading
import time
import tensorflow.compat.v1 as tf
from tests.runtime.tasks import free_ports
from tf2towers.runtime import Server, Session, graph_mode
import socket

graph_mode()
here, there, late = (f"localhost:{port}" for port in free_ports(3))
spec = tf.train.ClusterSpec({"ps": [here], "worker": [there, late]})
ps, server = Server(spec, "ps", 0), Server(spec, "worker", 0)
with tf.device("/job:ps/task:0"):
    w = tf.get_variable("w", initializer=1.0)
with Session(server.target, config=tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:0"])) as session:
    session.run(w.initializer)  # waits for nobody


def come():
    time.sleep(5)
    came.append(time.monotonic())
    with socket.create_server(("", int(late.rpartition(":")[2]))):
        over.wait(60)


came, over = [], threading.Event()
threading.Thread(target=come, daemon=True).start()
with Session(server.target) as session:
    assert session.run(w) == 1.0 and came, "it did not wait"
over.set()
time.sleep(0.5)
with Session(server.target) as session:
    assert session.run(w) == 1.0  # who has answered once is not waited for again
print("fine")
"""


def test_a_session_without_device_filters_waits_for_all_tasks() -> None:
    _, errors = run_python("-c", LATE)
    assert "worker 0: waiting for worker 1 (localhost:" in errors
