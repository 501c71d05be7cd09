"""Moving averages and summaries that the chief alone makes, of synchronous training: every worker does (T2T211).

The workers hold the same weights, so each averages what the chief did; there is no variable that only one of them has.
Summaries are made in the first replica only, by TensorFlow itself.
"""

from __future__ import annotations

import libcst as cst

from tf2towers.names.symbols import Names
from tf2towers.program.clusters import Cluster, find_cluster
from tf2towers.program.find import assigned_name, find_all

_AVERAGE = "tf.train.ExponentialMovingAverage"
_JOINING = frozenset({"tf.no_op", "tf.group"})
_module = cst.Module([])
_Statements = cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]


def averages_of_chief(module: cst.Module, names: Names) -> list[cst.If]:
    """Each `if is_chief:` around averages and what waits for them, or summaries, of synchronous training."""
    cluster = find_cluster(module, names)
    if not isinstance(cluster, Cluster) or cluster.synchronous is None:
        return []
    always = _module.code_for_node(cluster.synchronous) == "True"
    chief = _chief_names(module, cluster)
    averages = {
        assigned_name(assign)
        for assign in find_all(module, cst.Assign)
        if isinstance(assign.value, cst.Call) and names.canonical(assign.value.func) == _AVERAGE
    }
    return [
        block
        for block in find_all(module, cst.If)
        if block.orelse is None
        and (
            (isinstance(block.test, cst.Name) and block.test.value in chief) or _is_chief(block.test, cluster)
        )
        and isinstance(block.body, cst.IndentedBlock)
        and (
            (always and all(_only_averages(one, names, averages) for one in block.body.body))
            or all(_is_summary(one, names) for one in block.body.body)
        )
    ]


def without_condition(module: cst.Module, blocks: list[cst.If]) -> cst.Module:
    """The module with what is in these blocks in their places."""
    changed = module.visit(_Open(blocks))
    assert isinstance(changed, cst.Module)
    return changed


def the_same(blocks: list[cst.If], module: cst.Module) -> list[cst.If]:
    """These blocks as they stand in another text of the program, where helpers may be functions still."""
    wanted = {_lines(block) for block in blocks}
    return [block for block in find_all(module, cst.If) if _lines(block) in wanted]


def _lines(block: cst.If) -> tuple[str, ...]:
    return tuple(line.strip() for line in _module.code_for_node(block).splitlines() if line.strip())


def _chief_names(module: cst.Module, cluster: Cluster) -> set[str]:
    """Names that mean 'this is worker 0' wherever they are bound."""
    bound: dict[str, list[bool]] = {}
    for assign in find_all(module, cst.Assign):
        name = assigned_name(assign)
        if name is not None:
            bound.setdefault(name, []).append(_is_chief(assign.value, cluster))
    return {name for name, found in bound.items() if all(found)}


def _is_chief(test: cst.BaseExpression, cluster: Cluster) -> bool:
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return False
    (target,) = test.comparisons
    return (
        isinstance(target.operator, cst.Equal)
        and isinstance(target.comparator, cst.Integer)
        and target.comparator.value == "0"
        and _code(test.left) == _code(cluster.task_index)
    )


def _code(node: cst.BaseExpression) -> str:
    return _module.code_for_node(node.with_changes(lpar=[], rpar=[]))


def _is_summary(node: cst.CSTNode, names: Names) -> bool:
    if not isinstance(node, cst.SimpleStatementLine):
        return False
    return all(
        isinstance(small, cst.Expr)
        and isinstance(small.value, cst.Call)
        and str(names.canonical(small.value.func)).startswith("tf.summary.")
        for small in node.body
    )


def _only_averages(node: cst.BaseStatement, names: Names, averages: set[str | None]) -> bool:
    if isinstance(node, cst.With):
        items = [one.item for one in node.items]
        waits = all(
            isinstance(one, cst.Call) and names.canonical(one.func) == "tf.control_dependencies"
            for one in items
        )
        return waits and all(_only_averages(one, names, averages) for one in node.body.body)  # type: ignore[arg-type]
    if not isinstance(node, cst.SimpleStatementLine):
        return False
    return all(
        isinstance(small, cst.Assign)
        and isinstance(small.value, cst.Call)
        and _is_averaging(small.value, names, averages)
        for small in node.body
    )


def _is_averaging(call: cst.Call, names: Names, averages: set[str | None]) -> bool:
    canonical = names.canonical(call.func)
    if canonical in _JOINING:
        inner = [one for argument in call.args for one in find_all(argument, cst.Call)]
        return all(_is_averaging(one, names, averages) for one in inner)
    if canonical == _AVERAGE:
        return True
    func = call.func
    return (
        isinstance(func, cst.Attribute)
        and func.attr.value == "apply"
        and isinstance(func.value, cst.Name)
        and func.value.value in averages
    )


class _Open(cst.CSTTransformer):
    def __init__(self, blocks: list[cst.If]) -> None:
        self._blocks = blocks

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> _Statements:
        if original_node not in self._blocks:
            return updated_node
        body = updated_node.body
        assert isinstance(body, cst.IndentedBlock)
        first, *rest = body.body
        lines = [*updated_node.leading_lines, *getattr(first, "leading_lines", ())]
        return cst.FlattenSentinel([first.with_changes(leading_lines=lines), *rest])
