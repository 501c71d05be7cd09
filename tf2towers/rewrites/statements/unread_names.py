"""Names that nothing reads any more: `worker_device = '/job:worker/task:%d' % i`, `train_op = tf.group(...)`."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from tf2towers.program.python_code.search import assigned_name, find_all, only_small

#: what reads names that are not written
_BY_NAME = frozenset({"eval", "exec", "locals", "vars", "dir"})
#: what a value is bound to that nobody wants
_UNREAD = "_"


def without_unread_names(
    statements: Sequence[cst.BaseStatement], candidates: set[str]
) -> list[cst.BaseStatement]:
    """The statements without assignments to names among `candidates` that none of them reads; those with calls stay."""
    kept = list(statements)
    if _named(kept) & _BY_NAME:
        return kept
    while True:
        left = _without_assignments(kept, candidates - _named(kept))
        if _same(left, kept):
            return kept
        kept = left


def _same(left: Sequence[cst.CSTNode], right: Sequence[cst.CSTNode]) -> bool:
    return len(left) == len(right) and all(new is old for new, old in zip(left, right, strict=True))


def _without_assignments(
    statements: Sequence[cst.BaseStatement], unread: set[str]
) -> list[cst.BaseStatement]:
    left: list[cst.BaseStatement] = []
    for statement in statements:
        if isinstance(statement, cst.If):
            branch = _branch_without(statement, unread)
            left += [branch] if branch is not None else []
        elif not _assigns(statement, unread):
            left.append(statement)
    return left


def _branch_without(node: cst.If, unread: set[str]) -> cst.If | None:
    """An `if` without such assignments in any of its blocks; None where nothing is left of it."""
    if not isinstance(node.body, cst.IndentedBlock):
        return node
    body = _without_assignments(node.body.body, unread)
    other: cst.If | cst.Else | None = node.orelse
    if isinstance(other, cst.If):
        other = _branch_without(other, unread)
    elif other is not None and isinstance(other.body, cst.IndentedBlock):
        rest = _without_assignments(other.body.body, unread)
        if not _same(rest, other.body.body):
            other = other.with_deep_changes(other.body, body=rest) if rest else None
    if not body and other is None and not find_all(node.test, cst.Call):
        return None
    if _same(body, node.body.body) and other is node.orelse:
        return node
    made = node.with_deep_changes(node.body, body=body or [cst.SimpleStatementLine([cst.Pass()])])
    return made.with_changes(orelse=other)


def _assigns(statement: cst.BaseStatement, unread: set[str]) -> bool:
    small = only_small(statement)
    if not isinstance(small, cst.Assign) or find_all(small.value, cst.Call):
        return False
    return assigned_name(small) in unread


def without_unread_results(body: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement]:
    """The statements of a step without names for what they do not read: `train_op = minimize(...)` is `minimize(...)`.

    A `tf.group` of names goes: TF1 needed it for a run to reach them, and a `tf.function` makes every update in it.
    """
    kept = list(body)
    while True:
        unread = _assigned(kept) - _named(kept)
        left = _without(kept, unread)
        if _same(left, kept):
            return kept
        kept = left


def _assigned(statements: Sequence[cst.BaseStatement]) -> set[str]:
    return {name.value for target in _targets(statements) for name in _names_of(target)} - {_UNREAD}


def _named(statements: Sequence[cst.BaseStatement]) -> set[str]:
    """The names that stand anywhere but where an assignment binds them."""
    bound = {name for target in _targets(statements) for name in _names_of(target)}
    return {
        name.value
        for statement in statements
        for name in find_all(statement, cst.Name)
        if name not in bound and name.value != _UNREAD
    }


def _targets(statements: Sequence[cst.BaseStatement]) -> list[cst.BaseExpression]:
    return [
        target.target
        for statement in statements
        for assign in find_all(statement, cst.Assign)
        for target in assign.targets
    ]


def _names_of(target: cst.BaseExpression) -> list[cst.Name]:
    """The names that a target binds; none where it is anything but a name or a tuple of names."""
    parts = [element.value for element in target.elements] if isinstance(target, cst.Tuple) else [target]
    return (
        [part for part in parts if isinstance(part, cst.Name)]
        if all(isinstance(part, cst.Name) for part in parts)
        else []
    )


def _without(statements: Sequence[cst.BaseStatement], unread: set[str]) -> list[cst.BaseStatement]:
    left: list[cst.BaseStatement] = []
    for statement in statements:
        left += _rewritten(statement, unread)
    return left


def _rewritten(statement: cst.BaseStatement, unread: set[str]) -> list[cst.BaseStatement]:
    """What stands for a statement: nothing, or one."""
    if isinstance(statement, cst.With):
        inner = _without(statement.body.body, unread)  # type: ignore[arg-type]
        if not inner or _same(inner, statement.body.body):
            return [statement]
        return [statement.with_deep_changes(statement.body, body=inner)]
    small = only_small(statement)
    if not isinstance(small, cst.Assign) or len(small.targets) != 1:
        return [statement]
    names = _names_of(small.targets[0].target)
    gone = [name for name in names if name.value in unread]
    if not gone:
        return [statement]
    if len(gone) < len(names):
        return [statement.with_deep_changes(small, targets=[_with_placeholders(small.targets[0], unread)])]
    if _is_group(small.value) or not find_all(small.value, cst.Call):
        return []
    if isinstance(small.value, cst.Call):
        return [statement.with_changes(body=[cst.Expr(small.value)])]
    return [statement]


def _with_placeholders(target: cst.AssignTarget, unread: set[str]) -> cst.AssignTarget:
    assert isinstance(target.target, cst.Tuple)
    elements = [
        element.with_changes(value=cst.Name(_UNREAD))
        if isinstance(element.value, cst.Name) and element.value.value in unread
        else element
        for element in target.target.elements
    ]
    return target.with_deep_changes(target.target, elements=elements)


def _is_group(value: cst.BaseExpression) -> bool:
    """Whether it is `tf.group(update, averages)`, of names alone."""
    return (
        isinstance(value, cst.Call)
        and isinstance(value.func, cst.Attribute)
        and isinstance(value.func.value, cst.Name)
        and (value.func.value.value, value.func.attr.value) == ("tf", "group")
        and all(
            isinstance(arg.value, cst.Name) or (arg.keyword is not None and arg.keyword.value == "name")
            for arg in value.args
        )
    )
