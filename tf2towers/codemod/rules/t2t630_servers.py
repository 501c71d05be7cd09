"""T2T630: the device that `replica_device_setter` chooses is the scope of a parameter-server strategy."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.codemod.edits import Edit
from tf2towers.codemod.file import File
from tf2towers.codemod.meanings import Assigned
from tf2towers.codemod.nodes import is_name, is_plain
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.towers.device import texts_in
from tf2towers.codemod.towers.loops import tower_loops
from tf2towers.codemod.towers.writing import fresh, has_strategy, written

_SETTER = "tf.train.replica_device_setter"
#: what only a program of several processes has
_OF_CLUSTERS = frozenset({"tf.train.Server", "tf.train.ClusterSpec", _SETTER})


def edits(file: File) -> Iterator[Edit]:
    """The scope of a strategy for each `tf.device` of a setter; else beside the devices of the cluster's tasks."""
    if has_strategy(file):
        return
    devices = [call for call in _devices(file) if not _is_of_a_tower(file, call)]
    entered = [call for call in devices if isinstance(file.parent(call), cst.WithItem)]
    done = [*_inline(file, devices), *_named(file, entered)]
    if not done and not written(file).strategies:
        done = [*_beside(file, entered)]
    yield from done


def _devices(file: File) -> list[cst.Call]:
    """The calls of `tf.device` with one argument."""
    return [
        call
        for call in file.all(cst.Call)
        if len(call.args) == 1 and is_plain(call.args[0]) and file.canonical(call.func) == "tf.device"
    ]


def _is_of_a_tower(file: File, call: cst.Call) -> bool:
    """Whether a device is entered in a tower's loop: its setter is for the GPU of the tower."""
    loops = {loop.node for loop in tower_loops(file)}
    return any(around in loops for around in file.ancestors(call))


def _inline(file: File, devices: list[cst.Call]) -> Iterator[Edit]:
    """`with tf.device(tf.train.replica_device_setter(...)):`."""
    text = file.text
    for call in devices:
        setter = call.args[0].value
        if not isinstance(setter, cst.Call) or file.canonical(setter.func) != _SETTER:
            continue
        after = text.text[text.end(setter) : text.end(call)]
        if "#" in text.text[text.start(call) : text.end(setter.func)] + after:
            continue
        name = file.need("ParameterServerStrategy")
        if not setter.args:  # without servers it takes away the devices around it
            yield Edit(text.start(call), text.end(call), f"{name}(ps_tasks=0).scope()", whole=True)
            continue
        yield Edit(text.start(call), text.end(setter.func), name, whole=True)
        yield Edit(text.end(setter), text.end(call), ".scope()", whole=True)


def _named(file: File, entered: list[cst.Call]) -> Iterator[Edit]:
    """`setter = tf.train.replica_device_setter(...)`, where it is only entered: `with tf.device(setter):`."""
    by_use = {call.args[0].value: call for call in entered}
    for statement in file.all(cst.Assign):
        setter = statement.value
        if not isinstance(setter, cst.Call) or file.canonical(setter.func) != _SETTER or not setter.args:
            continue
        target = statement.targets[0].target
        if len(statement.targets) > 1 or not is_name(target):
            continue
        found = file.meanings.scope(target).lookup(target.value)
        if found is None or [type(binding) for binding in found[1]] != [Assigned]:
            continue
        if isinstance(found[0].node, cst.Module) and not file.main:
            continue
        uses = [
            name
            for name in file.all(cst.Name)
            if name.value == target.value and name is not target
            and file.meanings.scope(name).lookup(name.value) == found
        ]  # fmt: skip
        if not uses or not all(use in by_use for use in uses):
            continue
        strategy = fresh(file, target, ("strategy", "parameter_server_strategy"))
        yield file.replace(target, strategy)
        yield Edit(
            file.text.start(setter.func), file.text.end(setter.func),
            file.need("ParameterServerStrategy"), whole=True,
        )  # fmt: skip
        for use in uses:
            call = by_use[use]
            yield Edit(file.text.start(call), file.text.end(call), f"{strategy}.scope()", whole=True)


def _beside(file: File, entered: list[cst.Call]) -> Iterator[Edit]:
    """The scope beside a device that names a task of the cluster, or that a function chooses."""
    if not any(canonical in _OF_CLUSTERS for other in file.program.files for _, canonical in other.symbols):
        return
    found = [call for call in entered if _is_of_a_task(call.args[0].value)]
    within = {file.parent(file.parent(call)) for call in found}
    outermost = [call for call in found if not within & set(list(file.ancestors(call))[2:])]
    if not outermost:
        return
    strategy = f"{file.need('ParameterServerStrategy')}()"
    if len(outermost) > 1:
        name = fresh(file, file.tree.module, ("strategy",))
        file.open_with(f"{name} = {strategy}")
        strategy = name
    for call in outermost:
        start = file.text.start(call)
        yield Edit(start, start, f"{strategy}.scope(), ")


def _is_of_a_task(device: cst.BaseExpression) -> bool:
    """Whether a device may name a task of the cluster: it says so, or is a name or a call that says nothing."""
    texts = texts_in(device)
    return any("job:" in text for text in texts) or not texts


RULE = Rule(
    code="T2T630",
    title="A replica_device_setter's device is a strategy's scope",
    why="""
    `with tf.device(tf.train.replica_device_setter(...)):` puts variables on the parameter servers and the rest of a
    worker's graph on the worker. It becomes the scope of a `ParameterServerStrategy` with the setter's own arguments,
    and so does a setter that has a name and is only entered. A setter that is handed on, or that is the device of a
    tower, stays a device function. Where a cluster's graph names its tasks itself, the scope of a strategy without
    arguments stands beside these devices, and chooses none.
    """,
    edits=edits,
    sources=("tf.distribute.ParameterServerStrategy", "tf.compat.v1.train.replica_device_setter"),
    examples=(
        Example(
            "a setter's device",
            "import tensorflow as tf\n"
            "\n"
            "cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1']})\n"
            "with tf.device(tf.train.replica_device_setter(worker_device='/job:worker/task:0', cluster=cluster)):\n"
            "    w = tf.get_variable('w', [])\n",
            "import tensorflow.compat.v1 as tf\n"
            "from tf2towers.runtime import ParameterServerStrategy, graph_mode\n"
            "\n"
            "graph_mode()\n"
            "\n"
            "cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1']})\n"
            "with ParameterServerStrategy(worker_device='/job:worker/task:0', cluster=cluster).scope():\n"
            "    w = tf.get_variable('w', [])\n",
        ),
        Example(
            "a setter with a name",
            "import tensorflow as tf\n"
            "\n"
            "cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1']})\n"
            "setter = tf.train.replica_device_setter(cluster=cluster)\n"
            "with tf.device(setter):\n"
            "    w = tf.get_variable('w', [])\n",
            "import tensorflow.compat.v1 as tf\n"
            "from tf2towers.runtime import ParameterServerStrategy, graph_mode\n"
            "\n"
            "graph_mode()\n"
            "\n"
            "cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1']})\n"
            "strategy = ParameterServerStrategy(cluster=cluster)\n"
            "with strategy.scope():\n"
            "    w = tf.get_variable('w', [])\n",
        ),
        Example(
            "tasks that the graph names",
            "import tensorflow as tf\n"
            "\n"
            "cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1']})\n"
            "with tf.device('/job:ps/task:0'):\n"
            "    w = tf.get_variable('w', [])\n",
            "import tensorflow.compat.v1 as tf\n"
            "from tf2towers.runtime import ParameterServerStrategy, graph_mode\n"
            "\n"
            "graph_mode()\n"
            "\n"
            "cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1']})\n"
            "with ParameterServerStrategy().scope(), tf.device('/job:ps/task:0'):\n"
            "    w = tf.get_variable('w', [])\n",
        ),
    ),
)
