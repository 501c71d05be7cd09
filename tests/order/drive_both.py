"""Prints, of programs of `tests/runtime/graph_session/drive_order.py` and some more, the pairs that each adapter finds.

Both see one graph, of resource variables: the runtime the nodes of a run, the recorder all of it.
"""

import json
import sys
from pathlib import Path

import tensorflow as tf

sys.path.insert(1, str(Path(__file__).parents[1] / "runtime" / "graph_session"))
import drive_order as cases

from tf2towers.order.pairs import decide
from tf2towers.runtime.graph_session import order as of_runtime
from tf2towers.runtime.graph_session import own_resources
from tf2towers.runtime.graph_session.session import Session
from tf2towers.verify.recorder import order as of_recorder

tf1 = tf.compat.v1
TOWERS = 3


def normed(v, m, decay):
    """A fused batch norm under a fed flag, with its gradient, which takes the variable by a `Switch`."""
    training = tf1.placeholder_with_default(True, [])
    x = tf.ones([2, 3, 3, 1]) * m
    scale = tf.reshape(v, [1])

    def norm(statistics):
        return tf1.nn.fused_batch_norm(x, scale, [0.0], *statistics, is_training=not statistics)[0]

    out = tf1.cond(training, lambda: norm([]), lambda: norm([[0.0], [1.0]]))
    (gradient,) = tf.gradients(out, v)
    return tf.group(cases.moving_average(v, tf.reduce_sum(out), decay), tf1.assign_sub(v, gradient))


def taken(v, m, decay):
    """Towers take from one queue, also in a branch."""
    queue = tf1.get_collection("queues")[0]
    element = tf1.cond(m > 1.5, queue.dequeue, lambda: queue.dequeue() + 1.0)
    return tf.group(queue.enqueue(m), tf1.assign_add(v, element + queue.dequeue()))


def pairs(operations, accesses):
    decision = decide(operations, accesses, whole=True)
    return {(pair.earlier, pair.later) for pair in decision.pairs}, {one.name for one in operations}


def both(case):
    seen = []

    def watched(operations, accesses, *options):
        seen.append(pairs(operations, accesses))
        return decide(operations, accesses, *options)

    with tf.Graph().as_default() as graph:
        queue = tf1.FIFOQueue(9, tf.float32, shapes=[[]])
        tf1.add_to_collection("queues", queue)
        fill = queue.enqueue_many([[0.0] * 6])
        v = cases.variable(cases.CASES.get(case, 0.0), trainable=case.__name__.startswith("trained"))
        operation, feeds = cases.each_tower(TOWERS, lambda m: case(v, m, 0.5))
        with Session() as session:
            session.run([tf1.global_variables_initializer(), fill])
            of_runtime.decide = watched
            session.run(operation, feeds)
            of_runtime.decide = decide
        built, shared, _ = of_recorder._Ordered(graph)._found()
    found, run = seen[0]
    all_of_graph, _ = pairs(built, shared)
    return sorted(found), sorted(pair for pair in all_of_graph if run.issuperset(pair))


own_resources.switched_on = True
print(json.dumps({case.__name__: both(case) for case in (*cases.CASES, normed, taken)}))
