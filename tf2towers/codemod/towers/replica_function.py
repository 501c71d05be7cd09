"""`replica_function`: a tower loop as a function that a strategy calls for each tower, if it certainly is the same.

Only the scopes of names decide, never what the body does. A name that the body binds is local to the function. If it is
read after the loop, it is returned, and the last tower's value is used. It is `nonlocal` or `global` if a round may
leave it unbound or reads it first, or if a closure reads it. The loop stays a loop if a function would do something
else: `break`, `return`, `yield`, `else`, a class's body, `locals()`. So it does if a closure keeps the loop's variable.
What a loop goes over is no reason: `strategy.run` takes each item when its tower is built, as a loop does.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.certainty import CHANGES, GOES_THROUGH, RANGES, ZIPS, is_certain, makes_list
from tf2towers.codemod.meanings import Assigned
from tf2towers.codemod.program import File
from tf2towers.codemod.towers.flags import Flag, find_flags
from tf2towers.codemod.towers.gathered import (
    Gathered,
    find_filled_lists,
    find_gathered,
    is_after,
    needs_an_item,
)
from tf2towers.codemod.towers.live_names import LiveNames
from tf2towers.codemod.towers.loops import Loop, StrategyArguments, count_of, strategy_argument
from tf2towers.codemod.towers.scopes import means_the_same_after

#: what reads or binds the names of a function without naming them
_SEES_NAMES = frozenset({"locals", "eval", "exec", "execfile", "globals", "vars", "dir"})
#: functions that call a function argument before they return, and do not keep it
_CALLS_AT_ONCE = frozenset({
    "tf.cond", "tf.case", "tf.while_loop", "tf.map_fn", "tf.scan", "tf.foldl", "tf.foldr", "builtins.sorted",
    "builtins.min", "builtins.max", "tf.contrib.framework.nest.map_structure", "tf.nest.map_structure",
})  # fmt: skip


class Argument(NamedTuple):
    """A parameter of a tower's function, and what it goes over.

    Attributes:
        over: what it goes over; None for the numbers that `enumerate` gives.
        is_count: whether it is a range of all towers, from 0.
        length: the length of what another parameter goes over, if that gives the numbers.
    """

    name: str
    over: cst.BaseExpression | None
    is_count: bool = False
    length: cst.Call | None = None


@dataclass(frozen=True)
class ReplicaFunction:
    """A tower loop as a function.

    Attributes:
        arguments: its parameters.
        returned: the names that it returns.
        outer: the names of outer scopes that it binds, by the word that declares them: `nonlocal` or `global`.
        unbound: the names in `outer` that nothing else binds; they are None before the function.
        next_rounds: the loop's `continue`s, which become `return`s.
        gathered: the lists whose items it returns, too, before the names.
        local: the names that are its own.
        flags: those that its number gives.
    """

    arguments: tuple[Argument, ...]
    returned: tuple[str, ...]
    outer: dict[str, list[str]] = field(default_factory=dict)
    unbound: tuple[str, ...] = ()
    next_rounds: tuple[cst.Continue, ...] = ()
    gathered: tuple[Gathered, ...] = ()
    local: frozenset[str] = frozenset()
    flags: tuple[Flag, ...] = ()


def replica_function(file: File, loop: Loop) -> ReplicaFunction | None:
    """The function that certainly does what a loop does; None where that is not certain."""
    node = loop.node
    if not isinstance(node, cst.For) or node.asynchronous or node.orelse:
        return None
    home = file.meanings.node_of(file.meanings.scope(node))
    if not isinstance(home, cst.FunctionDef | cst.Module) or not isinstance(node.body, cst.IndentedBlock):
        return None
    if isinstance(home, cst.Module) and not file.main:
        return None  # others may take any name that it binds
    if _sees_names(file, node, home) or not _is_of_a_function(file, node):
        return None
    arguments = _loop_parameters(file, loop.target, loop.iterable)
    if arguments is None:
        return None
    over = [argument.over for argument in arguments if argument.over is not None]
    if len(over) < len(arguments) and not all(_is_iterable_fixed(file, node, each) for each in over):
        if strategy_argument(file, loop) is not None or file.program.towers:
            # the strategy counts its towers before a round changes what the loop goes over
            return None
    return _Body(file, node, home, arguments).function()


class _Body:
    """The names of a loop's body."""

    def __init__(
        self, file: File, loop: cst.For, home: cst.FunctionDef | cst.Module, arguments: list[Argument]
    ) -> None:
        self.file, self.loop, self.home, self.arguments = file, loop, home, arguments
        self.of_module = isinstance(home, cst.Module)
        self.live = LiveNames(file, home)
        self.inside = list(nodes.walk(*nodes.block(loop)))
        self.targets = {argument.name for argument in arguments}
        scope = file.meanings.scope(loop)
        bound = dict.fromkeys(self._bound())
        homes = {name: file.meanings.home(name, scope) for name in (*bound, *self.targets)}
        #: the names of other scopes that the body binds, by `global` or `nonlocal`
        self.elsewhere = {name: at for name, at in homes.items() if at not in (scope, None)}
        #: own names that the body binds, in the order of the text
        self.bound = [name for name in bound if name not in self.elsewhere]

    def function(self) -> ReplicaFunction | None:
        """The function, if all its names are certain."""
        after = self.live.after(self.loop)
        if after is None:
            return None
        kept = {
            name
            for name, closure in self.live.closures()
            if not self._is_called_at_once(closure) and not self._comes_later(closure)
        }
        # of a function in the body, too: it means the module's name
        if self.of_module:
            declared = (node for node in self.inside if isinstance(node, cst.Global))
            kept |= {item.name.value for node in declared for item in node.names}
        if self.targets & (after.on_error | kept) or self.targets & set(self.elsewhere):
            return None
        if not all(map(self.live.is_own, nodes.find_names(self.loop.target))):
            return None
        exported = (frozenset(self.bound) | self.targets) & after.names
        alive = self.live.before_a_round(self.loop, exported) | kept | after.on_error
        outer = set(self.bound) & alive - self.targets
        ends = (node for node in self.inside if isinstance(node, cst.Continue))
        next_rounds = tuple(node for node in ends if _loop_of(self.file, node) is self.loop)
        numbers = [each.name for each in self.arguments if each.over is None or each.is_count]
        flags: tuple[Flag, ...] = ()
        if numbers and not next_rounds:
            flags = tuple(find_flags(self.file, self.loop, self.live, numbers[0]))
        outer -= {flag.name for flag in flags}
        returned = exported - outer
        if returned and not self._has_a_round(returned):
            outer, returned = outer | returned, frozenset()
        if outer & self.targets:
            return None
        if outer & self._annotated() or (outer | returned) & self._deleted():
            return None
        bound = [name for name in self.bound if name in outer]
        unbound = [name for name in bound if not self.of_module and not self._is_bound_elsewhere(name)]
        if unbound and not self._may_be_none_first():
            return None
        names = [argument.name for argument in self.arguments]
        declared_by: dict[str, list[str]] = {}
        if bound:
            declared_by["global" if self.of_module else "nonlocal"] = bound
        for name, home in self.elsewhere.items():
            word = "global" if home is self.file.meanings.module else "nonlocal"
            declared_by.setdefault(word, []).append(name)
        gathered = () if next_rounds else tuple(find_gathered(self.file, self.loop, self.live))
        if len(gathered) > 1 and not self._has_a_round(returned):
            gathered = ()
        return ReplicaFunction(
            tuple(self.arguments),
            tuple(name for name in dict.fromkeys([*names, *self.bound]) if name in returned),
            declared_by,
            tuple(unbound),
            next_rounds,
            gathered,
            frozenset(self.bound) - outer,
            flags,
        )

    def _comes_later(self, closure: cst.CSTNode) -> bool:
        """True if a function is made when all rounds are over, and no round comes after it."""
        around = itertools.takewhile(lambda node: node is not self.home, self.file.ancestors(self.loop))
        again = any(isinstance(node, cst.For | cst.While) for node in around)
        return not again and is_after(self.file, self.loop, closure)

    def _bound(self) -> Iterator[str]:
        """The names that the body binds in the scope that it is in."""
        meanings = self.file.meanings
        scope = meanings.scope(self.loop)
        for node in self.inside:
            if nodes.is_name(node) and not self.file.is_read(node):
                is_named = isinstance(self.file.parent(node), cst.NamedExpr)
                if is_named or meanings.scope(node) is scope:
                    yield node.value
            elif isinstance(node, cst.FunctionDef | cst.ClassDef):
                if meanings.scope(node) is scope:
                    yield node.name.value
            elif isinstance(node, nodes.Import) and meanings.scope(node) is scope:
                yield from map(nodes.bound_by, nodes.aliases(node))

    def _is_called_at_once(self, closure: cst.CSTNode) -> bool:
        """True if a lambda, a function or a generator runs where it is made, and nothing keeps it to run it later."""
        parent = self.file.parent(closure)
        call = self.file.parent(parent) if isinstance(parent, cst.Arg) else parent
        if isinstance(closure, cst.FunctionDef):
            return self._is_only_called(closure, frozenset())
        if isinstance(closure, cst.GeneratorExp) and isinstance(parent, cst.For):
            return parent.iter is closure
        if not isinstance(call, cst.Call) or not isinstance(closure, cst.Lambda | cst.GeneratorExp):
            return False
        if isinstance(closure, cst.GeneratorExp):
            return call.func is not closure and self.file.called(call) in GOES_THROUGH
        return call.func is closure or self.file.called(call) in _CALLS_AT_ONCE

    def _is_only_called(self, function: cst.FunctionDef, asked: frozenset[cst.CSTNode]) -> bool:
        """True if a function of the body is called in the round that defines it, and nothing keeps it.

        Its name is bound once, and only the callee of calls in the body: by the round itself, or by others such.
        """
        if function in asked:
            return True
        scope = self.file.meanings.scope(self.loop)
        if function not in self.inside or self.file.meanings.scope(function) is not scope:
            return False
        yields = any(isinstance(node, cst.Yield) for node in nodes.walk(function))
        if function.decorators or function.asynchronous or yields:
            return False
        if len(self.file.meanings.bindings_of(function.name.value, scope)) != 1:
            return False
        uses = self.file.meanings.uses(function.name)
        return all(self._is_call_of_the_round(use, function, asked) for use in uses)

    def _is_call_of_the_round(
        self, use: cst.Name, function: cst.FunctionDef, asked: frozenset[cst.CSTNode]
    ) -> bool:
        parent = self.file.parent(use)
        call = self.file.parent(parent) if isinstance(parent, cst.Arg) else parent
        if not isinstance(call, cst.Call) or self.loop not in self.file.ancestors(use):
            return False
        if call.func is not use and self.file.called(call) not in _CALLS_AT_ONCE:
            return False
        for around in self.file.ancestors(use):
            if around is self.loop:
                return True
            if isinstance(around, cst.FunctionDef):
                if not self._is_only_called(around, asked | {function}):
                    return False
            elif isinstance(around, cst.Lambda | cst.GeneratorExp):
                if not self._is_called_at_once(around):
                    return False
        return False

    def _annotated(self) -> set[str]:
        annotated = (node.target for node in self.inside if isinstance(node, cst.AnnAssign))
        return {target.value for target in annotated if isinstance(target, cst.Name)}

    def _deleted(self) -> set[str]:
        bare = (node for node in self.inside if nodes.is_name(node))
        return {node.value for node in bare if not self.file.is_read(node) and not self.file.is_bound(node)}

    def _is_bound_elsewhere(self, name: str) -> bool:
        """True if something of the function but the body binds a name."""
        inside = set(self.inside)
        return any(
            self.file.meanings.scope(node) is self.file.meanings.scope(self.loop)
            for node in self.file.all(cst.Name)
            if node.value == name and self.file.is_bound(node) and node not in inside
        ) or any(
            parameter.name.value == name
            for parameter in self.file.all(cst.Param)
            if self.file.parent(parameter) is self.home
        )

    def _may_be_none_first(self) -> bool:
        """True if a name that nothing has bound can as well be None before the first tower."""
        around = list(self.file.ancestors(self.loop))
        if any(isinstance(node, cst.For | cst.While) for node in around[: around.index(self.home)]):
            return False  # an earlier round of that loop may have bound it
        return not any(isinstance(node, cst.ExceptHandler) for node in nodes.walk(self.home))

    def _has_a_round(self, returned: frozenset[str]) -> bool:
        """True if the loop certainly has a round, or an error ends the function without one: a name is unbound."""
        if _has_items(self.file, self.loop.iter) or self._is_split():
            return True
        unbound = {name for name in returned if not self._is_bound_elsewhere(name)}
        lists = find_filled_lists(self.file, self.loop)
        for node in self._evaluated_next():
            if needs_an_item(self.file, node, lists, self.loop):
                return True
            if nodes.is_name(node) and node.value in unbound and self.file.is_read(node):
                if self.live.is_own(node):
                    return True
        return False

    def _is_split(self) -> bool:
        """True if TensorFlow has split something into as many parts as there are rounds, which is an error for none."""
        count = count_of(self.file, self.loop.iter)
        return count is not None and any(
            self._is_split_into(split, count)
            for split in self.file.all(cst.Call)
            if self.file.called(split) in ("tf.split", "tf.split_v")
        )

    def _is_split_into(self, split: cst.Call, count: cst.BaseExpression) -> bool:
        """True if a call of `tf.split` for `count` parts is certainly evaluated before the loop."""
        number = nodes.argument(split, 1, "num_or_size_splits", "num_split")
        statement, text = self.file.statement(split), self.file.text
        if number is None or text.of(number) != text.of(count):
            return False
        if not isinstance(statement, cst.BaseSmallStatement) or not is_after(self.file, statement, self.loop):
            return False
        made = StrategyArguments("{count}", {"count": count})
        alone = {*self.file.ancestors(statement)} - {*self.file.ancestors(self.loop)}
        withs = (node for node in alone if isinstance(node, cst.With))
        is_read = split in nodes.walk(statement, but=_MAY_NOT_READ)
        return (
            is_read
            and all(map(self.live.lets_errors_pass, withs))
            and means_the_same_after(self.file, made, split)
        )

    def _evaluated_next(self) -> Iterator[cst.CSTNode]:
        """What is certainly evaluated after the loop, if nothing ends the function with an error."""
        statement: cst.CSTNode = self.loop
        while statement is not self.home:
            around, following = self.file.parent(statement), self.file.tree.following(statement)
            if following is None:
                return
            yield from self._certain_parts(following)
            leaves = any(map(_may_leave, nodes.walk(*following)))
            if leaves or not isinstance(around, cst.With | cst.Module | cst.FunctionDef):
                return
            statement = around

    def _certain_parts(self, statements: Sequence[cst.CSTNode]) -> Iterator[cst.CSTNode]:
        """What statements certainly evaluate, up to one that may leave them."""
        for statement in statements:
            match statement:
                case cst.If() | cst.While():
                    evaluated: list[cst.CSTNode] = [statement.test]
                case cst.For():
                    evaluated = [statement.iter]
                case cst.With():
                    evaluated = [item.item for item in statement.items]
                case _:
                    evaluated = [] if isinstance(statement, cst.BaseCompoundStatement) else [statement]
            yield from nodes.walk(*evaluated, but=_MAY_NOT_READ)
            if isinstance(statement, cst.With) and self.live.lets_errors_pass(statement):
                yield from self._certain_parts(nodes.block(statement))
            if any(map(_may_leave, nodes.walk(statement))):
                return


#: nodes that may not evaluate all of their parts
_MAY_NOT_READ = (
    cst.FunctionDef, cst.Lambda, cst.IfExp, cst.BooleanOperation, cst.Assert, cst.ListComp, cst.SetComp, cst.DictComp,
    cst.GeneratorExp,
)  # fmt: skip
_LEAVES = cst.Return | cst.Raise | cst.Break | cst.Continue | cst.Yield


def _may_leave(node: cst.CSTNode) -> bool:
    called = nodes.last_name(node.func) if isinstance(node, cst.Call) else ""
    return called in ("exit", "_exit", "quit", "abort") or isinstance(node, _LEAVES)


def _sees_names(file: File, loop: cst.For, home: cst.FunctionDef | cst.Module) -> bool:
    """True if `locals()`, `eval` and the like see the names of a function, in the loop or after it."""
    again = _loop_of(file, loop) is not None
    found = (name for name in file.all(cst.Name) if name.value in _SEES_NAMES)
    for name in found:
        if file.meanings.bindings(name) or home not in file.ancestors(name):
            continue
        call = file.parent(name)
        given = isinstance(call, cst.Call) and call.func is name and bool(call.args)
        if given and name.value in ("vars", "dir"):
            continue
        is_before = not again and file.text.start(name) < file.text.start(loop)
        is_own = file.meanings.node_of(file.meanings.scope(name)) is home
        if not (is_before and isinstance(call, cst.Call) and is_own):
            if name.value != "globals" or isinstance(home, cst.Module):
                return True
    return False


def _is_of_a_function(file: File, loop: cst.For) -> bool:
    """True if the statements of a loop mean the same in a function."""
    for node in nodes.walk(*nodes.block(loop), but=nodes.OWN_NAMES):
        match node:
            case cst.Return() | cst.Yield() | cst.Await() | cst.Global() | cst.Nonlocal() | cst.Match():
                return False
            case cst.For(asynchronous=cst.Asynchronous()) | cst.With(asynchronous=cst.Asynchronous()):
                return False
            case cst.Name(value="__class__") | cst.ImportFrom(names=cst.ImportStar()):
                return False
            case cst.Call(func=func, args=[]) if nodes.last_name(func) == "super":
                return False
            case cst.Break() if _loop_of(file, node) is loop:
                return False
    return True


def _loop_of(file: File, node: cst.CSTNode) -> cst.CSTNode | None:
    return file.around(node, cst.For, cst.While)


def _has_items(file: File, iterable: cst.BaseExpression) -> bool:
    """True if an iterable certainly has an item: `range(2)`, `['/gpu:0', '/gpu:1']`, and both in zip or enumerate."""
    if isinstance(iterable, cst.List | cst.Tuple):
        return bool(iterable.elements) and not nodes.has_star(iterable)
    if not isinstance(iterable, cst.Call):
        return False
    name, given = file.called(iterable), nodes.positional(iterable)
    if name in RANGES:
        value = nodes.literal(_constant(file, count_of(file, iterable)))
        return isinstance(value, int) and value > 0
    if name not in ZIPS | {"builtins.enumerate"} or nodes.has_star(iterable):
        return False
    parts = given[:1] if name == "builtins.enumerate" else given
    return bool(parts) and all(_has_items(file, each) for each in parts)


def _constant(file: File, node: cst.BaseExpression | None) -> cst.BaseExpression | None:
    """What a name stands for that the module binds once, and nothing of the program binds again; else the node."""
    if not nodes.is_name(node) or file.meanings.home_of(node) is not file.meanings.module:
        return node
    match file.meanings.at_top(node.value):
        case [Assigned(value)]:
            given = any(
                at.attr.value == node.value and not other.is_read(at)
                for other in file.program.all_files
                for at in other.all(cst.Attribute)
            )
            return node if given else value
    return node


def _loop_parameters(
    file: File, target: cst.BaseExpression, iterable: cst.BaseExpression
) -> list[Argument] | None:
    """The parameters of a loop's targets, and what each goes over; None if a target is no name, or comes twice."""
    found = list(_pair_targets(file, target, iterable))
    names = {argument.name for argument in found if argument is not None}
    if len(names) < len(found):
        return None
    return [argument for argument in found if argument is not None]


def _pair_targets(
    file: File, target: cst.BaseExpression, iterable: cst.BaseExpression
) -> Iterator[Argument | None]:
    if nodes.is_name(target):
        yield Argument(target.value, iterable, count_of(file, iterable) is not None)
        return
    call = iterable if isinstance(iterable, cst.Call) and all(map(nodes.is_plain, iterable.args)) else None
    given = nodes.positional(call) if call is not None else []
    name = file.called(call)
    parts = (
        nodes.items(target) if isinstance(target, cst.Tuple | cst.List) and not nodes.has_star(target) else []
    )
    if name == "builtins.enumerate" and len(parts) == 2 and len(given) == 1 and nodes.is_name(parts[0]):
        yield Argument(parts[0].value, None)
        yield from _pair_targets(file, parts[1], given[0])
    elif name in ZIPS and parts and len(parts) == len(given):
        for part, each in zip(parts, given, strict=True):
            yield from _pair_targets(file, part, each)
    else:
        yield None


def _is_iterable_fixed(file: File, loop: cst.For, iterable: cst.BaseExpression) -> bool:
    """True if an iterable can be gone through before the first round: it is a list or a range that no round changes."""
    if not (is_certain(file, iterable) or makes_list(file, iterable)):
        return False
    if isinstance(iterable, cst.Name):
        changed = iterable.value
    elif isinstance(iterable, cst.Attribute):
        changed = iterable.attr.value
    else:
        return True  # a list of its own
    for node in nodes.walk(*nodes.block(loop)):
        if isinstance(node, nodes.Symbol) and nodes.last_name(node) == changed:
            if not _is_only_read(file, node, file.parent(node)):
                return False
    return not any(
        isinstance(call.func, cst.Attribute)
        and nodes.method_of(call) in CHANGES
        and (nodes.last_name(call.func.value) == changed or _is_other_name(file, call.func.value, changed))
        and _may_be_called(file, loop, call)
        for call in file.all(cst.Call)
    )


def _is_only_read(file: File, node: cst.CSTNode, parent: cst.CSTNode) -> bool:
    """True if a use of a list in the body certainly leaves it as it is: an item of it, its length."""
    if isinstance(parent, cst.Subscript) and parent.value is node:
        return file.is_read(parent) and nodes.index_of(parent) is not None
    return file.called(parent) in ("builtins.len", "builtins.str")


def _is_other_name(file: File, node: cst.BaseExpression, name: str) -> bool:
    """True if a name may hold the same object as another name, or an attribute."""
    return name in map(nodes.last_name, file.meanings.values(node))


def _may_be_called(file: File, loop: cst.For, call: cst.Call) -> bool:
    """True if a change of the list may come in a round: it is in the body, or in a function."""
    around = list(file.ancestors(call))
    return loop in around or file.function_around(call) is not file.function_around(loop)
