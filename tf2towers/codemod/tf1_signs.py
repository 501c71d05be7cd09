"""What only TF 1 has, beside its names: methods, keywords, functions of devices. Plain TF 2 stops at each of them.

A program of none but such signs is one of TF 1 as well: `dataset.make_one_shot_iterator()`, `x.get_shape()[0].value`,
`tf.reduce_sum(x, keep_dims=True)`, `with tf.device(function):`, `tf.ones([2]).op`. So is one on names that standalone
Keras had until Keras 3, `from keras.layers.core import Dense`, where it is one for Keras 2.2, and the runtime's serves
all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import libcst as cst
import libcst.matchers as m

from tf2towers.codemod import nodes
from tf2towers.codemod.meanings import Defined
from tf2towers.codemod.program import File, found_once
from tf2towers.codemod.reached import branches_around
from tf2towers.codemod.standalone_keras import find_unserved, gone_from_keras, is_older_than_2_3
from tf2towers.codemod.symbols import read_table

#: what turns eager execution on
EAGER = frozenset({
    "tf.enable_eager_execution", "tf.enable_v2_behavior", "tf.contrib.eager.enable_eager_execution",
})  # fmt: skip
#: what reached into other processes, unless the target is this one: ''
_RESETS = ("tf.Session.reset", "tf.InteractiveSession.reset")
_MODES = "tf.estimator.ModeKeys"

#: methods of TF 1's data sets, by names that nothing else has
_METHODS = frozenset({"make_one_shot_iterator", "make_initializable_iterator"})
#: attributes of TF 1's data sets
_OF_DATASETS = frozenset({"output_types", "output_shapes", "output_classes"})
#: `x.get_shape()` and `x.shape`, whose items were of a class `Dimension`
_SHAPE = m.Call(m.Attribute(attr=m.Name("get_shape")), args=[]) | m.Attribute(attr=m.Name("shape"))
#: class methods that only TF 1's classes have, and functions of sessions that only TF 1's Keras has
_OF_CLASSES = frozenset({
    "tf.data.Dataset.from_sparse_tensor_slices", "tf.data.Iterator.from_string_handle",
    "tf.data.Iterator.from_structure", "tf.keras.backend.get_session", "tf.keras.backend.set_session",
})  # fmt: skip
#: keywords of a class whose `__init__` TF 2 does not show
_OF_VARIABLES = {"tf.Variable": frozenset({"collections", "expected_shape", "use_resource"})}
#: names that plain TF 2 has, and that raise where no graph is built
_OF_GRAPHS = frozenset({"tf.gradients", "tf.hessians"})
#: functions that return a tensor, and one that returns a variable
_TENSORS = frozenset({
    "tf.abs", "tf.add", "tf.add_n", "tf.argmax", "tf.cast", "tf.concat", "tf.constant", "tf.convert_to_tensor",
    "tf.divide", "tf.equal", "tf.exp", "tf.expand_dims", "tf.fill", "tf.gather", "tf.greater", "tf.identity", "tf.less",
    "tf.matmul", "tf.maximum", "tf.minimum", "tf.multiply", "tf.nn.bias_add", "tf.nn.conv2d", "tf.nn.relu",
    "tf.nn.sigmoid", "tf.nn.softmax", "tf.nn.tanh", "tf.one_hot", "tf.ones", "tf.pow", "tf.random.normal",
    "tf.random.uniform", "tf.range", "tf.reduce_max", "tf.reduce_mean", "tf.reduce_min", "tf.reduce_prod",
    "tf.reduce_sum", "tf.reshape", "tf.sigmoid", "tf.sqrt", "tf.square", "tf.squeeze", "tf.stack", "tf.subtract",
    "tf.tanh", "tf.tile", "tf.transpose", "tf.Variable", "tf.where", "tf.zeros", "tf.zeros_like",
})  # fmt: skip
#: functions that return an operation in a graph, and nothing without one
_OPERATIONS = frozenset({"tf.group", "tf.no_op"})
#: attribute -> the functions whose results have it in a graph, and lack it without one
_OF_GRAPHS_ALONE = {
    **dict.fromkeys(("consumers", "eval", "graph", "op"), _TENSORS | _OPERATIONS),
    "name": _TENSORS - {"tf.Variable"} | _OPERATIONS,
    "run": _OPERATIONS,
    "initialized_value": frozenset({"tf.Variable"}),
}
#: what builds a graph in TF 2, or runs functions of a program in one
_BUILDERS = re.compile(
    r"tf\.(Graph|GradientTape|Module|autograph|compat|data|distribute|estimator|function|graph_util|keras|map_fn|"
    r"numpy_function|py_function|saved_model|scan|while_loop|cond|case|switch_case|vectorized_map|wrap_function)\b"
)


@cache
def _keywords() -> dict[str, frozenset[str]]:
    return {name: frozenset(words.split()) for name, words in read_table("data/only_tf1_keywords.tsv")}


@found_once
def has_tf1_sign(file: File) -> bool:
    """True if a file has such a sign that nothing guards: a `try`, or a test of a version or an attribute."""
    return any(not _is_guarded(file, node) for node in _signs(file))


def _signs(file: File) -> Iterator[cst.CSTNode]:
    gone = [node for node, _ in gone_from_keras(file)]
    if gone and is_older_than_2_3(file.program) and find_unserved(file.program) is None:
        yield from gone  # its models are graphs
    read = filter(file.is_read, file.all(cst.Attribute))
    yield from (node for node in read if _is_lost(file, node))
    for call in file.all(cst.Call):
        canonical = file.canonical(call.func)
        if canonical is None or not isinstance(call.func, nodes.Symbol) or not file.names.is_plain(call.func):
            continue
        given = {nodes.keyword_of(each) for each in nodes.keywords(call)}
        lost = _keywords().get(canonical, _OF_VARIABLES.get(canonical, frozenset()))
        old = canonical in _OF_CLASSES or not given.isdisjoint(lost)
        of_graph = canonical in _OF_GRAPHS and not any(map(_names_keras, file.program.files))
        placed = canonical == "tf.device" and call.args and _is_function(file, call.args[0].value)
        if old or of_graph or placed:
            yield call


def _is_lost(file: File, node: cst.Attribute) -> bool:
    """True if an attribute is one that TF 2's data sets and shapes lack."""
    name = node.attr.value
    if name in _METHODS:
        return name not in file.program.own_names and isinstance(file.parent(node), cst.Call)
    if name in _OF_DATASETS:
        return _is_dataset(file, node.value)
    if name in _OF_GRAPHS_ALONE and _is_made_by(file, node.value, _OF_GRAPHS_ALONE[name]):
        return _is_eager_there(file)
    return name == "value" and _is_dimension(file, node.value)


def _is_made_by(file: File, node: cst.CSTNode, functions: frozenset[str], depth: int = 0) -> bool:
    """True if an expression is certainly what one of TensorFlow's functions returns, or computed of that."""
    if isinstance(node, cst.BinaryOperation):
        return any(_is_made_by(file, side, functions, depth) for side in (node.left, node.right))
    if isinstance(node, cst.Call):
        return isinstance(node.func, nodes.Symbol) and file.canonical(node.func) in functions
    if not nodes.is_name(node) or depth > 3:
        return False
    values = file.meanings.values(node)
    return bool(values) and all(
        isinstance(each, cst.Call | cst.BinaryOperation) and _is_made_by(file, each, functions, depth + 1)
        for each in values
    )


def _is_eager_there(file: File) -> bool:
    """True if TF 2 certainly runs code outside of a graph: no file of the program names what builds one."""
    names = (canonical for each in file.program.files for _, canonical in each.symbols)
    return not any(map(_BUILDERS.match, names))


def _names_keras(file: File) -> bool:
    """True if a file names Keras, which makes graphs of a loss by itself in TF 2."""
    return re.search(r"\bkeras\b", file.script.text) is not None


def _is_dataset(file: File, node: cst.CSTNode | None, depth: int = 0) -> bool:
    """True if an expression is certainly made of `tf.data`: `tf.data.Dataset.range(3).batch(2)`, or a name for it."""
    while isinstance(node, cst.Call | cst.Attribute):
        canonical = file.canonical(node) if isinstance(node, cst.Attribute) else None
        if canonical is not None and canonical.startswith("tf.data."):
            return "compat.v1" not in (nodes.dotted(node) or "")
        node = node.func if isinstance(node, cst.Call) else node.value
    if not nodes.is_name(node) or depth > 3:
        return False
    values = file.meanings.values(node)
    return bool(values) and all(each is not node and _is_dataset(file, each, depth + 1) for each in values)


def _is_dimension(file: File, node: cst.CSTNode) -> bool:
    """True if an expression is an item of a shape: `x.get_shape()[1]`, or the variable of a loop over a shape."""
    if isinstance(node, cst.Subscript):
        return isinstance(nodes.index_of(node), cst.BaseExpression) and m.matches(node.value, _SHAPE)
    loop = file.tree.loop_of(node)
    if loop is None or not isinstance(loop.target, cst.Name):
        return False
    return m.matches(loop.iter, m.Call(m.Attribute(attr=m.Name("get_shape")), args=[]))


def _is_function(file: File, given: cst.BaseExpression) -> bool:
    """True if what `tf.device` is given is certainly a function, or an object that is called like one."""
    match given:
        case cst.Lambda():
            return True
        case cst.Attribute(value=cst.Name("self"), attr=attribute):
            around = file.around(given, cst.ClassDef)
            return around is not None and attribute.value in _methods(around)
        case cst.Call(func=function):
            made_by = file.meanings.bindings(function)
            return bool(made_by) and all(
                isinstance(each, Defined) and _makes_function(each.node) for each in made_by
            )
    made = [getattr(each, "value", getattr(each, "node", None)) for each in file.meanings.bindings(given)]
    return bool(made) and all(
        isinstance(each, cst.FunctionDef)
        or (isinstance(each, cst.Call | cst.Lambda) and _is_function(file, each))
        for each in made
    )


def _makes_function(definition: cst.FunctionDef | cst.ClassDef) -> bool:
    """True if a class has objects that are called, or a function returns one that is defined in it."""
    if isinstance(definition, cst.ClassDef):
        return "__call__" in _methods(definition)
    body = nodes.block(definition)
    inner = {each.name.value for each in body if isinstance(each, cst.FunctionDef)}
    returned = [each.value for each in nodes.walk(definition) if isinstance(each, cst.Return)]
    return any(nodes.is_name(value) and value.value in inner for value in returned)


def _methods(definition: cst.ClassDef) -> set[str]:
    return {
        each.name.value
        for each in nodes.block(definition)
        if isinstance(each, cst.FunctionDef) and not nodes.decorators(each)
    }


def _is_guarded(file: File, node: cst.CSTNode) -> bool:
    """True if the program goes on where the sign fails, or asks before it."""
    asks = re.compile(r"version|hasattr|eager", re.IGNORECASE)
    tests = (file.text.of(test) for test, _ in branches_around(file, node))
    return next(file.tree.tries_around(node), None) is not None or any(map(asks.search, tests))


def is_eager(file: File) -> bool:
    """True if a file turns eager execution on: then nothing of its program is touched."""
    return any(canonical in EAGER for _, canonical in file.symbols)


def is_estimator_of_tf2(file: File, node: cst.CSTNode, canonical: str) -> bool:
    """True if it may be an Estimator of TF 2, which had `tf.estimator` until 2.15, with other losses and optimizers.

    That is so in a program that runs on TF 2, and in one where all else is in TF 2 as well.
    """
    if not canonical.startswith("tf.estimator.") or canonical.startswith(f"{_MODES}."):
        return False
    is_tf1s = file.program.is_tf1 and not file.program.plain_is_tf2
    return (
        not is_tf1s and isinstance(node, nodes.Symbol) and file.names.is_plain(node) and canonical != _MODES
    )


def resets_a_server(file: File, node: cst.CSTNode) -> bool:
    """True if it is `tf.Session.reset`, unless it is certainly called for the sessions of this process."""
    if (
        not isinstance(node, cst.Attribute)
        or node.attr.value != "reset"
        or file.canonical(node) not in _RESETS
    ):
        return False
    call = file.parent(node)
    if not isinstance(call, cst.Call) or call.func is not node:
        return True
    return nodes.literal(nodes.argument(call, 0, "target")) not in ("", "local", None)


def builds_towers(file: File, node: cst.CSTNode, canonical: str) -> bool:
    """True if a symbol is the function that builds towers, read through a module of TensorFlow's."""
    return (
        canonical == "tf.contrib.estimator.replicate_model_fn"
        and isinstance(node, cst.Attribute)
        and file.is_read(node)
        and file.program.is_tf1
        and not file.program.plain_is_tf2
    )


# -- the strategies of Estimators --------------------------------------------------------------------------------------

_MIRRORED = frozenset({
    "tf.contrib.distribute.MirroredStrategy", "tf.distribute.MirroredStrategy",
})  # fmt: skip
_ONE_DEVICE = frozenset({
    "tf.contrib.distribute.OneDeviceStrategy", "tf.distribute.OneDeviceStrategy",
})  # fmt: skip
_SERVERS = frozenset({
    "tf.contrib.distribute.ParameterServerStrategy", "tf.distribute.experimental.ParameterServerStrategy",
})  # fmt: skip
_MADE = _MIRRORED | _ONE_DEVICE | _SERVERS
#: how gradients are added up, which changes no sum
_REDUCTIONS = frozenset({
    "AllReduceCrossDeviceOps", "AllReduceCrossTowerOps", "HierarchicalCopyAllReduce", "NcclAllReduce",
    "ReductionToOneDevice", "ReductionToOneDeviceCrossDeviceOps",
})  # fmt: skip
#: whether a strategy has been entered
ASK_FOR_STRATEGY = frozenset({
    "tf.contrib.distribute.has_distribution_strategy", "tf.contrib.distribute.has_strategy",
    "tf.distribute.has_strategy",
})  # fmt: skip
_WITHOUT_EFFECT = {"cross_device_ops", "cross_tower_ops", "prefetch_on_device"}
#: what a program does with a strategy by itself
_USED = frozenset({
    "call_for_each_replica", "call_for_each_tower", "distribute_dataset", "experimental_distribute_dataset",
    "experimental_run", "experimental_run_v2", "extended", "make_dataset_iterator", "make_input_fn_iterator",
    "num_towers", "scope", "unwrap", "worker_devices",
})  # fmt: skip


def is_for_estimators(file: File, node: cst.CSTNode, canonical: str) -> bool:
    """True if a symbol is a strategy that an Estimator of the program is given, or how that adds up gradients."""
    if "distribute" not in canonical.split(".") or not only_estimators_have_strategies(file):
        return False
    return canonical in ASK_FOR_STRATEGY or any(
        isinstance(around, cst.Call) and strategy_for_estimator(file, around) is not None
        for around in file.ancestors(node)
    )


@found_once
def only_estimators_have_strategies(file: File) -> bool:
    """True if the program gives strategies to `train_distribute=` and `eval_distribute=`, and does no more with them.

    It may ask a strategy of towers for their number. `self.scope` is no strategy's where a class gives it a value.
    """
    files = file.program.files
    calls = (call for each in files for call in each.all(cst.Call))
    words = {nodes.keyword_of(given) for call in calls for given in call.args}
    attributes = [(each, node) for each in files for node in each.all(cst.Attribute)]
    of_self = [(each, node) for each, node in attributes if _is_of_self(node)]
    own = {node.attr.value for each, node in of_self if each.is_bound(node)}
    read = {node.attr.value for _, node in attributes if not (node.attr.value in own and _is_of_self(node))}
    names = {name for each in files for _, name in each.symbols}
    named = {name for name in names if "distribute" in name.split(".")}
    others = {name.rpartition(".")[2] for name in named - _MADE - ASK_FOR_STRATEGY}
    is_given = "train_distribute" in words and "experimental_distribute" not in words
    asks_servers = "num_replicas_in_sync" in read and not named.isdisjoint(_SERVERS)
    return is_given and read.isdisjoint(_USED) and others <= _REDUCTIONS and not asks_servers


def _is_of_self(node: cst.Attribute) -> bool:
    return nodes.is_name(node.value) and node.value.value == "self"


def strategy_for_estimator(file: File, call: cst.Call) -> tuple[str, str, cst.BaseExpression | None] | None:
    """The runtime's strategy, its arguments as a template, and the one that is given there.

    None if the call makes no strategy, or has other arguments.
    """
    canonical = file.canonical(call.func)
    if canonical not in _MADE or any(given.star for given in call.args):
        return None
    first = ("devices", "num_gpus") if canonical in _MIRRORED else ("device",)
    if canonical in _SERVERS:
        first = ("num_gpus_per_worker",)
    if len([given for given in call.args if not given.keyword]) > len(first):
        return None
    values = {nodes.keyword_of(given) or first[at]: given.value for at, given in enumerate(call.args)}
    wanted = {name: value for name, value in values.items() if name not in _WITHOUT_EFFECT}
    wanted = {name: value for name, value in wanted.items() if not nodes.is_none(value)}
    if canonical in _SERVERS:
        count = wanted.pop("num_gpus_per_worker", None)
        served = count is None or nodes.literal(count) in (0, 1)
        return ("ParameterServerStrategy", "", None) if served and not wanted else None
    known = {"device", "devices", "num_gpus", "num_gpus_per_worker"}
    if len(wanted) > 1 or not known.issuperset(wanted):
        return None
    given = "{given}" if wanted else ""
    given = f"[{given}]" if canonical in _ONE_DEVICE else given
    return "TowerStrategy", given, next(iter(wanted.values()), None)
