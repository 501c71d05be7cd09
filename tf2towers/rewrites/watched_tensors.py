"""Tensors that hooks log or check: the step hands them out by name (T2T120).

`tf.train.LoggingTensorHook({'loss': loss}, every_n_iter=10)` becomes `LoggingTensorHook({'loss': 'loss'}, ...)`, which
asks for the tensor by the name that a `watch(loss=loss)` behind the update gives it. So for a hook of the script's own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from tf2towers.names.symbols import Names
from tf2towers.program import kinds as k
from tf2towers.program.clusters import Cluster, find_cluster
from tf2towers.program.find import assigned_name, find_all
from tf2towers.program.flow import flow_of
from tf2towers.program.functions import Functions
from tf2towers.program.kinds import Kinds
from tf2towers.program.training import understand
from tf2towers.rewrites.context import statement
from tf2towers.rewrites.own_hooks import ARGS, BASE, own_hooks

_HOOKS = {"tf.train.LoggingTensorHook": ("tensors",), "tf.train.NanTensorHook": ("loss_tensor", "loss")}
_UPDATES = ("minimize", "apply_gradients")


@dataclass
class Watched:
    """What changes: nodes, the hooks among them as they were, the names that are watched, behind which statement."""

    replaced: dict[cst.CSTNode, cst.CSTNode] = field(default_factory=dict)
    hooks: list[cst.CSTNode] = field(default_factory=list)
    tensors: dict[str, None] = field(default_factory=dict)
    imported: set[str] = field(default_factory=set)


def with_watched(
    module: cst.Module, names: Names, functions: Functions
) -> tuple[cst.Module, list[cst.CSTNode], list[str]]:
    """The module with hooks that ask by name, those hooks, and what it has to import from the runtime.

    A hook whose tensors have no plain names stays, and what it is in then is told by the checks.
    """
    if not any(names.canonical(call.func) in {*_HOOKS, ARGS} for call in find_all(module, cst.Call)):
        return module, [], []
    cluster = find_cluster(module, names)
    if not isinstance(cluster, Cluster):
        return module, [], []
    kinds = understand(cluster.tower(), names, functions).kinds
    found = Watched()
    for call in find_all(cluster.owner, cst.Call):
        if names.canonical(call.func) in _HOOKS:
            _read_hook(call, names, kinds, cluster, found)
    for definition in own_hooks(module, names):
        _read_own(definition, names, kinds, cluster, found)
    place = _behind_update(cluster.owner, set(found.tensors))
    if not found.tensors or place is None:
        return module, [], []
    changed = module.visit(_Watch(found.replaced, place, list(found.tensors)))
    assert isinstance(changed, cst.Module)
    return changed, found.hooks, sorted({*found.imported, "watch"})


def _read_hook(call: cst.Call, names: Names, kinds: Kinds, cluster: Cluster, found: Watched) -> None:
    canonical = str(names.canonical(call.func))
    first = call.args[0] if call.args else None
    if first is None or (first.keyword is not None and first.keyword.value not in _HOOKS[canonical]):
        return
    value, literal = first.value, _literal(first.value, cluster)
    quoted = _quoted(literal if literal is not None else value, kinds)
    if quoted is None:
        return
    if literal is not None:
        found.replaced[literal] = quoted[0]
    else:
        first = first.with_changes(value=quoted[0])
    kind = canonical.rpartition(".")[2]
    found.replaced[call] = call.with_changes(func=cst.Name(kind), args=[first, *call.args[1:]])
    found.hooks.append(call)
    found.tensors.update(dict.fromkeys(quoted[1]))
    found.imported.add(kind)


def _read_own(definition: cst.ClassDef, names: Names, kinds: Kinds, cluster: Cluster, found: Watched) -> None:
    """A hook of the script's own: what it asks for in `SessionRunArgs`, and the tensors it is made with."""
    changed: dict[cst.CSTNode, cst.CSTNode] = {}
    tensors: list[str] = []
    for call in find_all(definition, cst.Call):
        if names.canonical(call.func) != ARGS:
            continue
        if len(call.args) != 1:
            return
        value = call.args[0].value
        quoted = (value, []) if _is_of_self(value) else _quoted(value, kinds)
        if quoted is None:
            return
        tensors += quoted[1]
        args = [call.args[0].with_changes(value=quoted[0])]
        changed[call] = call.with_changes(func=cst.Name("SessionRunArgs"), args=args)
        found.imported.add("SessionRunArgs")
    for call in find_all(cluster.owner, cst.Call):
        if isinstance(call.func, cst.Name) and call.func.value == definition.name.value:
            args = []
            for argument in call.args:
                if k.family(kinds.of(argument.value)) == k.PLAIN:
                    args.append(argument)
                    continue
                quoted = _quoted(argument.value, kinds)
                if quoted is None:
                    return
                tensors += quoted[1]
                args.append(argument.with_changes(value=quoted[0]))
            changed[call] = call.with_changes(args=args)
    for base in definition.bases:
        if names.canonical(base.value) == BASE:
            changed[base.value] = cst.Name("SessionRunHook")
    found.imported.add("SessionRunHook")
    found.replaced |= changed
    found.hooks.append(definition)
    found.tensors.update(dict.fromkeys(tensors))


def _is_of_self(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == "self"


def _literal(node: cst.BaseExpression, cluster: Cluster) -> cst.BaseExpression | None:
    """The dict or list that a name holds, where it is bound once."""
    if not isinstance(node, cst.Name):
        return None
    bound = [a.value for a in find_all(cluster.owner, cst.Assign) if assigned_name(a) == node.value]
    return bound[0] if len(bound) == 1 and isinstance(bound[0], cst.Dict | cst.List | cst.Tuple) else None


def _quoted(node: cst.BaseExpression, kinds: Kinds) -> tuple[cst.BaseExpression, list[str]] | None:
    """Names of tensors and variables as strings, in the structure they are in, and the names; None for others."""
    if isinstance(node, cst.Name):
        if k.family(kinds.of(node)) != k.TENSOR and kinds.of(node) != k.STATE:
            return None
        return cst.SimpleString(f"'{node.value}'"), [node.value]
    if not isinstance(node, cst.List | cst.Tuple | cst.Dict):
        return None
    elements, found = [], []
    for element in node.elements:
        inner = _quoted(element.value, kinds)
        if inner is None or isinstance(element, cst.StarredElement | cst.StarredDictElement):
            return None
        elements.append(element.with_changes(value=inner[0]))
        found += inner[1]
    return node.with_changes(elements=elements), found


def _behind_update(owner: cst.FunctionDef | cst.Module, wanted: set[str]) -> cst.CSTNode | None:
    """The last statement of the update's block that makes the update or one of the tensors."""
    for suite in [owner, *find_all(owner, cst.IndentedBlock)]:
        body = suite.body if not isinstance(suite, cst.FunctionDef) else ()
        lines = [one for one in body if isinstance(one, cst.SimpleStatementLine)]
        if any(_updates(line) for line in lines):
            return [line for line in lines if _updates(line) or flow_of(line).binds & wanted][-1]
    return None


def _updates(line: cst.SimpleStatementLine) -> bool:
    calls = find_all(line, cst.Call)
    return any(isinstance(c.func, cst.Attribute) and c.func.attr.value in _UPDATES for c in calls)


class _Watch(cst.CSTTransformer):
    def __init__(
        self, replaced: dict[cst.CSTNode, cst.CSTNode], place: cst.CSTNode, wanted: list[str]
    ) -> None:
        self._replaced = replaced
        self._place = place
        self._wanted = wanted

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> object:  # type: ignore[override]
        if original_node is self._place:
            words = ", ".join(f"{name}={name}" for name in self._wanted)
            return cst.FlattenSentinel([updated_node, statement(f"watch({words})")])
        return self._replaced.get(original_node, updated_node)
