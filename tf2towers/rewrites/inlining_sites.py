"""Which call of a helper is to be written out: it makes a part of the program, once, and can stand in the caller."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from tf2towers.names.symbols import Names
from tf2towers.program.find import find_all
from tf2towers.program.flow import flow_of
from tf2towers.program.functions import Functions
from tf2towers.program.roles import role

_ROLES = frozenset(
    {"placeholder", "optimizer", "placement", "synchronous", "supervisor", "monitored", "session"}
)
_SESSION_MAKERS = frozenset({"managed_session", "prepare_or_wait_for_session", "wait_for_session"})


@dataclass
class Site:
    """A call that makes up a statement, the function it calls, and the names that take its results."""

    line: cst.SimpleStatementLine
    call: cst.Call
    function: cst.FunctionDef
    target: cst.BaseExpression | None


def functions_of(module: cst.Module) -> list[cst.FunctionDef]:
    """The functions of the module itself."""
    return [one for one in module.body if isinstance(one, cst.FunctionDef)]


def next_site(module: cst.Module, names: Names, functions: Functions) -> Site | None:
    """The first call, in the function that makes the server, that is to be written out."""
    by_name = {one.name.value: one for one in functions_of(module)}
    owner = next(
        (
            f
            for f in by_name.values()
            if any(names.canonical(c.func) == "tf.train.Server" for c in find_all(f, cst.Call))
        ),
        None,
    )
    if owner is None:
        return None
    uses = _uses(module)
    for line in find_all(owner, cst.SimpleStatementLine):
        small = line.body[0] if len(line.body) == 1 else None
        value = small.value if isinstance(small, cst.Assign | cst.Expr) else None
        if not isinstance(value, cst.Call) or not isinstance(value.func, cst.Name):
            continue
        function = by_name.get(value.func.value)
        if function is None or function is owner or uses[value.func.value] != 2 or _in_loop(owner, line):
            continue
        summary = functions.summary(value.func.value)
        if summary is None or not (summary.roles & _ROLES or _is_given_session(value, owner, names)):
            continue
        if not _can_move(function, _is_last(owner, line)):
            continue
        target = (
            small.targets[0].target if isinstance(small, cst.Assign) and len(small.targets) == 1 else None
        )
        if isinstance(small, cst.Assign) and target is None:
            continue
        return Site(line, value, function, target)
    return None


def _uses(module: cst.Module) -> dict[str, int]:
    """How often each name stands for itself: not as an attribute (`tf.train`), nor as a keyword."""
    others = {id(one.attr) for one in find_all(module, cst.Attribute)}
    others |= {id(one.keyword) for one in find_all(module, cst.Arg) if one.keyword is not None}
    uses: dict[str, int] = {}
    for name in find_all(module, cst.Name):
        if id(name) not in others:
            uses[name.value] = uses.get(name.value, 0) + 1
    return uses


def _in_loop(owner: cst.FunctionDef, line: cst.SimpleStatementLine) -> bool:
    loops: list[cst.CSTNode] = [
        *find_all(owner, cst.For),
        *find_all(owner, cst.While),
        *find_all(owner, cst.Try),
    ]
    inner = [f for f in find_all(owner, cst.FunctionDef) if f is not owner]
    return any(one is line for block in [*loops, *inner] for one in find_all(block, cst.SimpleStatementLine))


def _is_given_session(call: cst.Call, owner: cst.FunctionDef, names: Names) -> bool:
    """Whether an argument holds a session of the owner, or what makes one."""
    held: set[str] = set()
    for assign in find_all(owner, cst.Assign):
        made = assign.value
        if isinstance(made, cst.Call) and (
            role(names.canonical(made.func)) in _ROLES or _makes_session(made)
        ):
            held |= flow_of(assign).binds
    for item in find_all(owner, cst.WithItem):
        if isinstance(item.item, cst.Call) and (
            role(names.canonical(item.item.func)) in _ROLES or _makes_session(item.item)
        ):
            held |= flow_of(item).binds
    held -= {"tf"}
    return any(isinstance(one.value, cst.Name) and one.value.value in held for one in call.args)


def _makes_session(call: cst.Call) -> bool:
    return isinstance(call.func, cst.Attribute) and call.func.attr.value in _SESSION_MAKERS


def _is_last(owner: cst.FunctionDef, line: cst.SimpleStatementLine) -> bool:
    """Whether nothing of the owner runs behind a statement: a `return` in its place ends the owner, too."""

    def ends(suite: cst.BaseSuite) -> bool:
        last: cst.CSTNode | None = suite.body[-1] if suite.body else None
        if last is line:
            return True
        while isinstance(last, cst.If):
            if ends(last.body):
                return True
            last = last.orelse
        return isinstance(last, cst.Else) and ends(last.body)

    return ends(owner.body)


def _can_move(function: cst.FunctionDef, may_return: bool) -> bool:
    """Straight through to one return at the end; where nothing runs behind the call, it may return without a value."""
    if (
        function.decorators
        or function.asynchronous is not None
        or not isinstance(function.body, cst.IndentedBlock)
    ):
        return False
    params = function.params
    if (
        isinstance(params.star_arg, cst.Param)
        or params.star_kwarg is not None
        or params.kwonly_params
        or params.posonly_params
    ):
        return False
    returns = find_all(function.body, cst.Return)
    last = function.body.body[-1]
    ends = isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], cst.Return)
    if len(returns) > (1 if ends else 0) and not (may_return and all(one.value is None for one in returns)):
        return False
    return not any(find_all(function.body, kind) for kind in (cst.Yield, cst.Global, cst.Nonlocal))
