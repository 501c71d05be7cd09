"""`write_towers`: the strategies of a file, their scopes, and what becomes of its tower loops."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import libcst as cst

from tf2towers.codemod.certainty import RANGES
from tf2towers.codemod.changes import (
    Change,
    Insertion,
    Line,
    Now,
    Removal,
    Replacement,
    as_argument,
    blank_lines,
    comments_above,
    expression,
    in_a_statement,
    in_its_place,
    in_line,
    is_blank,
    line,
    small,
    without_last_blanks,
)
from tf2towers.codemod.meanings import Assigned, Binding
from tf2towers.codemod.nodes import (
    Comprehension,
    Statement,
    argument,
    block,
    calls_in,
    has_star,
    imported,
    index_of,
    is_name,
    is_same_name,
    last_name,
    names_in,
    walk,
)
from tf2towers.codemod.program import File, found_once
from tf2towers.codemod.reached import find_unreached_context
from tf2towers.codemod.symbols import RUNTIME
from tf2towers.codemod.towers.device import name_gpus, texts_in
from tf2towers.codemod.towers.gathered import Gathered, is_kept_by_name, tail
from tf2towers.codemod.towers.loops import (
    Loop,
    StrategyArguments,
    count_of,
    find_device_calls,
    find_tower_loops,
    statement_of,
    strategy_argument,
)
from tf2towers.codemod.towers.replica_function import Argument, ReplicaFunction, replica_function
from tf2towers.codemod.towers.scopes import (
    Lines,
    begins_a_line,
    cpu_item,
    enter_scope,
    find_withs_around,
    is_kept,
    is_known_at,
    is_made_before,
    make_before,
    makes_a_graph,
    means_the_same_after,
    scope_for,
    scopes_at,
)
from tf2towers.codemod.towers.servers import Setter, setter_around

_LIMIT = 100
#: what a tower is given is in several rows where one would be longer
_LIMIT_OF_ROWS = 120
#: names for a tower's function
_NAMES = ("tower", "build_tower", "tower_function")
#: a file with GPU loops without gradients in more functions than these has layers that loop over the GPUs themselves
_FUNCTIONS = 4
#: nodes that may leave a part of themselves out, or evaluate it with names of their own
_CONDITIONAL = Comprehension | cst.Lambda | cst.IfExp | cst.BooleanOperation | cst.NamedExpr
#: the name of a second GPU, or a name of a GPU whose number is filled in
_SEVERAL_GPUS = re.compile(r"(?i)^/?(device:)?gpu:(1|%.|\{.*)?$")
#: the type of a loop's target, which a checker would read as a function's in the line of `def`
_TYPE = re.compile(r"#[ \t]*type:(?!\s*ignore)[ \t]*([^#\r\n]*)")
#: names of what a tower's function returns, where the loop's body does not name it
_ITEMS = ("grads", "gradients", *(f"grads_{number}" for number in range(2, 100)))
#: names of what the towers return, where it is much
_RESULTS = ("results", "tower_results")
#: the name of the strategy that functions share, which none of them binds
_SHARED = "the strategy of several functions"
_GRADIENTS = ("compute_gradients", "gradients", "minimize")


@dataclass(frozen=True)
class Strategy:
    """A strategy to write: its name, its arguments (`made`), and the statement before which it is made.

    Attributes:
        scope: the `with` that enters its scope; None if the scope is entered around the towers only.
        is_there: whether an earlier loop's strategy is used again.
        setter: the device setter around, if it is a strategy of servers with these towers.
        may_differ: whether it may have another number of towers than the loop builds.
    """

    name: str
    made: StrategyArguments
    before: cst.CSTNode
    scope: cst.With | None
    is_there: bool = False
    setter: Setter | None = None
    may_differ: bool = False


@dataclass
class TowerChanges:
    """What is written for the towers of a file."""

    changes: list[Change] = field(default_factory=list)
    strategies: list[Strategy] = field(default_factory=list)
    #: the calls that give the mean of what a strategy's towers return, and that strategy
    reduced: dict[cst.Call, str] = field(default_factory=dict)


def fresh_name(file: File, node: cst.CSTNode, names: Sequence[str] = ("strategy",)) -> str:
    """The first of `names` that the file does not use, with a number if the function has the same new name."""
    taken = file.found.setdefault((fresh_name, file.function_around(node)), set())
    name = next((name for name in names if name not in file.names.identifiers), names[0])
    found = file.decided.fresh(name, taken | file.found.get(_SHARED, set()))
    taken.add(found)
    return found


@found_once
def write_towers(file: File) -> TowerChanges:
    """What is written for the towers of a file, once."""
    return _Writer(file).all()


def has_strategy(file: File) -> bool:
    """True if a file has a strategy of the runtime's already: it is migrated."""
    known = {f"{RUNTIME}.TowerStrategy", f"{RUNTIME}.ParameterServerStrategy"}
    return any(name in known for statement in file.imports for _, name in imported(statement))


@found_once
def _outer_loops(file: File) -> list[Loop]:
    """The tower loops of a file that are in no other one; none where they are those of layers."""
    every = {loop.node: loop for loop in find_tower_loops(file)}
    loops = [loop for node, loop in every.items() if every.keys().isdisjoint(file.ancestors(node))]
    layers = {file.function_around(loop.node) for loop in loops if not _takes_gradients(loop.node)}
    return loops if len(layers) <= _FUNCTIONS else []


class _Writer:
    def __init__(self, file: File) -> None:
        self.file = file
        self.made = TowerChanges()
        #: the loops of several functions that share a strategy of the module
        self.shared: dict[cst.CSTNode, Strategy] = {}

    def all(self) -> TowerChanges:
        """Everything that is written."""
        if has_strategy(self.file):
            return self.made
        loops = _outer_loops(self.file)
        self._share([loop for loop in loops if self._stands_alone(loop)])
        for loop in loops:
            self._loop(loop)
        if not self.made.strategies:
            self._without_a_loop()
        return self.made

    def _loop(self, loop: Loop) -> None:
        if not self._stands_alone(loop):
            return
        function = replica_function(self.file, loop)
        strategy = self._strategy(loop, function)
        if function is not None and strategy.may_differ:
            function = self._with_numbers(loop, function)
        if function is not None:
            assert isinstance(loop.node, cst.For)
            self._function(loop.node, function, strategy)
        else:
            self.made.changes += self._rounds(loop, strategy)

    def _with_numbers(self, loop: Loop, function: ReplicaFunction) -> ReplicaFunction | None:
        """A function that takes its number from a list, if the loop says how long that is; None without such a list.

        The strategy may have no number for a tower.
        """
        arguments = function.arguments
        if all(each.over for each in arguments):
            return function
        lists = {
            each.over.value: self.file.meanings.home_of(each.over) for each in arguments if is_name(each.over)
        }
        for call in walk(*block(loop.node)):
            match call:
                case cst.Call(
                    func=func, args=[cst.Arg(keyword=None, star="", value=cst.Name(value=name) as counted)]
                ):
                    is_the_list = name in lists and self.file.meanings.home_of(counted) is lists[name]
                    if is_the_list and self.file.canonical(func) == "builtins.len":
                        given = (each if each.over else each._replace(length=call) for each in arguments)
                        return replace(function, arguments=tuple(given))
        return None

    def _share(self, loops: Sequence[Loop]) -> None:
        """Makes one strategy of the module for the loops of several functions whose number of towers is not seen.

        So it does for those of the methods of one class that have the same towers: they build one model.
        """
        groups: dict[Any, list[Loop]] = {}
        for loop in loops:
            function, made = self.file.function_around(loop.node), self._given(loop)
            scope = scope_for(self.file, loop.node, made)
            if function is None or setter_around(self.file, loop.node) is not None:
                continue
            if scope is not None and makes_a_graph(self.file, scope):
                continue
            owner = self.file.parent(function) if made.template else None
            if owner is None or isinstance(owner, cst.ClassDef):
                groups.setdefault((owner, self._shown(made)), []).append(loop)
        nodes = [
            loop.node
            for group in groups.values()
            for loop in group
            if len({self.file.function_around(each.node) for each in group}) > 1
        ]
        if nodes:
            name = fresh_name(self.file, self.file.tree.module)
            self.file.found[_SHARED] = {name}
            strategy = Strategy(name, StrategyArguments(), self.file.tree.module, None, is_there=True)
            made_here = self._strategy_line(strategy, self.file.body[0])
            insertion = make_before(self.file, nodes, made_here, at_top=True)
            strategy = replace(strategy, before=insertion.node)
            self.made.strategies.append(strategy)
            self.made.changes.append(insertion)
            self.shared = dict.fromkeys(nodes, strategy)

    def _given(self, loop: Loop) -> StrategyArguments:
        """The arguments of a strategy for a loop's towers; none where they are not certain."""
        made = strategy_argument(self.file, loop) or StrategyArguments(self.file.program.towers or "")
        return self._whole_list(loop, made)

    def _stands_alone(self, loop: Loop) -> bool:
        """True if a new statement can precede that of the loop, and the loop's parts mean the same there."""
        statement = statement_of(self.file, loop)
        if not begins_a_line(self.file, statement):
            return False
        around = list(self.file.ancestors(loop.node))
        between = around[: around.index(statement)] if statement is not loop.node else []
        return not any(isinstance(node, _CONDITIONAL) for node in between)

    def _strategy(self, loop: Loop, function: ReplicaFunction | None) -> Strategy:
        """The strategy of a loop: an earlier loop's, or a new one, with what makes it and enters its scope."""
        if loop.node in self.shared:
            return self.shared[loop.node]
        made = self._given(loop)
        if (found := setter_around(self.file, loop.node)) is not None:
            return self._strategy_of_servers(loop, made, *found)
        for known in self.made.strategies:
            if known.scope is not None and known.scope in self.file.ancestors(loop.node):
                if self._is_same(known.made, made):
                    if is_known_at(self.file, known.scope, made):
                        return known
        scope = scope_for(self.file, loop.node, made)
        if scope is not None and any(known.scope is scope for known in self.made.strategies):
            scope = None
        before = scope if scope is not None else statement_of(self.file, loop)
        for known in self.made.strategies if scope is None else ():
            if self._is_same(known.made, made) and is_kept(self.file, made, known.before, before):
                return replace(known, scope=None, is_there=True)
        if scope is None or not makes_a_graph(self.file, scope):
            if (earlier := self._earlier_strategy(loop, made)) is not None:
                return earlier
        name = fresh_name(self.file, loop.node)
        strategy = Strategy(name, made, before, scope)
        self.made.strategies.append(strategy)
        if scope is not None:
            self._enter(strategy, scope)
        elif function is None:
            self._add_strategy(strategy, before)
        return strategy

    def _earlier_strategy(self, loop: Loop, made: StrategyArguments) -> Strategy | None:
        """An earlier strategy for these towers, where a call may have changed their number, or none is seen.

        A graph's first strategy is its strategy, whatever later ones are given. What the loop goes over says how many
        towers it builds.
        """
        statement = statement_of(self.file, loop)
        known = [
            each
            for each in self.made.strategies
            if each.setter is None
            and is_made_before(self.file, each.before, statement)
            and means_the_same_after(self.file, made, each.before, calls=False)
        ]
        same = [each for each in known if self._shown(each.made) == self._shown(made)]
        for strategy in same or (known[-1:] if not made.template else ()):
            scope = strategy.scope if {strategy.scope} & {*self.file.ancestors(loop.node)} else None
            if (
                scope is None
                and strategy.scope is not None
                and cpu_item(self.file, strategy.scope) is not None
            ):
                continue  # its scope is the CPU's device
            towers, differs = replace(strategy.made, counted=False), bool(strategy.made.template)
            return replace(strategy, made=towers, scope=scope, is_there=True, may_differ=differs)
        return None

    def _strategy_of_servers(
        self, loop: Loop, made: StrategyArguments, setter: Setter, scope: cst.With
    ) -> Strategy:
        """The strategy of a device setter around a loop: it has the loop's towers, if they are known where it is made.

        Else, or where another loop has other towers, it takes those that the graph names.
        """
        graph = StrategyArguments()
        for known in self.made.strategies:
            if known.setter is setter:
                fits = self._is_same(known.made, made) and is_known_at(self.file, scope, made)
                return replace(known, made=made if fits else graph, scope=scope)
        is_known = is_known_at(self.file, scope, made) and (
            setter.target is None or is_kept(self.file, made, self.file.statement(setter.call), scope)
        )
        name = fresh_name(self.file, loop.node)
        strategy = Strategy(name, made if is_known else graph, scope, scope, setter=setter)
        self.made.strategies.append(strategy)
        return strategy

    def _whole_list(self, loop: Loop, made: StrategyArguments) -> StrategyArguments:
        """The list `gpus` for `[gpus[i] for i in range(n)]`, if it is made for each of `range(n)`, and only read."""
        towers = count_of(self.file, loop.iterable)
        match loop.device.expression:
            case cst.Subscript(value=cst.Name() as whole) as item if made.counted and towers is not None:
                index = index_of(item)
            case _:
                return made
        if not is_same_name(index, loop.target):
            return made
        match self.file.meanings.bindings(whole):
            case [Assigned(value=cst.ListComp(for_in=cst.CompFor(inner_for_in=None, ifs=[])) as every)]:
                count = count_of(self.file, every.for_in.iter)
            case _:
                return made
        if count is None or self.file.text.of(count) != self.file.text.of(towers):
            return made
        known = StrategyArguments("{towers}", {"towers": towers})
        if not is_kept(self.file, known, self.file.statement(every), statement_of(self.file, loop)):
            return made
        uses = self.file.meanings.uses(whole)
        if not all(self._reads_an_item(use) for use in uses if self.file.is_read(use)):
            return made
        return StrategyArguments("{devices}", {"devices": whole}, counted=True)

    def _reads_an_item(self, name: cst.Name) -> bool:
        around = self.file.parent(name)
        return isinstance(around, cst.Subscript) and around.value is name and self.file.is_read(around)

    def _is_same(self, one: StrategyArguments, other: StrategyArguments) -> bool:
        """True if two strategies have the same arguments, as the script writes them."""
        return one.counted == other.counted and self._shown(one) == self._shown(other)

    def _shown(self, made: StrategyArguments) -> str:
        """A strategy's arguments, as the script has their parts."""
        return made.template.format_map(self._texts(made.parts))

    def _texts(self, parts: Mapping[str, cst.BaseExpression]) -> dict[str, str]:
        return {name: self.file.text.of(part) for name, part in parts.items()}

    def _enter(self, strategy: Strategy, scope: cst.With) -> None:
        """Makes a strategy before a `with`, which enters its scope."""
        self._add_strategy(strategy, scope)
        self.made.changes.append(enter_scope(self.file, scope, f"{strategy.name}.scope()"))

    def _add_strategy(self, strategy: Strategy, before: Statement) -> None:
        """Adds the statement that makes a strategy, before the statement `before`, and before what comments that.

        A comment on the CPU's device is about the strategy then.
        """
        stays = strategy.scope is None or cpu_item(self.file, strategy.scope) is None
        self.made.changes.append(
            Insertion(before, self._strategy_line(strategy, before), above_comments=stays)
        )

    def _strategy_line(self, strategy: Strategy, at: cst.CSTNode) -> Lines:
        """What makes a strategy, in the block of a statement."""
        given = [strategy.made.template] if strategy.made.template else []
        parts = {**strategy.made.parts}
        call = cpu_item(self.file, strategy.scope) if strategy.scope is not None else None
        if call is not None:
            given.append("parameter_device={cpu}")
            parts["cpu"] = call.args[0].value
        head = f"{strategy.name} = {self.file.need('TowerStrategy')}("
        template = self._broken(head, f"{', '.join(given)})", parts, self._indent(at))
        return lambda now: [_line(template, parts, now)]

    def _broken(self, head: str, rest: str, parts: Mapping[str, cst.BaseExpression], indent: str) -> str:
        """A statement that calls something, its arguments on a line of their own where it is too long."""
        row = head.rpartition("\n")[2] + rest.format_map(self._texts(parts))
        if len(indent) + len(row) > _LIMIT:
            return f"{head}\n{self._deeper}{rest}"
        return head + rest

    def _listed(self, names: Sequence[str], indent: str, beside: str) -> str:
        """Names with commas; in brackets and several lines where one is too short for them and what is beside them."""
        rows = textwrap.wrap(", ".join(names), _LIMIT - len(indent) - len(beside))
        broken = f"\n{self._deeper}".join(rows)
        return f"({broken})" if len(rows) > 1 else ", ".join(names)

    def _one_result(self, function: ReplicaFunction, listed: str) -> Sequence[str]:
        """What is returned beside gradients: where it is much, a tuple that the towers' results have as one."""
        if len(function.returned) <= 2:
            return function.returned
        return [listed if listed.startswith("(") else f"({listed})"]

    @property
    def _deeper(self) -> str:
        """The white space of a line that goes on, beside the indentation of its statement."""
        return self.unit if self.unit == "\t" or len(self.unit) > 2 else 2 * self.unit

    def _indent(self, node: cst.CSTNode) -> str:
        """The indentation of the line that a statement is in."""
        return self.file.text.indent(self.file.text.first_line(node))

    @property
    def unit(self) -> str:
        """The white space of one level."""
        return self.file.tree.module.default_indent

    def _function(self, loop: cst.For, function: ReplicaFunction, strategy: Strategy) -> None:
        result = self._listed(function.returned, self._indent(loop) + self.unit, "return ")
        ends = f"return {result}".rstrip()
        for node in function.next_rounds:
            self.made.changes.append(Replacement(node, lambda updated, now: in_line(small(ends), updated)))
        for flag in function.flags:
            self.made.changes += [Removal(flag.made), Removal(flag.changed, "taken")]
        last: Lines = lambda now: [line(f"return {result}")] if result else []  # noqa: E731
        if function.gathered:
            gathering = _Gathering(self.file, loop, function, self._one_result(function, result))
            self.made.changes += gathering.changes()
            last = gathering.last_lines
            calls = (call for each in function.gathered for call in each.reduced)
            self.made.reduced.update(dict.fromkeys(calls, strategy.name))
        name = fresh_name(self.file, loop, _NAMES)
        run = self._run(loop, name, function, strategy)
        is_new = strategy.scope is None and not strategy.is_there
        first = self._strategy_line(strategy, loop) if is_new else lambda now: []
        blank = 1 if self._indent(loop) else 2
        has_gap = block(self.file.parent(loop))[:1] == [loop]
        target = self.file.text.of(loop.target)
        written = _Written(self.file, name, function, target, first, last, run, blank, has_gap)
        self.made.changes.append(Replacement(loop, written.function, and_below=True))

    def _run(self, loop: cst.For, name: str, function: ReplicaFunction, strategy: Strategy) -> Lines:
        """The lines after the function: the strategy's scope, if no `with` around enters it; `strategy.run`."""
        body = cst.ensure_type(loop.body, cst.IndentedBlock)
        indent = self._indent(loop)
        inner = indent + self.unit if strategy.scope is None else indent
        parts: dict[str, cst.BaseExpression] = {}
        given = [self._argument(strategy, argument, parts) for argument in function.arguments]
        comma = "," if len(given) == 1 else ""
        gathered = [each.name for each in function.gathered]
        many = [fresh_name(self.file, loop, _RESULTS)] if len(function.returned) > 2 else []
        results = [*gathered, *(many or function.returned)]
        call = f"{strategy.name}.run("
        head = f"{self._listed(results, inner, f' = {call}')} = " if results else ""
        rest = f"{name}, args=({', '.join(given)}{comma}))"
        run = self._broken(f"{head}{call}", rest, parts, inner)
        if max(map(len, run.format_map(self._texts(parts)).splitlines())) > _LIMIT_OF_ROWS - len(inner):
            each_row = f",\n{self._deeper}      ".join(given)
            run = f"{head}{call}\n{self._deeper}{name},\n{self._deeper}args=({each_row}{comma}))"
        last: list[str] = []
        if function.returned:
            names = ", ".join(function.returned)
            several = f"({names})" if len(function.returned) > 1 else names
            taken = many[0] if many else several
            call = f" = {strategy.name}.experimental_local_results("
            if many and len(f"{inner}{names}{call}{taken})[-1]") > _LIMIT:
                last = [
                    f"{taken}{call}{taken})[-1]",
                    f"{self._listed(function.returned, inner, f' = {taken}')} = {taken}",
                ]
            else:
                last = [self._broken(f"{names}{call}", f"{taken})[-1]", {}, inner)]
        all_towers = [
            f"{each.name} = {strategy.name}.experimental_local_results({each.name})"
            for each in function.gathered
            if each.is_indexed
        ]

        def lines(now: Now) -> list[Line]:
            found = [_line(run, parts, now), *map(line, [*all_towers, *last])]
            if strategy.scope is not None:
                return found
            scope = [cst.WithItem(expression(f"{strategy.name}.scope()"))]
            return [cst.With(scope, cst.IndentedBlock(found, indent=body.indent))]

        return lines

    def _argument(self, strategy: Strategy, argument: Argument, parts: dict[str, cst.BaseExpression]) -> str:
        """What the towers are given, as a template whose parts are added."""
        over = argument.over
        if argument.length is not None:
            parts[f"part_{len(parts)}"] = argument.length
            return f"{strategy.name}.per_replica(range({{part_{len(parts) - 1}}}))"
        if over is None or (argument.is_count and strategy.made.counted):
            return f"{strategy.name}.replica_ids"
        if isinstance(over, cst.Call) and self.file.called(over) in RANGES:
            names = [f"part_{len(parts) + place}" for place in range(len(over.args))]
            parts.update(zip(names, (each.value for each in over.args), strict=True))
            given = zip(over.args, names, strict=True)
            ranged = ", ".join(f"{each.star}{{{name}}}" for each, name in given)
            return f"{strategy.name}.per_replica(range({ranged}))"
        name = f"part_{len(parts)}"
        parts[name] = over
        return f"{strategy.name}.per_replica({{{name}}})"

    def _rounds(self, loop: Loop, strategy: Strategy) -> Iterator[Change]:
        """Puts `strategy.towers(...)` around what a loop goes over; its body enters the scope if no `with` does."""
        over = loop.node if isinstance(loop.node, cst.For) else loop.node.for_in
        yield Replacement(over, partial(_over_towers, strategy.name), loop.iterable)
        if strategy.scope is None:
            inside = set(walk(loop.node))
            sites = [call for call, _ in find_device_calls(self.file) if call in inside]
            found = list(self._entered_with(sites, strategy))
            statement = statement_of(self.file, loop)
            text = self.file.text
            if not found and text.first_line(statement) == text.last_line(statement):
                found += scopes_at(self.file, [statement], strategy.name)
            yield from found

    def _without_a_loop(self) -> None:
        """Writes the scope of a strategy for the towers that the graph names, where no tower loop is found."""
        devices = find_device_calls(self.file)
        sites = [call for call, device in devices if _is_gpu(device)]
        if not any(_is_tower(device) or self._is_in_a_round(call, device) for call, device in devices):
            sites = [call for call, device in devices if self._is_given(device)]
            if any(map(_outer_loops, self.file.program.files)):
                sites = []  # the strategy of their file is around what is built here
        elif self._are_parts_of_a_model(sites):
            for site in sites:
                message = "the GPUs here have parts of a model, and no towers: that is no strategy's scope"
                self.file.note(site, "T2T605", message, kind="note")
            sites = []
        sites += self._given_devices()
        sites = [site for site in sites if find_unreached_context(self.file, site) is None]
        around: dict[cst.With, Strategy] = {}
        alone: list[cst.Call] = []
        for site in sites:
            if any(scope in around for scope in find_withs_around(self.file, site)):
                continue
            # whose scope is a strategy's
            if setter_around(self.file, site) is not None:
                continue
            item = self.file.parent(site)
            own = self.file.parent(item) if isinstance(item, cst.WithItem) else site
            outer = scope_for(self.file, own, StrategyArguments())
            if outer is None:
                alone.append(site)
                continue
            strategy = Strategy(fresh_name(self.file, site), StrategyArguments(), outer, outer)
            around[outer] = strategy
            self.made.strategies.append(strategy)
            self._enter(strategy, outer)
        if alone:
            name = fresh_name(self.file, self.file.tree.module)
            strategy = Strategy(name, StrategyArguments(), self.file.tree.module, None)
            alone = sorted([*alone, *self._cpu_beside(alone)], key=self.file.text.start)
            found = list(self._entered_with(alone, strategy))
            if found:
                # the function of one without a loop may build one of the towers
                at_top = len(alone) == 1 and self.file.around(alone[0], cst.For, cst.While) is None
                made = self._strategy_line(strategy, self.file.body[0])
                insertion = make_before(self.file, alone, made, at_top=at_top)
                self.made.strategies.append(replace(strategy, before=insertion.node))
                self.made.changes.append(insertion)
                self.made.changes += found

    def _are_parts_of_a_model(self, sites: Sequence[cst.Call]) -> bool:
        """True if each `with` enters a GPU of its own, and none calls what another one calls."""
        entered = {site: self.file.parent(self.file.parent(site)) for site in sites}
        if not all(isinstance(around, cst.With) for around in entered.values()):
            return False
        if names_in(*(site.args[0] for site in sites)):
            return False
        bodies = map(block, entered.values())
        calls = [{last_name(call.func) for call in calls_in(*body)} for body in bodies]
        shared = any(one & other for one, other in itertools.combinations(calls, 2))
        each_its_own = len({*map(self.file.text.of, sites)}) == len(sites) > 1
        return each_its_own and not shared and all(calls)

    def _cpu_beside(self, alone: Sequence[cst.Call]) -> Iterator[cst.Call]:
        """The CPU's devices that functions with towers enter elsewhere: what the towers share is built there."""
        functions = {self.file.function_around(site) for site in alone}
        for node in self.file.all(cst.With):
            call = cpu_item(self.file, node)
            if call is not None and self.file.function_around(node) in functions:
                yield call

    def _is_given(self, device: cst.BaseExpression) -> bool:
        """True if a device is chosen elsewhere, in a program that names several GPUs.

        It is a function's parameter that is used outside loops, an attribute that is given one or a GPU, or what a
        function returns in a loop that takes gradients.
        """
        bindings = self.file.meanings.bindings(device)
        around = self.file.ancestors(device)
        loops = [each for each in around if isinstance(each, cst.For | cst.While)]
        if loops:
            values = self.file.meanings.values(device) or [device]
            called = [self.file.called(value) for value in values if isinstance(value, cst.Call)]
            if len(called) != 1 or not any(map(_takes_gradients, loops)) or called[0].startswith("tf."):
                return False
        elif isinstance(device, cst.Attribute):
            if not self._holds_a_device(device):
                return False
        elif not bindings or not all(map(self._is_chosen_by_a_call, bindings)):
            return False
        texts = [text for file in self.file.program.files for text in file.tree.texts]
        of_tasks = bool(loops) and any("job:" in text for text in texts)
        return any(map(_SEVERAL_GPUS.search, texts)) and not of_tasks

    def _is_chosen_by_a_call(self, binding: Binding) -> bool:
        """True if a binding is a function's parameter; one that is the CPU by default has to be given in some call."""
        match getattr(binding, "node", None):
            case cst.Param(name=cst.Name(value=name), default=default) as node:
                pass
            case _:
                return False
        function = self.file.parent(node)
        if not any("cpu" in text for text in texts_in(default or node)):
            return True
        if not isinstance(function, cst.FunctionDef) or node not in function.params.params:
            return True
        is_method = isinstance(self.file.parent(function), cst.ClassDef)
        place, called = function.params.params.index(node) - is_method, function.name.value
        return any(
            has_star(call) or argument(call, place, name) is not None
            for other in self.file.program.files
            for call in other.all(cst.Call)
            if called in (last_name(call.func), "__init__")
        )

    def _holds_a_device(self, device: cst.Attribute) -> bool:
        """True if the program gives an attribute of this name parameters of functions, or GPUs, and nothing else."""
        given = self.file.program.given_to_attributes(device.attr.value)
        bound = ((value, other.meanings.bindings(value)) for other, value in given)
        return bool(given) and all(
            _is_gpu(value) or [type(getattr(each, "node", None)) for each in bindings] == [cst.Param]
            for value, bindings in bound
        )

    def _is_in_a_round(self, call: cst.Call, device: cst.BaseExpression) -> bool:
        """True if a loop that takes gradients enters a GPU: the towers of its other rounds are on other devices."""
        around = (node for node in self.file.ancestors(call) if isinstance(node, cst.For))
        return _is_gpu(device) and any(map(_takes_gradients, around))

    def _entered_with(self, sites: Sequence[cst.Call], strategy: Strategy) -> Iterator[Change]:
        """What enters the scope beside each device that a `with` enters."""
        entered = (site for site in sites if isinstance(self.file.parent(site), cst.WithItem))
        yield from scopes_at(self.file, entered, strategy.name)

    def _given_devices(self) -> Iterator[cst.Call]:
        """What a `with` enters that a function of the program gives: a tower's device."""
        names = {
            function.name.value
            for other in self.file.program.files
            for call, device in find_device_calls(other)
            if _is_tower(device) and isinstance(other.parent(call), cst.Return)
            if (function := other.function_around(call)) is not None
        }
        for item in (item for each in self.file.all(cst.With) for item in each.items):
            if isinstance(item.item, cst.Call) and last_name(item.item.func) in names:
                yield item.item


def _over_towers(strategy: str, updated: Any, now: Now) -> Any:
    """A loop, over `strategy.towers(x)`."""
    towers = cst.Call(expression(f"{strategy}.towers"), [cst.Arg(as_argument(updated.iter))])
    return updated.with_changes(iter=in_its_place(towers, updated.iter))


def _line(template: str, parts: Mapping[str, cst.BaseExpression], now: Now) -> Line:
    """The statement of a template, with what its parts have become."""
    made: Line = line(template, **{name: as_argument(now(part)) for name, part in parts.items()})
    return made


class _Written(NamedTuple):
    """A loop as a function, and what comes after it.

    Attributes:
        target: what the loop binds, as the script writes it.
        first: what makes the strategy, if nothing else does before.
        last: the function's last lines, where its last statement does not return by itself.
        run: the lines after it.
        blank: the number of blank lines around a function.
        has_gap: whether the function begins a block.
    """

    file: File
    name: str
    replica: ReplicaFunction
    target: str
    first: Lines
    last: Lines
    run: Lines
    blank: int
    has_gap: bool

    def function(self, updated: cst.For, now: Now) -> Any:
        """The strategy, `None` for names that nothing binds before, the function, and the lines after it."""
        body = cst.ensure_type(updated.body, cst.IndentedBlock)
        place = len(updated.leading_lines) - comments_above(updated.leading_lines)
        above, beside = [*updated.leading_lines[:place]], [*updated.leading_lines[place:]]
        header = body.header
        if typed := _TYPE.match(header.comment.value if header.comment is not None else ""):
            beside.append(cst.EmptyLine(comment=cst.Comment(f"# {self.target}: {typed[1]}")))
            rest = header.comment.value[typed.end() :] if header.comment is not None else ""
            comment = cst.Comment(rest) if rest else None
            header = header.with_changes(
                comment=comment, whitespace=header.whitespace if comment else cst.SimpleWhitespace("")
            )
        first = self.first(now)
        gap = [*blank_lines(self.blank)]
        names = textwrap.wrap(" ".join(self.replica.unbound), _LIMIT // 2)
        first += [line(f"{row.replace(' ', ' = ')} = None") for row in names]
        if first:
            first[0], above = first[0].with_changes(leading_lines=above), gap
        elif not self.has_gap:
            known = len(above) - len(without_last_blanks(above))
            above += blank_lines(max(0, self.blank - known))
        params = ", ".join(argument.name for argument in self.replica.arguments)
        made = line(f"def {self.name}({params}): pass")
        new = made.with_changes(
            body=self._body(body, now).with_changes(header=header), leading_lines=[*above, *beside]
        )
        after, *more = self.run(now)
        return cst.FlattenSentinel([*first, new, after.with_changes(leading_lines=gap), *more])

    def _body(self, body: cst.IndentedBlock, now: Now) -> cst.IndentedBlock:
        """The loop's body, with declarations and the last lines, which come after the comments at its end."""
        declared = [line(each) for each in _declarations(self.replica)]
        for flag in self.replica.flags:
            comments = _comments_above(self.file, flag.changed)
            declared.append(line(f"{flag.name} = {flag.value}").with_changes(leading_lines=comments))
        last = self.last(now)
        if not last:
            return body.with_changes(body=[*declared, *body.body])
        comments = [*itertools.takewhile(lambda each: not is_blank(each), body.footer)]
        last[0] = last[0].with_changes(leading_lines=[*comments, *last[0].leading_lines])
        return body.with_changes(body=[*declared, *body.body, *last], footer=body.footer[len(comments) :])


class _Gathering:
    """What makes a tower's function return what its loop appended to lists."""

    def __init__(self, file: File, loop: cst.For, function: ReplicaFunction, returned: Sequence[str]) -> None:
        self.file, self.loop, self.function, self.returned = file, loop, function, returned
        #: the function's last lines, where its last statement does not return by itself
        self.last_lines: Lines = lambda now: []
        self._comments: list[cst.Expr] = []

    def changes(self) -> Iterator[Change]:
        """The lists' own statements go; the appends become `return`, or a name, or go."""
        gathered = self.function.gathered
        for made in dict.fromkeys(each.made for each in gathered):
            yield self._without_lists(made)
        at_the_end = tail(self.file, self.loop, gathered)
        names = {each: self._name(each) for each in gathered if each not in at_the_end}
        items = [names.get(each) or f"{{item_{place}}}" for place, each in enumerate(gathered)]
        parts = {f"item_{place}": each.item for place, each in enumerate(gathered) if each not in names}
        template = f"return {', '.join([*items, *self.returned])}"
        for each in gathered:
            if each in names:
                yield self._without_append(each)
            elif each is at_the_end[-1]:
                yield Replacement(each.append, partial(_statement, template, parts))
            else:
                yield Removal(each.append)
        if not at_the_end:
            self.last_lines = partial(self._returned, template)

    def _returned(self, template: str, now: Now) -> list[Line]:
        """`return` with the comments on the appends that are gone."""
        comments = [each for append in self._comments for each in _comments_above(self.file, append)]
        return [line(template).with_changes(leading_lines=comments)]

    def _without_lists(self, made: cst.Assign) -> Change:
        """What takes the lists out of the statement that binds them."""
        places = {each.place for each in self.function.gathered if each.made is made}
        target = made.targets[0].target
        if not isinstance(target, cst.Tuple) or not isinstance(made.value, cst.Tuple):
            return Removal(made, "go" if self._is_commented_alone(made) else "stay")
        kept = [place for place in range(len(target.elements)) if place not in places]
        if not kept:
            return Removal(made)
        parts = {
            f"{name}_{place}": of.elements[place].value
            for place in kept
            for name, of in (("name", target), ("value", made.value))
        }
        names, values = (", ".join(f"{{{name}_{place}}}" for place in kept) for name in ("name", "value"))
        return Replacement(made, partial(_statement, f"{names} = {values}", parts))

    def _is_commented_alone(self, made: cst.Assign) -> bool:
        """True if a comment above a list is about the list: a blank line comes next, and not the towers."""
        following = self.file.tree.following(made) or []
        towers = {self.loop, *self.file.ancestors(self.loop)}
        next_line = self.file.text.line(self.file.text.last_line(made) + 1)
        return not next_line.strip() and following[0] not in towers

    def _name(self, each: Gathered) -> str:
        if is_kept_by_name(self.file, self.loop, each, self.function.local) and self._goes(each):
            return self.file.text.of(each.item)
        found = self.file.found.setdefault((_Gathering, each.append), {})
        if "name" not in found:
            used = {node.value for node in walk(self.loop) if isinstance(node, cst.Name)}
            found["name"] = next(name for name in _ITEMS if name not in used)
        return str(found["name"])

    def _goes(self, each: Gathered) -> bool:
        """True if the statement that appends can go, with other statements around it."""
        return len(block(self.file.parent(each.append))) > 1

    def _without_append(self, each: Gathered) -> Change:
        name = self._name(each)
        if is_kept_by_name(self.file, self.loop, each, self.function.local) and self._goes(each):
            self._comments.append(each.append)  # what they say is said of the return
            return Removal(each.append, "taken")
        return Replacement(each.append, partial(_statement, f"{name} = {{item}}", {"item": each.item}))


def _statement(
    template: str, parts: Mapping[str, cst.BaseExpression], updated: cst.BaseSmallStatement, now: Now
) -> cst.BaseSmallStatement:
    """A statement in the place of another one."""
    given = {name: in_a_statement(as_argument(now(part))) for name, part in parts.items()}
    made = line(template, **given)
    return in_line(cst.ensure_type(made, cst.SimpleStatementLine).body[0], updated)


def _comments_above(file: File, statement: cst.Expr | cst.Assign) -> Sequence[cst.EmptyLine]:
    """The comments directly above a statement that has a line of its own."""
    own = file.tree.line(statement)
    if not isinstance(own, cst.SimpleStatementLine) or len(own.body) > 1:
        return ()
    return own.leading_lines[len(own.leading_lines) - comments_above(own.leading_lines) :]


def _declarations(function: ReplicaFunction) -> Iterator[str]:
    """`nonlocal loss, summaries`, in lines that are not too long."""
    for word, names in function.outer.items():
        for row in textwrap.wrap(", ".join(names), _LIMIT - 20):
            yield f"{word} {row.rstrip(',')}"


def _takes_gradients(loop: cst.CSTNode) -> bool:
    return any(isinstance(node, cst.Attribute) and node.attr.value in _GRADIENTS for node in walk(loop))


def _is_gpu(device: cst.BaseExpression) -> bool:
    """True if `tf.device` is given a GPU of this machine."""
    return name_gpus(texts_in(device))


def _is_tower(device: cst.BaseExpression) -> bool:
    """True if `tf.device` is given a second GPU, or one that depends on something."""
    return _is_gpu(device) and (
        bool(names_in(device)) or any(text.rstrip().endswith("gpu:1") for text in texts_in(device))
    )
