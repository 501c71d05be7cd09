"""Tensors that hooks log or check: the step hands them out by name (T2T120).

`tf.train.LoggingTensorHook({'loss': loss}, every_n_iter=10)` becomes `LoggingTensorHook({'loss': 'loss'}, ...)`, which
asks for the tensor by the name that a `watch(loss=loss)` behind the update gives it.
"""

from __future__ import annotations

import libcst as cst

from tf2towers.names.symbols import Names
from tf2towers.program.find import find_all
from tf2towers.program.flow import flow_of
from tf2towers.rewrites.context import statement

_HOOKS = {"tf.train.LoggingTensorHook": ("tensors",), "tf.train.NanTensorHook": ("loss_tensor", "loss")}
_UPDATES = ("minimize", "apply_gradients")


def with_watched(module: cst.Module, names: Names) -> tuple[cst.Module, list[cst.Call]]:
    """The module with such hooks asking by name, and the hooks; those whose tensors have no plain names stay."""
    replaced: dict[cst.CSTNode, cst.CSTNode] = {}
    hooks: list[cst.Call] = []
    behind: dict[cst.CSTNode, list[str]] = {}
    owners: list[cst.FunctionDef | cst.Module] = [
        one for one in module.body if isinstance(one, cst.FunctionDef)
    ]
    for owner in owners or [module]:
        wanted: dict[str, None] = {}
        found: list[cst.Call] = []
        for call in find_all(owner, cst.Call):
            made = _by_name(call, names)
            if made is not None:
                replaced[call] = made[0]
                wanted.update(dict.fromkeys(made[1]))
                found.append(call)
        if not wanted:
            continue
        place = _behind_update(owner, set(wanted))
        if place is None:
            return module, []
        behind[place] = list(wanted)
        hooks.extend(found)
    if not hooks:
        return module, []
    changed = module.visit(_Watch(replaced, behind))
    assert isinstance(changed, cst.Module)
    return changed, hooks


def hook_names(names: Names, hooks: list[cst.Call]) -> list[str]:
    """What the changed module has to import from the runtime."""
    return sorted({str(names.canonical(call.func)).rpartition(".")[2] for call in hooks} | {"watch"})


def _by_name(call: cst.Call, names: Names) -> tuple[cst.Call, list[str]] | None:
    canonical = names.canonical(call.func)
    if canonical not in _HOOKS or not call.args:
        return None
    first = call.args[0]
    if first.keyword is not None and first.keyword.value not in _HOOKS[canonical]:
        return None
    value = first.value
    found: list[str] = []
    if isinstance(value, cst.Name):
        found, quoted = [value.value], _quoted(value)
    elif (
        isinstance(value, cst.List | cst.Tuple) and all(isinstance(e.value, cst.Name) for e in value.elements)
    ) or (
        isinstance(value, cst.Dict)
        and all(isinstance(e, cst.DictElement) and isinstance(e.value, cst.Name) for e in value.elements)
    ):
        found = [e.value.value for e in value.elements if isinstance(e.value, cst.Name)]
        quoted = value.with_changes(elements=[e.with_changes(value=_quoted(e.value)) for e in value.elements])
    if not found:
        return None
    kind = canonical.rpartition(".")[2]
    if kind == "NanTensorHook" and not isinstance(value, cst.Name):
        return None
    args = [first.with_changes(value=quoted), *call.args[1:]]
    return call.with_changes(func=cst.Name(kind), args=args), found


def _quoted(node: cst.BaseExpression) -> cst.BaseExpression:
    assert isinstance(node, cst.Name)
    return cst.SimpleString(f"'{node.value}'")


def _behind_update(owner: cst.FunctionDef | cst.Module, wanted: set[str]) -> cst.CSTNode | None:
    """The last statement of the update's block that makes the update or one of the tensors."""
    for suite in [owner, *find_all(owner, cst.IndentedBlock)]:
        body = suite.body if not isinstance(suite, cst.FunctionDef) else ()
        lines = [one for one in body if isinstance(one, cst.SimpleStatementLine)]
        if not any(_updates(line) for line in lines):
            continue
        makers = [line for line in lines if _updates(line) or flow_of(line).binds & wanted]
        return makers[-1]
    return None


def _updates(line: cst.SimpleStatementLine) -> bool:
    return any(
        isinstance(call.func, cst.Attribute) and call.func.attr.value in _UPDATES
        for call in find_all(line, cst.Call)
    )


class _Watch(cst.CSTTransformer):
    def __init__(
        self, replaced: dict[cst.CSTNode, cst.CSTNode], behind: dict[cst.CSTNode, list[str]]
    ) -> None:
        self._replaced = replaced
        self._behind = behind

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        made = self._replaced.get(original_node, updated_node)
        assert isinstance(made, cst.BaseExpression)
        return made

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        wanted = self._behind.get(original_node)
        if wanted is None:
            return updated_node
        words = ", ".join(f"{name}={name}" for name in wanted)
        return cst.FlattenSentinel([updated_node, statement(f"watch({words})")])
