"""T2T630: the device that `replica_device_setter` chooses is the scope of a parameter-server strategy."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.changes import (
    Change,
    Insertion,
    Line,
    Now,
    Replacement,
    argument,
    as_argument,
    bare,
    comments_above,
    expression,
    in_its_place,
    line,
    replace,
    with_argument,
)
from tf2towers.codemod.nodes import argument as given
from tf2towers.codemod.program import File, found_once
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.towers.device import texts_in
from tf2towers.codemod.towers.loops import StrategyArguments
from tf2towers.codemod.towers.scopes import is_kept
from tf2towers.codemod.towers.servers import (
    SETTER,
    Setter,
    find_devices,
    find_entered_setters,
    find_with_to_precede,
)
from tf2towers.codemod.towers.writing import (
    fresh_name,
    has_strategy,
    write_towers,
)

#: names that only a program of several processes uses
_OF_CLUSTERS = frozenset({"tf.train.Server", "tf.train.ClusterSpec", SETTER})
_NOTHING = cst.SimpleWhitespace("")
#: a part of the device of a cluster's task
_JOB = re.compile(r"job:(?!localhost)")
#: words of a comment about a setter
_SPEAKS_OF_SETTER = re.compile(r"(?i)device[ _]?setter|\bsetter\b")
#: what of TensorFlow makes variables, by the beginning of its name
_MAKE_VARIABLES = (
    "tf.Variable.", "tf.get_variable.", "tf.layers.", "tf.contrib.", "tf.keras.", "tf.train.get_or_create_global_step.",
    "tf.train.create_global_step.", "tf.nn.rnn_cell.", "tf.nn.dynamic_rnn.", "tf.estimator.", "sonnet.", "keras.",
    "tflearn.",
)  # fmt: skip
_STRUCTURES = "tf.contrib.framework.nest."
#: methods that make an optimizer's variables
_MAKE_SLOTS = frozenset({"minimize", "apply_gradients"})


def _has_a_setter(file: File) -> bool:
    return any(canonical == SETTER for _, canonical in file.symbols)


def _note_setters(file: File) -> None:
    """Names the setters that nothing seen enters: a strategy that places nothing would be for show."""
    for node, canonical in file.symbols:
        if canonical == SETTER:
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


@found_once
def _has_a_scope(file: File) -> bool:
    return bool(find_entered_setters(file) or write_towers(file).strategies or has_strategy(file))


# -- setters that are entered ------------------------------------------------------------------------------------------


def _rewrite_setter(
    file: File, setter: Setter, known: dict[Setter, tuple[cst.With, str]]
) -> Iterator[Change]:
    """The strategy in the place of a setter with a name, or on its own line where that is certain; and its scopes.

    A setter with the arguments of an earlier one, as `known` has them, is the same strategy.
    """
    name = file.need("ParameterServerStrategy")
    with_towers = next((each for each in write_towers(file).strategies if each.setter is setter), None)
    if with_towers is None and (again := _made_before(file, setter, known)) is not None:
        yield replace(setter.devices[0], f"{again}.scope()")
        return
    strategy = with_towers.name if with_towers else _strategy_name(file, setter.target or setter.call)
    made = partial(_made, name, with_towers.made if with_towers else StrategyArguments())
    _note_comment(file, file.statement(setter.target or setter.call))
    if setter.target is not None:
        yield replace(setter.target, strategy)
        yield Replacement(setter.call, lambda updated, now: in_its_place(made(updated, now), updated))
    else:
        [call] = setter.devices
        around = find_with_to_precede(file, call, setter.call)
        if around is None:
            yield Replacement(call, partial(_scope_of, made, setter.call))
            return
        is_first = around.items[0].item is call
        known[setter] = around, strategy
        yield Insertion(around, partial(_strategy_lines, strategy, made, setter.call, is_first))
    for call in setter.devices:
        yield replace(call, f"{strategy}.scope()")


def _made_before(file: File, setter: Setter, known: dict[Setter, tuple[cst.With, str]]) -> str | None:
    """The strategy of an earlier setter with the same arguments, where it certainly exists and they mean the same."""
    around = find_with_to_precede(file, setter.devices[0], setter.call) if setter.target is None else None
    parts = {f"part_{place}": each.value for place, each in enumerate(setter.call.args)}
    for earlier, (before, strategy) in known.items():
        if around is not None and file.text.of(earlier.call) == file.text.of(setter.call):
            if is_kept(file, StrategyArguments(parts=parts), before, around):
                return strategy
    return None


def _made(name: str, towers: StrategyArguments, setter: cst.Call, now: Now) -> cst.Call:
    """The strategy with a setter's arguments, and its towers; one without servers clears the devices around it."""
    made = cst.ensure_type(bare(setter), cst.Call)
    args = made.args or [argument("ps_tasks=0")]
    if towers.template:
        parts = {part: as_argument(now(each)) for part, each in towers.parts.items()}
        given = argument("towers=0").with_changes(value=expression(towers.template, **parts))
        commas = [each.comma for each in args[:-1]]
        args = with_argument(args, given)
        if commas:  # a line of its own, as the others have
            args[-2] = args[-2].with_changes(comma=commas[-1])
    return made.with_changes(func=cst.Name(name), whitespace_after_func=_NOTHING, args=args)


def _scope_of(
    made: Callable[[cst.Call, Now], cst.Call], setter: cst.Call, updated: cst.Call, now: Now
) -> cst.BaseExpression:
    scope = cst.Call(cst.Attribute(made(now(setter), now), cst.Name("scope")))
    return in_its_place(scope, updated)


def _strategy_lines(
    strategy: str, made: Callable[[cst.Call, Now], cst.Call], setter: cst.Call, keeps_lines: bool, now: Now
) -> list[Line]:
    """The strategy on its own line; its arguments keep their lines, or are all on one."""
    call = made(now(setter), now)
    if not keeps_lines:
        call = call.with_changes(args=[*call.args[:-1], bare(call.args[-1])], whitespace_before_args=_NOTHING)
    return [cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(strategy))], call)])]


# -- devices of tasks --------------------------------------------------------------------------------------------------


def _is_of_a_cluster(file: File) -> bool:
    """True if a file has what only a program of several processes has."""
    texts = texts_in(*(call.args[0].value for call in find_devices(file)))
    return not _OF_CLUSTERS.isdisjoint(name for _, name in file.symbols) or any(map(_JOB.search, texts))


def _find_setters(file: File) -> list[cst.Call]:
    """The devices that a `with` enters, and that hold a setter."""
    return [
        call
        for call in _find_entered(file)
        for value in file.meanings.values(call.args[0].value)
        if value is not None and any(file.canonical(part) == SETTER for part in nodes.walk(value))
    ]


def _find_tasks(file: File) -> list[cst.Call]:
    """The devices of tasks, by their names, in which a `with` may make variables; not one inside another."""
    return _of_variables(file, lambda device: any("job:" in text for text in _texts(file, device)))


def _find_chosen(file: File) -> list[cst.Call]:
    """The devices that a name or a call gives, which may be those of tasks."""

    def is_chosen(device: cst.BaseExpression) -> bool:
        return (
            not any(_texts(file, device))
            and not isinstance(device, cst.Attribute)
            and not nodes.is_text(device)
        )

    if any(map(_has_a_setter, file.program.files)):
        return [call for call in _find_entered(file) if is_chosen(call.args[0].value)]
    return _of_variables(file, is_chosen)


def _find_entered(file: File) -> dict[cst.Call, cst.CSTNode]:
    """The calls of `tf.device` that a `with` enters, and that `with`."""
    items = {call: file.parent(call) for call in find_devices(file)}
    return {call: file.parent(item) for call, item in items.items() if isinstance(item, cst.WithItem)}


def _of_variables(file: File, fits: Callable[[cst.BaseExpression], bool]) -> list[cst.Call]:
    entered = _find_entered(file)
    fitting = (call for call in entered if fits(call.args[0].value))
    found = [call for call in fitting if _makes_variables(file, entered[call])]
    outer = {entered[call] for call in found}
    return [call for call in found if outer.isdisjoint(file.ancestors(entered[call]))]


def _texts(file: File, device: cst.BaseExpression) -> list[str]:
    return texts_in(device, *filter(None, file.meanings.values(device)))


def _makes_variables(file: File, node: cst.CSTNode) -> bool:
    """True if a `with` may make variables: it calls what does, or a function or class of the program or of a library.

    What it gets again with `reuse=True` is there already.
    """
    calls = nodes.calls_in(*nodes.block(node))
    return any(_makes_a_variable(file, call, node) for call in calls)


def _makes_a_variable(file: File, call: cst.Call, node: cst.CSTNode) -> bool:
    canonical, name = file.called(call), nodes.last_name(call.func)
    made = f"{canonical}.".startswith(_MAKE_VARIABLES) and not canonical.startswith(_STRUCTURES)
    own = not canonical.startswith("tf.") and name in file.program.own_names
    return name in _MAKE_SLOTS or ((made or own) and not _is_reused(file, call, node))


def _is_reused(file: File, call: cst.Call, node: cst.CSTNode) -> bool:
    within = itertools.takewhile(lambda around: around is not node, file.ancestors(call))
    items = (item for around in within if isinstance(around, cst.With) for item in around.items)
    entered = (item.item for item in items if isinstance(item.item, cst.Call))
    return any(nodes.literal(given(each, 99, "reuse")) is True for each in entered)


def _enter_devices(file: File, calls: Sequence[cst.Call], *, chosen: bool) -> Iterator[Change]:
    """`strategy = ParameterServerStrategy(device=...)` and its scopes, for a chosen device or one task.

    A script that gives its variables to several tasks itself has no strategy: the sites are named.
    """
    devices = [call.args[0].value for call in calls]
    texts = {*map(file.text.of, devices)}
    if not chosen and (len(texts) > 1 or any(_is_of_a_loop(file, device) for device in devices)):
        message = "the script itself gives its variables several devices: they are no strategy's scope"
        for call in calls:
            file.note(call, "T2T630", message, kind="note")
        return
    name = file.need("ParameterServerStrategy") if calls else ""
    made: list[tuple[cst.With, str, str]] = []
    for call, device in zip(calls, devices, strict=True):
        around = find_with_to_precede(file, call, call)
        if around is None:
            yield Replacement(call, partial(_scope_of_device, name, device))
            continue
        arguments = StrategyArguments("{device}", {"device": device})
        again = (
            known
            for before, text, known in made
            if text == file.text.of(device) and is_kept(file, arguments, before, around)
        )
        strategy = next(again, None)
        if strategy is None:
            strategy = _strategy_name(file, call)
            made.append((around, file.text.of(device), strategy))
            template = f"{strategy} = {name}(device={{device}})"
            yield Insertion(around, partial(_device_lines, template, device))
        yield replace(call, f"{strategy}.scope()")


def _is_of_a_loop(file: File, device: cst.BaseExpression) -> bool:
    """True if a device is another one in each round of a loop around."""
    loops = (around for around in file.ancestors(device) if isinstance(around, cst.For))
    bound = {
        name.value
        for loop in loops
        for name in nodes.walk(loop)
        if nodes.is_name(name) and file.is_bound(name)
    }
    return not bound.isdisjoint(nodes.names_in(device))


def _scope_of_device(name: str, device: cst.BaseExpression, updated: cst.Call, now: Now) -> Any:
    scope = expression(f"{name}(device={{device}}).scope()", device=as_argument(now(device)))
    return in_its_place(scope, updated)


def _device_lines(template: str, device: cst.BaseExpression, now: Now) -> list[Line]:
    return [line(template, device=as_argument(now(device)))]


class ParameterServerScope(Rule):
    """A replica_device_setter's device is a strategy's scope

    `with tf.device(tf.train.replica_device_setter(...)):` puts variables on the parameter servers and the rest of a
    worker's graph on the worker. It becomes the scope of a `ParameterServerStrategy` with the setter's own arguments.
    So does a setter with a name that is only entered. Setters with the same arguments in one function are one strategy:
    their variables go on the servers in turn. A setter that is passed on, or chosen by `if`, stays a device
    function, and the strategy is made of it where it is entered: `ParameterServerStrategy(device=device_fn)`. So it
    stays where it is the device of a tower. A setter that nothing seen enters is named in a note, as is a comment about
    one that is a strategy now.

    A setter around a tower loop is one strategy with it: `ParameterServerStrategy(cluster=cluster, towers=2)`. Where a
    graph names the task of its variables itself, that device is the strategy's. Several such tasks are named in notes.
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
        """A strategy's scope for each `tf.device` of a setter; if there is none, of the task with the variables."""
        file, files = self.file, self.file.program.files
        known: dict[Setter, tuple[cst.With, str]] = {}
        for setter in find_entered_setters(file):
            self.change(_rewrite_setter(file, setter, known))
        if any(map(_has_a_scope, files)) or not any(map(_is_of_a_cluster, files)):
            return
        has_setter = any(map(_has_a_setter, files))
        for find in (_find_setters, _find_chosen) if has_setter else (_find_tasks, _find_chosen):
            if any(map(find, files)):
                self.change(_enter_devices(file, find(file), chosen=has_setter))
                return
        _note_setters(file)
