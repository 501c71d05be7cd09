"""Where a strategy is made, and which `with` enters its scope: one around what the towers share, if it is certain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import libcst as cst

from tf2towers.codemod.certainty import CHANGES, METHODS, is_certain
from tf2towers.codemod.changes import (
    COMMA,
    Change,
    Insertion,
    Line,
    Now,
    Replacement,
    expression,
    replace,
)
from tf2towers.codemod.meanings import Defined, Imported
from tf2towers.codemod.nodes import Statement, Symbol, block, is_name, last_name, literal, orelse, walk
from tf2towers.codemod.program import File
from tf2towers.codemod.towers.loops import StrategyArguments

#: gives new statements, from what has become of the old nodes
Lines = Callable[[Now], list[Any]]

#: names of the CPU in `tf.device`, in small letters
_CPU = frozenset(
    f"{slash}{device}cpu{number}"
    for slash in ("", "/")
    for device in ("", "device:")
    for number in ("", ":0")
)
#: what a `with` enters to run graphs
_RUNS = frozenset({
    "Session", "InteractiveSession", "MonitoredSession", "MonitoredTrainingSession", "managed_session",
})  # fmt: skip


def find_withs_around(file: File, node: cst.CSTNode) -> Iterator[cst.With]:
    """The `with` statements around a node in its function, the innermost first; `async with` left out."""
    for around in file.ancestors(node):
        if isinstance(around, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            return
        if isinstance(around, cst.With) and not around.asynchronous:
            yield around


def scope_for(file: File, node: cst.CSTNode, made: StrategyArguments) -> cst.With | None:
    """The `with` around a tower loop that becomes the strategy's scope, or that it is added to.

    It is the one that enters the CPU's device; else the one that makes a graph the default graph; else the innermost
    that enters no session.

    Args:
        file: the file.
        node: the loop, or what else builds towers.
        made: the strategy's arguments; they have to mean the same before the `with`, where the strategy is made.
    """
    known = [around for around in find_withs_around(file, node) if is_known_at(file, around, made)]
    for around in known:
        if cpu_item(file, around) is not None:
            return around
    for around in known:
        if any(_called(item) == "as_default" for item in around.items):
            return around
    plain = [around for around in known if not any(_called(item) in _RUNS for item in around.items)]
    return plain[0] if plain else None


def makes_a_graph(file: File, node: cst.With) -> bool:
    """True if what is built in a `with` has a graph of its own, or the CPU's device."""
    return cpu_item(file, node) is not None or any(_called(item) == "as_default" for item in node.items)


def _called(item: cst.WithItem) -> str:
    return last_name(item.item.func) if isinstance(item.item, cst.Call) else ""


def cpu_item(file: File, node: cst.With) -> cst.Call | None:
    """The last `tf.device('/cpu:0')` that a `with` enters; None if it enters none."""
    for item in reversed(node.items):
        match item:
            case cst.WithItem(item=cst.Call(args=[given]) as call, asname=None):
                if file.called(call) == "tf.device" and str(literal(given.value)).lower() in _CPU:
                    return call
    return None


class _Read(NamedTuple):
    """What a strategy's arguments read: names that are bound outside them, and the names of attributes.

    `held` has the last names of both, and `__dict__`; `lists` those that hold lists or dictionaries.
    """

    names: list[cst.Name]
    attributes: set[str]
    held: set[str]
    lists: set[str]


def _read_by(file: File, made: StrategyArguments) -> _Read:
    parts = [part for expression in made.parts.values() for part in walk(expression)]
    names = [part for part in parts if is_name(part) and part.value not in made.targets]
    attributes = {part.attr.value for part in parts if isinstance(part, cst.Attribute)}
    own = [part for part in parts if not (is_name(part) and part.value in made.targets)]
    symbols = [(part, file.canonical(part) or "") for part in own if isinstance(part, Symbol)]
    held = [part for part, name in symbols if not name.startswith("builtins.")]
    lists = [part.value for part in parts if isinstance(part, cst.Subscript)]
    lists += [part for part in held if is_certain(file, part)]
    by_name = {"__dict__"} if attributes else set()
    held_names, list_names = (set(map(last_name, each)) for each in (held, lists))
    return _Read(names, attributes, by_name | held_names, list_names)


def is_known_at(file: File, node: cst.With, made: StrategyArguments) -> bool:
    """True if a strategy's arguments certainly mean the same before a `with` as in it.

    Neither the `with` nor a function that it may call binds one of their names, or changes what a name holds.
    """
    read = _read_by(file, made)
    inside = set(walk(node))
    if "CUDA_VISIBLE_DEVICES" in file.text.of(node) or read.attributes & file.program.own_names:
        return False  # a strategy looks for the GPUs; a property may give anything
    if any(_is_bound_in(file, name, inside) for name in read.names):
        return False
    function = file.function_around(node)
    return all(
        changed not in inside and _is_of(other, changed, function if other is file else None)
        for other in file.program.all_files
        for changed in _changed_names(other, read)
    )


def is_kept(file: File, made: StrategyArguments, one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """True if a strategy that is made before `one` certainly exists before `other`, where it would be made the same."""
    return is_made_before(file, one, other) and means_the_same_after(file, made, one)


def means_the_same_after(
    file: File, made: StrategyArguments, node: cst.CSTNode, *, calls: bool = True
) -> bool:
    """True if a strategy's arguments certainly mean the same wherever they are after a node, in its function.

    Without `calls`, if nothing there changes them but calls that may.
    """
    read = _read_by(file, made)
    start, function = file.text.start(node), file.function_around(node)
    later: set[cst.CSTNode] = {
        node for node in file.tree.nodes if is_name(node) and file.text.start(node) >= start
    }
    return not any(_is_bound_in(file, name, later) for name in read.names) and all(
        _is_of(file, changed, function) and file.text.start(changed) < start
        for changed in _changed_names(file, read)
        if calls or not isinstance(changed, cst.Call)
    )


def is_made_before(file: File, statement: cst.CSTNode, node: cst.CSTNode) -> bool:
    """True if what is written before a statement certainly runs before a node, in the same function."""
    function = file.function_around(node)
    if file.tree.holder(statement) is None or file.function_around(statement) is not function:
        return False
    around, outer = {node, *file.ancestors(node)}, file.parent(statement)
    siblings: list[cst.CSTNode] = [*block(outer)]
    if isinstance(outer, cst.If) and statement not in siblings:
        siblings = [*orelse(outer)]
    return statement in siblings and not around.isdisjoint(siblings[siblings.index(statement) :])


def _is_bound_in(file: File, name: cst.Name, inside: set[cst.CSTNode]) -> bool:
    """True if a name may be bound by one of the nodes `inside`, or by a function that they call."""
    home = file.meanings.home_of(name)
    if home is None:
        return False
    bindings = file.meanings.bindings_of(name.value, home)
    if any(isinstance(binding, Defined | Imported) for binding in bindings) and len(bindings) > 1:
        return True
    return any(
        not file.is_read(use) and (use in inside or file.meanings.scope(use) is not home)
        for use in file.meanings.uses(name)
    )


def _changed_names(file: File, read: _Read) -> Iterator[cst.CSTNode]:
    """The nodes that assign to an attribute that is read, or that may change an object, a list or a dictionary."""
    for attribute in file.all(cst.Attribute):
        if attribute.attr.value in read.attributes and not file.is_read(attribute):
            yield attribute
    for declared in file.all(cst.Global):  # the attribute of a module
        if any(item.name.value in read.attributes for item in declared.names):
            yield declared
    for item in file.all(cst.Subscript):
        if not file.is_read(item) and _holder(item.value) in read.held:
            yield item
    yield from (call for call in file.all(cst.Call) if _may_change(file, call, read))


def _holder(node: cst.BaseExpression) -> str:
    """`conf` of `self.conf`, `__dict__` of `vars(conf)` as well."""
    is_vars = isinstance(node, cst.Call) and last_name(node.func) == "vars"
    return "__dict__" if is_vars else last_name(node)


def _may_change(file: File, call: cst.Call, read: _Read) -> bool:
    """True if a call may change what is read: it is given an object or a list, calls an object, or a method of one.

    What the program's own functions do to an object is seen where they assign to its attributes.
    """
    canonical, called = file.called(call), last_name(call.func)
    owner = _holder(call.func.value) if isinstance(call.func, cst.Attribute) else ""
    given = {last_name(each.value) for each in call.args} - {""}
    if called in ("setattr", "__setattr__"):
        names = {name for each in call.args if isinstance(name := literal(each.value), str)}
        return not read.attributes.isdisjoint(names or read.attributes)
    if called in CHANGES and owner in read.held:
        return True
    if called in METHODS or called in file.program.own_names:
        return not given.isdisjoint(read.lists)
    is_known = canonical.startswith(("tf.", "builtins.", "six.")) and ".FLAGS" not in canonical
    return not is_known and not read.held.isdisjoint({called, owner, *given})


def _is_of(file: File, node: cst.CSTNode, function: cst.FunctionDef | None) -> bool:
    """True if a node runs in this function itself, or before it: at the top of the module, or in an `__init__`."""
    around = file.function_around(node)
    return around is function or around is None or around.name.value == "__init__"


def enter_scope(file: File, node: cst.With, scope: str) -> Change:
    """What makes a `with` enter a scope: in the place of `tf.device('/cpu:0')`, or as its last item."""
    call = cpu_item(file, node)
    if call is not None:
        return replace(call, scope)

    def becomes(updated: cst.With, now: Now) -> cst.With:
        *before, last = updated.items
        item = cst.WithItem(expression(scope), comma=last.comma)
        return updated.with_changes(items=[*before, last.with_changes(comma=COMMA), item])

    return Replacement(node, becomes, node.items[-1])


def begins_a_line(file: File, node: Statement) -> bool:
    """True if no other statement precedes one on its line."""
    line = file.tree.line(node)
    return line is node or (isinstance(line, cst.SimpleStatementLine) and line.body[0] is node)


def scopes_at(file: File, places: Iterable[cst.CSTNode], strategy: str) -> Iterator[Change]:
    """What enters a strategy's scope at some places, in the order of the text; not at one inside another.

    The scope precedes what a `with` enters there, or becomes a `with` of its own around a statement of one line.
    """
    done: set[cst.CSTNode] = set()
    scope = f"{strategy}.scope()"
    for place in places:
        statement = file.statement(place)
        if done.isdisjoint({statement, *file.ancestors(statement)}):
            done.add(statement)
            around = file.tree.line(statement) if statement is place else file.parent(place)
            if around is not None:
                yield Replacement(around, partial(_in_scope if statement is place else _after_scope, scope))


def _in_scope(scope: str, updated: Line, now: Now) -> cst.With:
    """A line in a `with` of its own."""
    body = cst.IndentedBlock([updated.with_changes(leading_lines=[])])
    return cst.With([cst.WithItem(expression(scope))], body, leading_lines=updated.leading_lines)


def _after_scope(scope: str, updated: cst.WithItem, now: Now) -> Any:
    """What a `with` enters, after a scope."""
    return cst.FlattenSentinel([cst.WithItem(expression(scope), comma=COMMA), updated])


def make_before(
    file: File, places: Sequence[cst.CSTNode], lines: Lines, *, at_top: bool = False
) -> Insertion:
    """What makes a strategy before all places: in their function, or at the top of the module."""
    functions = {file.function_around(place) for place in places}
    home = functions.pop() if len(functions) == 1 and not at_top else None
    around = nodes_around(file, places)
    body = block(home) if home is not None else file.body
    statement = next(each for each in body if each in around)
    if home is None:
        file.decided.import_before(file.body.index(statement))
    is_definition = isinstance(statement, cst.FunctionDef | cst.ClassDef)
    blank = 2 if is_definition and home is None else 0
    return Insertion(statement, lines, above_comments=True, blank_after=blank)


def nodes_around(file: File, places: Iterable[cst.CSTNode]) -> set[cst.CSTNode]:
    """Some nodes, and all that they are in."""
    return {each for place in places for each in (place, *file.ancestors(place))}
