"""Prints as JSON what the runtime makes of small graphs with towers: `python drive_towers.py` runs all cases."""

import json
import os

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF2TOWERS_COLLECTIVES"] = "always"

import numpy as np
import tensorflow as tf

from tf2towers.runtime import Session, TowerStrategy, graph_mode
from tf2towers.runtime.graph_session import function
from tf2towers.runtime.graph_session.graph_nodes import Nodes
from tf2towers.runtime.graph_session.mirror import Mirror
from tf2towers.runtime.graph_session.towers import Towers
from tf2towers.runtime.patches.functions import eager_mode

graph_mode()
v1 = tf.compat.v1
PARTS = ("Split", "StridedSlice")
seen: list = []  # the definitions of the functions made, newest last
imported = function._imported


def watched(definition, *rest):
    seen.append(definition)
    return imported(definition, *rest)


function._imported = watched


def towers_of(count, average, split=True):
    """A graph of `count` towers: y = x w + b; its placeholder, losses and training operation."""
    x = v1.placeholder(tf.float32, [None, 4], name="x")
    parts = tf.split(x, count) if split else None
    optimizer = v1.train.MomentumOptimizer(0.1, 0.9)
    grads, losses = [], []
    strategy = TowerStrategy(count)
    for i in strategy.towers(range(count)):
        with tf.device(f"/gpu:{i}"), v1.variable_scope("net", reuse=i > 0):
            part = parts[i] if split else x[i * 2 : (i + 1) * 2]
            w = v1.get_variable("w", [4, 2], initializer=v1.random_normal_initializer(seed=3))
            b = v1.get_variable("b", [2], initializer=v1.zeros_initializer())
            losses.append(tf.reduce_mean((tf.matmul(part, w) + b - part[:, :2]) ** 2))
            grads.append(optimizer.compute_gradients(losses[-1]))
    return x, losses, optimizer.apply_gradients(average(grads))


def by_hand(combine):
    """An average of the script's own: `combine` makes one gradient of a variable's."""
    return lambda towers: [
        (combine([g for g, _ in pairs]), pairs[0][1]) for pairs in zip(*towers, strict=True)
    ]


def reduced(grads):
    return TowerStrategy().reduce("MEAN", grads)


stacked = by_hand(lambda grads: tf.reduce_mean(tf.stack(grads), 0))
added = by_hand(lambda grads: tf.add_n(grads) / len(grads))
summed = by_hand(tf.add_n)
weighted = by_hand(lambda grads: sum(g * k for k, g in enumerate(grads, 1)) / 3.0)


def clipped(grads):
    mean = reduced(grads)
    values, _ = tf.clip_by_global_norm([g for g, _ in mean], 0.5)
    return list(zip(values, [v for _, v in mean], strict=True))


def trained(count, average, **options):
    """Trains for three steps: what the function is made of, the copies of the variables, and their values."""
    with tf.Graph().as_default():
        x, losses, train = towers_of(count, average, **options)
        session = Session()
        session.run(v1.global_variables_initializer())
        rng = np.random.RandomState(0)
        for _ in range(3):
            values = session.run([*losses, train], {x: rng.randn(2 * count, 4)})[:-1]
        nodes = list(seen[-1].node)
        program = session._program
        copies = {name: copies_of(session, name) for name in program.mirror.copies}
        variables = session.run(v1.trainable_variables())
        return {
            "losses": [float(value) for value in values],
            "collectives": sum(node.op == "CollectiveReduceV2" for node in nodes),
            "updates": sorted(node.device[-5:] for node in nodes if node.op == "ResourceApplyMomentum"),
            "parts": sorted(
                {node.device[-5:] for node in nodes if node.op in PARTS and "feed" in " ".join(node.input)}
            ),
            "copies": {name: [value.tolist() for value in values] for name, values in copies.items()},
            "variables": [variable.tolist() for variable in variables],
        }  # fmt: skip


def with_collectives(wanted, train):
    """Trains with TF2TOWERS_COLLECTIVES set, as by a user; '' makes no choice."""
    was = os.environ["TF2TOWERS_COLLECTIVES"]
    os.environ["TF2TOWERS_COLLECTIVES"] = wanted
    try:
        return train()
    finally:
        os.environ["TF2TOWERS_COLLECTIVES"] = was


def copies_of(session, name):
    program = session._program
    node = program.mirror.nodes.by_name[name]
    found = []
    with eager_mode():
        for tower in program.mirror.copies[name]:
            with tf.device(program.towers.devices[tower]):
                handle = tf.raw_ops.VarHandleOp(
                    dtype=tf.float32,
                    shape=[dimension.size for dimension in node.attr["shape"].shape.dim],
                    container=session._container,
                    shared_name=f"{name}/tower_{tower}" if tower else name,
                )
                found.append(tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32).numpy())
    return found


def written_in_a_branch():
    """A variable that one tower writes inside tf.cond: it has one copy, which both towers read."""
    with tf.Graph().as_default():
        on = v1.placeholder(tf.bool, [])
        values = []
        for i in range(2):
            with tf.device(f"/gpu:{i}"), v1.variable_scope("s", reuse=i > 0):
                mean = v1.get_variable("mean", [], initializer=v1.zeros_initializer(), trainable=False)
                values.append(mean * (i + 1.0))
                if i == 0:
                    update = tf.cond(on, lambda: mean.assign_add(1.0), lambda: tf.identity(mean))  # noqa: B023
        session = Session()
        session.run(v1.global_variables_initializer())
        for flag in (True, False, True):
            session.run(update, {on: flag})
        return {
            "copies": session._program.mirror.copies,
            "values": [float(value) for value in session.run(values)],
        }


def held_by_a_parameter_server():
    """The copies of a variable that two towers of a worker read, and where it is."""
    with tf.Graph().as_default() as graph:
        with tf.device("/job:ps/task:0"):
            w = v1.get_variable("w", [], initializer=v1.zeros_initializer(), use_resource=True)
        for i in range(2):
            with tf.device(f"/gpu:{i}"):
                tf.identity(w * 2.0)
        nodes = Nodes(graph)
        towers = Towers(graph, nodes.by_name.values())
        mirror = Mirror(nodes, towers)
        return {"towers": towers.count, "copies": mirror.copies, "home": mirror.home("w")}


def read_beside_writes():
    """Towers read a variable that the same run writes, in no given order; each tower has a copy of the variable."""
    with tf.Graph().as_default():
        count = v1.get_variable("count", [], initializer=v1.zeros_initializer(), use_resource=True)
        reads = []
        for i in range(2):
            with tf.device(f"/gpu:{i}"):
                reads.append(count * 10.0)
                if i == 0:
                    update = count.assign_add(1.0).op
        with tf.device("/gpu:1"):
            reads.append(count * 100.0)  # built after the write
        session = Session()
        session.run(v1.global_variables_initializer())
        found = [[float(value) for value in session.run([*reads, update])[:3]] for _ in range(20)]
        return found == [[10.0 * n, 10.0 * n, 100.0 * n] for n in range(20)]


def step_of_hooks_beside_its_update():
    """Hooks read a global step in the run that increments it; the increment waits for nothing."""
    with tf.Graph().as_default():
        step = v1.train.get_or_create_global_step()
        read = v1.cond(v1.is_variable_initialized(step), step.read_value, lambda: step.initial_value) + 0
        update = v1.assign_add(step, 1).op
        session = Session()
        found = [int(session.run(read))]
        session.run(v1.global_variables_initializer())
        found += [int(session.run([read, update])[0]) for _ in range(5)]
        (counts,) = [node for node in seen[-1].node if node.name == update.name]
        return {"read": found, "waits": [text for text in counts.input if text[0] == "^"]}


def average_that_waits(average):
    """A write that only the average waits for: it is made, and both towers' updates come after it."""
    with tf.Graph().as_default():
        optimizer = v1.train.GradientDescentOptimizer(v1.placeholder_with_default(0.5, []))
        grads = []
        for i in range(2):
            with tf.device(f"/gpu:{i}"), v1.variable_scope("net", reuse=i > 0):
                w = v1.get_variable("w", [], initializer=v1.ones_initializer())
                grads.append(optimizer.compute_gradients(w * (i + 1.0)))
        writes = v1.get_variable("writes", [], initializer=v1.zeros_initializer(), trainable=False)
        with tf.control_dependencies([writes.assign_add(1.0)]):
            [(mean, _)] = average(grads)
        update = v1.assign_sub(w, mean)
        session = Session()
        session.run(v1.global_variables_initializer())
        for _ in range(3):
            session.run(update.op)
        nodes = {node.name: node for node in seen[-1].node}
        updates = [node for node in nodes.values() if node.op == "AssignSubVariableOp"]
        before = [needs(nodes, node.name) for node in updates]
        return {
            "collectives": sum(node.op == "CollectiveReduceV2" for node in nodes.values()),
            "values": [float(value) for value in session.run([writes, w])],
            "after": [any(name.startswith("AssignAddVariableOp") for name in names) for names in before],
        }


def needs(nodes, name):
    found, pending = set(), [name]
    while pending:
        for text in nodes[pending.pop()].input:
            source = text.lstrip("^").partition(":")[0]
            if source not in found:
                found.add(source)
                pending.append(source)
    return found


print(
    json.dumps(
        {
            "reduced": trained(2, reduced),
            "stacked": trained(2, stacked),
            "of_cpus": with_collectives("", lambda: trained(2, stacked)),
            "four_of_cpus": with_collectives("", lambda: trained(4, stacked)),
            "never": with_collectives("never", lambda: trained(2, stacked)),
            "added": trained(2, added),
            "sliced": trained(2, reduced, split=False),
            "four": trained(4, reduced),
            "clipped": trained(2, clipped),
            "summed": trained(2, summed),
            "weighted": trained(2, weighted),
            "branch": written_in_a_branch(),
            "on_a_server": held_by_a_parameter_server(),
            "waits": [average_that_waits(average) for average in (reduced, stacked, added)],
            "read_first": read_beside_writes(),
            "step_of_hooks": step_of_hooks_beside_its_update(),
        }
    )
)
os._exit(0)
