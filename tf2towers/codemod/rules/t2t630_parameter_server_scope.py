"""T2T630: the device that `replica_device_setter` chooses is the scope of a parameter-server strategy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import libcst as cst
import libcst.matchers as m

from tf2towers.codemod.certainty import is_certain
from tf2towers.codemod.changes import (
    Change,
    Insertion,
    Line,
    Now,
    Replacement,
    as_argument,
    bare,
    comments_above,
    expression,
    in_its_place,
    line,
    replace,
)
from tf2towers.codemod.meanings import Assigned
from tf2towers.codemod.nodes import is_name, is_plain, is_text, last_name, walk
from tf2towers.codemod.program import File, cached_per_file
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import SESSIONS
from tf2towers.codemod.towers.device import texts_in
from tf2towers.codemod.towers.loops import find_tower_loops
from tf2towers.codemod.towers.writing import (
    begins_a_line,
    fresh_name,
    has_strategy,
    make_before,
    scopes_at,
    write_towers,
)

_SETTER = "tf.train.replica_device_setter"
#: names that only a program of several processes uses
_OF_CLUSTERS = frozenset({"tf.train.Server", "tf.train.ClusterSpec", _SETTER})
_NOTHING = cst.SimpleWhitespace("")
#: a part of the device of a cluster's task
_JOB = re.compile(r"job:(?!localhost)")
#: words of a comment about a setter
_SPEAKS_OF_SETTER = re.compile(r"(?i)device[ _]?setter|\bsetter\b")


def _has_a_setter(file: File) -> bool:
    return any(canonical == _SETTER for _, canonical in file.symbols)


def _note_setters(file: File) -> None:
    """Names the setters that nothing seen enters: a strategy that places nothing would be for show."""
    for node, canonical in file.symbols:
        if canonical == _SETTER:
            message = "no tf.device is seen to enter this device setter: it is no strategy's scope"
            file.note(node, "T2T630", message, kind="note")


def _note_comment(file: File, statement: cst.CSTNode) -> None:
    """Names a comment above a statement that speaks of the device setter, which is a strategy now."""
    line = file.tree.line(file.statement(statement))
    above = [*line.leading_lines] if line is not None else []
    for empty in above[len(above) - comments_above(above) :]:
        if empty.comment is not None and _SPEAKS_OF_SETTER.search(empty.comment.value):
            message = "a comment above speaks of the device setter, which is the strategy now"
            file.note(statement, "T2T630", message, kind="note")
            return


def _strategy_name(file: File, node: cst.CSTNode) -> str:
    """A name for a strategy of servers; beside a strategy of towers it says what it is."""
    names = ("strategy", "parameter_server_strategy")
    function = file.function_around(node)
    homes = [file.function_around(each.before) for each in write_towers(file).strategies]
    return fresh_name(file, node, names[1:] if function in homes else names)


@cached_per_file
def _find_chosen(file: File) -> list[cst.Call]:
    """The calls of `tf.device` for a device that the program chooses; those of a setter alone, where it is seen."""
    chosen = [call for call in _find_places(file)[1] if isinstance(call, cst.Call)]
    setters = [
        call
        for call in chosen
        for binding in file.meanings.bindings(call.args[0].value)
        if isinstance(binding, Assigned)
        and any(file.canonical(each) == _SETTER for each in walk(binding.value))
    ]
    return list(dict.fromkeys(setters)) or chosen


def _enter_chosen(file: File) -> Iterator[Change]:
    """`strategy = ParameterServerStrategy(device=...)` and its scope, for the device that the program chooses."""
    for call in _find_chosen(file):
        device = call.args[0].value
        made = f"{file.need('ParameterServerStrategy')}(device={{device}})"
        around = _find_with_to_precede(file, call, call)
        if around is None:
            yield replace(call, f"{made}.scope()", device=device)
            continue
        strategy = _strategy_name(file, call)
        yield Insertion(around, partial(_chosen, f"{strategy} = {made}", device))
        yield replace(call, f"{strategy}.scope()")


def _chosen(template: str, device: cst.BaseExpression, now: Now) -> list[Line]:
    return [line(template, device=as_argument(now(device)))]


@cached_per_file
def _has_a_scope(file: File) -> bool:
    return bool(
        _find_inline_setters(file)
        or _find_named_setters(file)
        or write_towers(file).strategies
        or has_strategy(file)
    )


@cached_per_file
def _find_devices(file: File) -> list[cst.Call]:
    """The calls of `tf.device` with one argument that are not those of towers."""
    loops = {loop.node for loop in find_tower_loops(file)}  # a setter in a loop is for the tower's GPU
    return [
        call
        for call in file.all(cst.Call)
        if len(call.args) == 1
        and is_plain(call.args[0])
        and file.canonical(call.func) == "tf.device"
        and not loops & set(file.ancestors(call))
    ]


def _find_inline_setters(file: File) -> list[tuple[cst.Call, cst.Call]]:
    """Each `tf.device(tf.train.replica_device_setter(...))`, and the setter in it."""
    found = []
    for call in _find_devices(file):
        setter = call.args[0].value
        if isinstance(setter, cst.Call) and file.canonical(setter.func) == _SETTER:
            alone = setter.with_changes(args=[], whitespace_before_args=_NOTHING)
            if not m.findall(call.deep_replace(setter, alone), m.Comment()):
                found.append((call, setter))
    return found


def _rewrite_inline_setters(file: File) -> Iterator[Change]:
    """`with tf.device(tf.train.replica_device_setter(...)):`, the strategy on its own line where that is certain."""
    for call, setter in _find_inline_setters(file):
        name = file.need("ParameterServerStrategy")
        _note_comment(file, file.statement(call))
        around = _find_with_to_precede(file, call, setter)
        if around is None:
            yield Replacement(call, partial(_scope_of_setter, name, setter))
            continue
        strategy = _strategy_name(file, call)
        is_first = around.items[0].item is call
        yield Insertion(around, partial(_strategy_lines, strategy, name, setter, is_first))
        yield replace(call, f"{strategy}.scope()")


def _made(name: str, setter: cst.Call, now: Now) -> cst.Call:
    """The strategy with a setter's arguments; one without servers clears the devices around it."""
    if not setter.args:
        return cst.ensure_type(expression(f"{name}(ps_tasks=0)"), cst.Call)
    made = cst.ensure_type(bare(now(setter)), cst.Call)
    return made.with_changes(func=cst.Name(name), whitespace_after_func=_NOTHING)


def _scope_of_setter(name: str, setter: cst.Call, updated: cst.Call, now: Now) -> cst.BaseExpression:
    scope = cst.Call(cst.Attribute(_made(name, setter, now), cst.Name("scope")))
    return in_its_place(scope, updated)


def _strategy_lines(strategy: str, name: str, setter: cst.Call, keeps_lines: bool, now: Now) -> list[Line]:
    """The strategy on its own line; its arguments keep their lines, or are all on one."""
    made = _made(name, setter, now)
    if not keeps_lines:
        made = made.with_changes(args=[*made.args[:-1], bare(made.args[-1])], whitespace_before_args=_NOTHING)
    assigned = cst.Assign([cst.AssignTarget(cst.Name(strategy))], made)
    return [cst.SimpleStatementLine([assigned])]


def _find_with_to_precede(file: File, call: cst.Call, setter: cst.Call) -> cst.With | None:
    """The `with` before which a setter's strategy can be made; None where it would not certainly be the same there.

    It is the same if the setter is the first that the `with` enters, or if its arguments mean the same before.
    """
    item = file.parent(call)
    around = file.parent(item) if isinstance(item, cst.WithItem) else item
    if not isinstance(around, cst.With) or around.asynchronous or not begins_a_line(file, around):
        return None
    if around.items[0] is item:
        return around if isinstance(around.lpar, cst.MaybeSentinel) else None
    bound = {
        name.value for each in around.items if each.asname for name in walk(each.asname) if is_name(name)
    }
    names = {name.value for given in setter.args for name in walk(given.value) if is_name(name)}
    lines = {file.text.first_line(setter.args[0]), file.text.last_line(setter)} if setter.args else set()
    certain = all(is_certain(file, given.value, value=True) for given in setter.args)
    return around if certain and len(lines) < 2 and bound.isdisjoint(names) else None


@dataclass(frozen=True)
class _Named:
    """A setter with a name, and the calls of `tf.device` that are given the name and that a `with` enters."""

    target: cst.Name
    setter: cst.Call
    uses: tuple[cst.Call, ...]


def _find_named_setters(file: File) -> list[_Named]:
    """Each `setter = tf.train.replica_device_setter(...)` that is only entered: `with tf.device(setter):`."""
    by_use = {
        call.args[0].value: call
        for call in _find_devices(file)
        if isinstance(file.parent(call), cst.WithItem)
    }
    found = []
    for statement in file.all(cst.Assign):
        match statement:
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Name() as target)], value=cst.Call() as setter
            ):
                if file.canonical(setter.func) != _SETTER or not setter.args:
                    continue
            case _:
                continue
        home = file.meanings.home_of(target)
        if [type(binding) for binding in file.meanings.bindings(target)] != [Assigned]:
            continue
        if home is file.meanings.module and not file.main:
            continue
        uses = [
            name
            for name in file.all(cst.Name)
            if name.value == target.value and name is not target and file.meanings.home_of(name) is home
        ]
        if uses and all(use in by_use for use in uses):
            found.append(_Named(target, setter, tuple(by_use[use] for use in uses)))
    return found


def _rewrite_named_setter(file: File, named: _Named) -> Iterator[Change]:
    """Replaces a setter with a name by the strategy, and `tf.device(name)` by the strategy's scope."""
    strategy = _strategy_name(file, named.target)
    _note_comment(file, file.statement(named.target))
    yield replace(named.target, strategy)
    yield replace(named.setter.func, file.need("ParameterServerStrategy"))
    for call in named.uses:
        yield replace(call, f"{strategy}.scope()")


def _is_of_a_cluster(file: File) -> bool:
    """True if a file has what only a program of several processes has."""
    return any(canonical in _OF_CLUSTERS for _, canonical in file.symbols) or any(
        map(_JOB.search, (text for call in _find_devices(file) for text in texts_in(call.args[0].value)))
    )


@cached_per_file
def _find_places(file: File) -> tuple[list[cst.CSTNode], ...]:
    """The places where a worker's graph is built or run: items of `with`, and statements. The best kind comes first.

    The device of a task; one that a function chooses; a graph; any other device; a session.
    """
    devices = [call for call in _find_devices(file) if isinstance(file.parent(call), cst.WithItem)]
    entered = [item.item for node in file.all(cst.With) for item in node.items]
    calls = [call for call in entered if isinstance(call, cst.Call)]
    made = [call for call in file.all(cst.Call) if SESSIONS.fullmatch(last_name(call.func))]
    statements = [file.statement(call) for call in made if call not in entered]
    return (
        [call for call in devices if _names_a_task(file, call.args[0].value)],
        [call for call in devices if _is_chosen(file, call.args[0].value)],
        [call for call in calls if last_name(call.func) == "as_default"],
        [*devices],
        [call for call in calls if call in made],
        [
            each
            for each in statements
            if isinstance(each, cst.BaseSmallStatement) and begins_a_line(file, each)
        ],
    )


def _add_scopes(file: File, places: Sequence[cst.CSTNode]) -> Iterator[Change]:
    """Adds the scope of a strategy that chooses no devices, at the outermost of some places."""
    name = fresh_name(file, file.tree.module, ("strategy",))
    if places:
        made = f"{name} = {file.need('ParameterServerStrategy')}()"
        yield make_before(file, places, lambda now: [line(made)])
    yield from scopes_at(file, places, name)


def _names_a_task(file: File, device: cst.BaseExpression) -> bool:
    """True if a device names a task of the cluster."""
    return any("job:" in text for text in _texts(file, device))


def _is_chosen(file: File, device: cst.BaseExpression) -> bool:
    """True if a device is a name or a call that may give the device of a task."""
    return not any(_texts(file, device)) and not isinstance(device, cst.Attribute) and not is_text(device)


def _texts(file: File, device: cst.BaseExpression) -> list[str]:
    values = [binding.value for binding in file.meanings.bindings(device) if isinstance(binding, Assigned)]
    return [text for value in [device, *values] for text in texts_in(value)]


class ParameterServerScope(Rule):
    """A replica_device_setter's device is a strategy's scope

    `with tf.device(tf.train.replica_device_setter(...)):` puts variables on the parameter servers and the rest of a
    worker's graph on the worker. It becomes the scope of a `ParameterServerStrategy` with the setter's own arguments.
    So does a setter with a name that is only entered. A setter that is passed on, or chosen by `if`, stays a device
    function, and the strategy is made of it where it is entered: `ParameterServerStrategy(device=device_fn)`. So it
    stays where it is the device of a tower. A setter that nothing seen enters is named in a note, as is a comment about
    one that is a strategy now.

    Where a cluster's graph names its tasks itself, the scope of a strategy without arguments is added to these devices,
    and chooses none. Where it names none, the scope is added to its graph, or to the session that runs it.
    """

    sources = ("tf.distribute.ParameterServerStrategy", "tf.compat.v1.train.replica_device_setter")
    examples = (
        Example(
            "a setter's device",
            """
                import tensorflow as tf

                cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1']})
                with tf.device(tf.train.replica_device_setter(worker_device='/job:worker/task:0', cluster=cluster)):
                    w = tf.get_variable('w', [])
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import ParameterServerStrategy, graph_mode

                graph_mode()

                cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1']})
                strategy = ParameterServerStrategy(worker_device='/job:worker/task:0', cluster=cluster)
                with strategy.scope():
                    w = tf.get_variable('w', [])
                """,
        ),
    )

    def applies(self) -> bool:
        """True if the file has no strategy of its own."""
        return not has_strategy(self.file)

    def visit_Module(self, node: cst.Module) -> None:
        """A strategy's scope for each `tf.device` of a setter; if there is none, where a worker's graph is built."""
        file, files = self.file, self.file.program.files
        self.change(_rewrite_inline_setters(file))
        for named in _find_named_setters(file):
            self.change(_rewrite_named_setter(file, named))
        if any(map(_has_a_scope, files)) or not any(map(_is_of_a_cluster, files)):
            return
        if any(map(_has_a_setter, files)) and any(map(_find_chosen, files)):
            self.change(_enter_chosen(file))
        elif any(map(_has_a_setter, files)):
            _note_setters(file)
        else:
            kinds = zip(_find_places(file), *map(_find_places, files), strict=True)
            places = next((own for own, *others in kinds if any(others)), None)
            self.change(_add_scopes(file, places) if places is not None else ())
