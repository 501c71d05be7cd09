"""`write_towers`: the strategies of a file, their scopes, and what becomes of its tower loops, as edits."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import libcst as cst

from tf2towers.codemod.certainty import RANGES
from tf2towers.codemod.edits import Edit, as_it_was
from tf2towers.codemod.nodes import (
    Comprehension,
    block,
    decorators,
    imported,
    is_name,
    last_name,
    literal,
    targets,
    walk,
)
from tf2towers.codemod.program import File, cached_per_file
from tf2towers.codemod.removal import remove_statement, with_comments
from tf2towers.codemod.symbols import RUNTIME
from tf2towers.codemod.towers.device import texts_in
from tf2towers.codemod.towers.gathered import Gathered, is_kept_by_name, tail
from tf2towers.codemod.towers.loops import (
    Loop,
    StrategyArguments,
    as_argument,
    find_device_calls,
    find_tower_loops,
    moved_expression,
    statement_of,
    strategy_argument,
)
from tf2towers.codemod.towers.replica_function import Argument, ReplicaFunction, replica_function
from tf2towers.codemod.towers.scopes import (
    cpu_item,
    enter_scope,
    find_withs_around,
    is_kept,
    is_known_at,
    scope_for,
)

_LIMIT = 100
#: names for a tower's function
_NAMES = ("tower", "build_tower", "tower_function")
#: a file with GPU loops without gradients in more functions than these has layers that loop over the GPUs themselves
_FUNCTIONS = 4
#: nodes that may leave a part of themselves out, or evaluate it with names of their own
_CONDITIONAL = Comprehension | cst.Lambda | cst.IfExp | cst.BooleanOperation | cst.NamedExpr
#: the name of a second GPU, or a name of a GPU whose number is filled in
_SEVERAL_GPUS = re.compile(r"(?i)^/?(device:)?gpu:(1|%.|\{.*)?$")
#: the type of a loop's target, which a checker would read as a function's in the line of `def`
_TYPE = re.compile(r"[ \t]*#[ \t]*type:(?!\s*ignore)[ \t]*([^#\r\n]*)")
#: names of what a tower's function returns, where the loop's body does not name it
_ITEMS = ("grads", "gradients", *(f"grads_{number}" for number in range(2, 100)))
_GRADIENTS = ("compute_gradients", "gradients", "minimize")


@dataclass(frozen=True)
class Strategy:
    """A strategy to write: its name, its arguments (`made`), and the statement before which it is made.

    Attributes:
        scope: the `with` that enters its scope; None if the scope is entered around the towers only.
        is_there: whether an earlier loop's strategy is used again.
    """

    name: str
    made: StrategyArguments
    before: cst.CSTNode
    scope: cst.With | None
    is_there: bool = False


@dataclass
class TowerEdits:
    """What is written for the towers of a file."""

    edits: list[Edit] = field(default_factory=list)
    strategies: list[Strategy] = field(default_factory=list)
    #: the calls that give the mean of what a strategy's towers return, and that strategy
    reduced: dict[cst.Call, str] = field(default_factory=dict)


def fresh_name(file: File, node: cst.CSTNode, names: Sequence[str]) -> str:
    """The first of `names` that the file does not use, with a number if the function has the same new name."""
    taken = file.found.setdefault((fresh_name, file.function_around(node)), set())
    name = next((name for name in names if name not in file.identifiers), names[0])
    found, number = name, 1
    known = file.identifiers | taken | file.program.names_by_stars
    while found in known:
        number += 1
        found = f"{name}_{number}"
    taken.add(found)
    return found


@cached_per_file
def write_towers(file: File) -> TowerEdits:
    """What is written for the towers of a file, once."""
    return _Writer(file).all()


def has_strategy(file: File) -> bool:
    """True if a file has a strategy of the runtime's already: it is migrated."""
    known = {f"{RUNTIME}.TowerStrategy", f"{RUNTIME}.ParameterServerStrategy"}
    return any(name in known for statement in file.imports for _, name in imported(statement))


def begins_a_line(file: File, node: cst.CSTNode) -> bool:
    """True if nothing precedes a node on its line."""
    text, start = file.text, file.text.start(node)
    return not text.text[text.line_start(text.line_of(start)) : start].strip()


def scopes_at(file: File, places: Iterable[cst.CSTNode], strategy: str) -> Iterator[Edit]:
    """The edits that enter a strategy's scope at some places, in the order of the text; not at one inside another.

    The scope precedes what a `with` enters there, or becomes a `with` of its own around a statement of one line.
    """
    done: set[cst.CSTNode] = set()
    for place in places:
        statement, start = file.statement(place), file.text.start(place)
        if done.isdisjoint({statement, *file.ancestors(statement)}):
            done.add(statement)
            indent = file.text.indent(file.text.line_of(start)) + file.tree.module.default_indent
            after = f":{file.text.newline}{indent}" if statement is place else ", "
            yield Edit(start, start, f"{'with ' if statement is place else ''}{strategy}.scope(){after}")


def make_before(file: File, places: Sequence[cst.CSTNode], line: str, *, at_top: bool = False) -> Edit:
    """The edit that writes a strategy's line before all places: in their function, or at the top of the module."""
    functions = {file.function_around(place) for place in places}
    home = functions.pop() if len(functions) == 1 and not at_top else None
    around = nodes_around(file, places)
    statement = next(each for each in (block(home) if home is not None else file.body) if each in around)
    if home is None:
        file.import_before(file.body.index(statement))
    text = file.text
    first = text.first_line(statement)
    if isinstance(statement, cst.FunctionDef | cst.ClassDef):
        first = min([first, *map(text.first_line, decorators(statement))])
    indent = text.indent(first)
    while text.line(first - 1).strip().startswith("#") and text.indent(first - 1) == indent:
        first -= 1
    is_definition = isinstance(statement, cst.FunctionDef | cst.ClassDef)
    after = text.newline * (3 if is_definition and home is None else 1)
    return Edit(text.line_start(first), text.line_start(first), f"{indent}{line}{after}")


def nodes_around(file: File, places: Iterable[cst.CSTNode]) -> set[cst.CSTNode]:
    """Some nodes, and all that they are in."""
    return {each for place in places for each in (place, *file.ancestors(place))}


class _Writer:
    def __init__(self, file: File) -> None:
        self.file = file
        self.made = TowerEdits()

    def all(self) -> TowerEdits:
        """Everything that is written."""
        if has_strategy(self.file):
            return self.made
        every = {loop.node: loop for loop in find_tower_loops(self.file)}
        loops = [loop for node, loop in every.items() if every.keys().isdisjoint(self.file.ancestors(node))]
        layers = {self.file.function_around(loop.node) for loop in loops if not _takes_gradients(loop.node)}
        if len(layers) <= _FUNCTIONS:
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
        if function is not None:
            assert isinstance(loop.node, cst.For)
            self.made.edits += self._function(loop.node, function, strategy)
        else:
            self.made.edits += self._rounds(loop, strategy)

    def _stands_alone(self, loop: Loop) -> bool:
        """True if a new statement can precede that of the loop, and the loop's parts mean the same there."""
        statement = statement_of(self.file, loop)
        if not begins_a_line(self.file, statement):
            return False
        around = list(self.file.ancestors(loop.node))
        between = around[: around.index(statement)] if statement is not loop.node else []
        return not any(isinstance(node, _CONDITIONAL) for node in between)

    def _strategy(self, loop: Loop, function: ReplicaFunction | None) -> Strategy:
        """The strategy of a loop: an earlier loop's, or a new one, with the edits that make it and enter its scope."""
        made = strategy_argument(self.file, loop) or StrategyArguments(self.file.program.towers or "")
        for known in self.made.strategies:
            if known.scope is not None and known.scope in self.file.ancestors(loop.node):
                if self._is_same(known.made, made):
                    if is_known_at(self.file, known.scope, made):
                        return known
        scope = scope_for(self.file, loop.node, made)
        if scope is not None and any(known.scope is scope for known in self.made.strategies):
            scope = None
        before: cst.CSTNode = scope if scope is not None else statement_of(self.file, loop)
        for known in self.made.strategies if scope is None else ():
            if self._is_same(known.made, made) and is_kept(self.file, made, known.before, before):
                return replace(known, scope=None, is_there=True)
        name = fresh_name(self.file, loop.node, ("strategy",))
        strategy = Strategy(name, made, before, scope)
        self.made.strategies.append(strategy)
        if scope is not None:
            self._add_strategy(strategy, scope)
            self.made.edits += enter_scope(self.file, scope, f"{name}.scope()")
        elif function is None:
            self._add_strategy(strategy, before)
        return strategy

    def _is_same(self, one: StrategyArguments, other: StrategyArguments) -> bool:
        """True if two strategies have the same arguments, as the script writes them."""
        return one.counted == other.counted and self._shown(one.text) == self._shown(other.text)

    def _shown(self, text: str) -> str:
        return as_it_was(text, self.file.text.text)

    def _add_strategy(self, strategy: Strategy, before: cst.CSTNode) -> None:
        """Adds the statement that makes a strategy, before the statement `before`."""
        place = self.file.text.start(before)
        indent = self.file.text.indent(self.file.text.line_of(place))
        self.made.edits.append(
            Edit(place, place, self._strategy_lines(strategy, indent) + self.file.text.newline + indent)
        )

    def _strategy_lines(self, strategy: Strategy, indent: str) -> str:
        given = [strategy.made.text] if strategy.made.text else []
        call = cpu_item(self.file, strategy.scope) if strategy.scope is not None else None
        if call is not None:
            given.append(f"parameter_device={self.file.text.of(call.args[0].value)}")
        head = f"{strategy.name} = {self.file.need('TowerStrategy')}("
        return self._broken(head, f"{', '.join(given)})", indent)

    def _broken(self, head: str, rest: str, indent: str) -> str:
        if len(indent) + len(head) + len(self._shown(rest)) > _LIMIT:
            deeper = self.unit if self.unit == "\t" or len(self.unit) > 2 else 2 * self.unit
            return head + self.file.text.newline + indent + deeper + rest
        return head + rest

    @property
    def unit(self) -> str:
        """The white space of one level."""
        return self.file.tree.module.default_indent

    def _function(self, loop: cst.For, function: ReplicaFunction, strategy: Strategy) -> Iterator[Edit]:
        text = self.file.text
        newline = text.newline
        start = text.start(loop)
        indent = text.indent(text.line_of(start))
        body = block(loop)
        inner = text.indent(text.line_of(text.start(body[0])))
        colon = self._colon(loop)
        name = fresh_name(self.file, loop, _NAMES)
        header = f"def {name}({', '.join(argument.name for argument in function.arguments)}):"
        typed = _TYPE.match(text.text, colon)
        above_it = f"# {text.of(loop.target)}: {typed[1]}{newline}{indent}" if typed else ""
        yield Edit(start, typed.end() if typed else colon, above_it + header, whole=True)
        blank = newline * (2 if not indent else 1)
        above, lines_above = self._above(loop)
        blank_above = newline * max(0, len(blank) // len(newline) - lines_above)
        unbound = " = ".join([*function.unbound, "None"]) if function.unbound else ""
        if unbound:
            yield Edit(above, above, f"{indent}{unbound}{newline}{blank}")
        elif blank_above:
            yield Edit(above, above, blank_above)
        result = ", ".join(function.returned)
        for node in function.next_rounds:
            yield self.file.replace(node, f"return {result}".rstrip())
        last_lines = [f"return {result}"] if result else []
        if function.gathered:
            gathering = _Gathering(self.file, loop, function)
            yield from gathering.edits()
            last_lines = gathering.last_lines
            calls = (call for each in function.gathered for call in each.reduced)
            self.made.reduced.update(dict.fromkeys(calls, strategy.name))
        if function.outer:
            first = text.line_start(text.line_of(colon - 1) + 1)
            yield Edit(first, first, "".join(f"{inner}{line}{newline}" for line in _declarations(function)))
        lines = [f"{indent}{line}" for line in self._run(name, function, strategy, indent)]
        lines = [*(inner + line for line in last_lines), *blank.splitlines(), *lines]
        end = self._end(loop, inner)
        joined = newline.join(lines) + newline
        if end == len(text.text) and text.text[-1] not in "\r\n":
            joined = newline + joined
        yield Edit(end, end, joined)

    def _run(self, name: str, function: ReplicaFunction, strategy: Strategy, indent: str) -> Iterator[str]:
        """The lines after the function: the strategy and its scope, if no `with` around enters it; `strategy.run`."""
        inner = ""
        if strategy.scope is None:
            if not strategy.is_there:
                yield self._strategy_lines(strategy, indent)
            yield f"with {strategy.name}.scope():"
            inner = self.unit
        given = [self._argument(strategy, argument) for argument in function.arguments]
        comma = "," if len(given) == 1 else ""
        rest = f"{name}, args=({', '.join(given)}{comma}))"
        all_names = [*(each.name for each in function.gathered), *function.returned]
        head = f"{', '.join(all_names)} = " if all_names else ""
        yield inner + self._broken(f"{head}{strategy.name}.run(", rest, indent + inner)
        if function.returned:
            names = ", ".join(function.returned)
            given_names = f"({names})" if len(function.returned) > 1 else names
            head = f"{names} = {strategy.name}.experimental_local_results("
            yield inner + self._broken(head, f"{given_names})[-1]", indent + inner)

    def _argument(self, strategy: Strategy, argument: Argument) -> str:
        """What the towers are given."""
        if argument.over is None or (argument.is_count and strategy.made.counted):
            return f"{strategy.name}.replica_ids"
        over = as_argument(self.file, argument.over)
        if isinstance(argument.over, cst.Call) and self.file.canonical(argument.over.func) in RANGES:
            over = f"range({', '.join(moved_expression(self.file, each) for each in argument.over.args)})"
        return f"{strategy.name}.per_replica({over})"

    def _colon(self, loop: cst.For) -> int:
        """The offset after the colon of a loop's header."""
        text = self.file.text.text
        place = self.file.text.end(loop.iter)
        while text[place] != ":":
            place = text.index("\n", place) if text[place] == "#" else place + 1
        return place + 1

    def _above(self, loop: cst.For) -> tuple[int, int]:
        """The offset of a loop's first line, comments included, and the blank lines above; 2 where a block begins."""
        text = self.file.text
        line = text.line_of(text.start(loop))
        while line > 1 and text.line(line - 1).strip().startswith("#"):
            line -= 1
        if block(self.file.parent(loop))[:1] == [loop]:
            return text.line_start(line), 2
        blank = 0
        while line - blank > 1 and not text.line(line - blank - 1).strip():
            blank += 1
        return text.line_start(line), blank

    def _end(self, loop: cst.For, inner: str) -> int:
        """The offset after a loop's last line, and the comments of its body that follow."""
        text = self.file.text
        line = text.last_line(loop) + 1
        while line <= len(text.starts):
            row = text.line(line)
            if not row.strip().startswith("#") or len(text.indent(line)) < len(inner):
                break
            line += 1
        return text.line_start(line)

    def _rounds(self, loop: Loop, strategy: Strategy) -> Iterator[Edit]:
        """Puts `strategy.towers(...)` around what a loop goes over; its body enters the scope if no `with` does."""
        text = self.file.text
        start, end = text.start(loop.iterable), text.end(loop.iterable)
        over = as_argument(self.file, loop.iterable)
        yield Edit(start, end, f"{strategy.name}.towers({over})", whole=True)
        if strategy.scope is None:
            inside = set(walk(loop.node))
            sites = [call for call, _ in find_device_calls(self.file) if call in inside]
            found = list(self._entered_with(sites, strategy))
            statement = statement_of(self.file, loop)
            is_simple = not isinstance(statement, cst.BaseCompoundStatement)
            if not found and (is_simple or "\n" not in text.of(statement).rstrip()):
                found += scopes_at(self.file, [statement], strategy.name)
            yield from found

    def _without_a_loop(self) -> None:
        """Writes the scope of a strategy for the towers that the graph names, where no tower loop is found."""
        devices = find_device_calls(self.file)
        sites = [call for call, device in devices if _is_gpu(device)]
        if not any(_is_tower(device) or self._is_in_a_round(call, device) for call, device in devices):
            sites = [call for call, device in devices if self._is_given(device)]
        sites += self._given_devices()
        around: dict[cst.With, Strategy] = {}
        alone: list[cst.Call] = []
        for site in sites:
            if any(scope in around for scope in find_withs_around(self.file, site)):
                continue
            item = self.file.parent(site)
            own = self.file.parent(item) if isinstance(item, cst.WithItem) else site
            outer = scope_for(self.file, own, StrategyArguments())
            if outer is None:
                alone.append(site)
                continue
            strategy = Strategy(fresh_name(self.file, site, ("strategy",)), StrategyArguments(), outer, outer)
            around[outer] = strategy
            self.made.strategies.append(strategy)
            self._add_strategy(strategy, outer)
            self.made.edits += enter_scope(self.file, outer, f"{strategy.name}.scope()")
        if alone:
            name = fresh_name(self.file, self.file.tree.module, ("strategy",))
            strategy = Strategy(name, StrategyArguments(), self.file.tree.module, None)
            alone = sorted([*alone, *self._cpu_beside(alone)], key=self.file.text.start)
            found = list(self._entered_with(alone, strategy))
            if found:
                self.made.strategies.append(strategy)
                loops = (
                    each for each in nodes_around(self.file, alone) if isinstance(each, cst.For | cst.While)
                )
                at_top = len(alone) == 1 and not any(loops)  # its function may build one of the towers
                self.made.edits.append(
                    make_before(self.file, alone, self._strategy_lines(strategy, ""), at_top=at_top)
                )
                self.made.edits += found

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
        loops = [around for around in self.file.ancestors(device) if isinstance(around, cst.For | cst.While)]
        if loops:
            values = [getattr(each, "value", device) for each in bindings] or [device]
            called = [value.func for value in values if isinstance(value, cst.Call)]
            known = (self.file.canonical(each) or "" for each in called)
            if len(called) != 1 or not any(map(_takes_gradients, loops)) or next(known).startswith("tf."):
                return False
        elif isinstance(device, cst.Attribute):
            if not self._holds_a_device(device):
                return False
        elif not bindings or not all(isinstance(getattr(each, "node", None), cst.Param) for each in bindings):
            return False
        files = self.file.program.files
        texts = [str(literal(each)) for file in files for each in file.tree.literals]
        return any(map(_SEVERAL_GPUS.search, texts)) and not (loops and any("job:" in text for text in texts))

    def _holds_a_device(self, device: cst.Attribute) -> bool:
        """True if the program gives an attribute of this name parameters of functions, or GPUs, and nothing else."""
        given = [
            (other, statement.value)
            for other in self.file.program.files
            for statement in other.all(cst.Assign)
            for target in targets(statement)
            if isinstance(target, cst.Attribute) and target.attr.value == device.attr.value
        ]
        return bool(given) and all(
            _is_gpu(value)
            or [type(getattr(each, "node", None)) for each in other.meanings.bindings(value)] == [cst.Param]
            for other, value in given
        )

    def _is_in_a_round(self, call: cst.Call, device: cst.BaseExpression) -> bool:
        """True if a loop that takes gradients enters a GPU: the towers of its other rounds are on other devices."""
        around = (node for node in self.file.ancestors(call) if isinstance(node, cst.For))
        return _is_gpu(device) and any(map(_takes_gradients, around))

    def _entered_with(self, sites: Sequence[cst.Call], strategy: Strategy) -> Iterator[Edit]:
        """The edits that enter the scope beside each device that a `with` enters."""
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


class _Gathering:
    """The edits by which a tower's function returns what its loop appended to lists."""

    def __init__(self, file: File, loop: cst.For, function: ReplicaFunction) -> None:
        self.file, self.loop, self.function = file, loop, function
        #: the function's last lines, where its last statement does not return by itself
        self.last_lines: list[str] = []
        self._comments: list[str] = []

    def edits(self) -> Iterator[Edit]:
        """The lists' own statements go; the appends become `return`, or a name, or go."""
        for made in dict.fromkeys(each.made for each in self.function.gathered):
            yield self._without_lists(made)
        at_the_end = tail(self.file, self.loop, self.function.gathered)
        items = [
            moved_expression(self.file, each.item) if each in at_the_end else self._name(each)
            for each in self.function.gathered
        ]
        returned = f"return {', '.join([*items, *self.function.returned])}"
        for each in self.function.gathered:
            if each not in at_the_end:
                yield from self._without_append(each)
            elif each is at_the_end[-1]:
                yield Edit(
                    self.file.text.start(each.append), self.file.text.end(each.append), returned, whole=True
                )
            else:
                yield remove_statement(self.file, each.append)
        if not at_the_end:
            self.last_lines = [*self._comments, returned]

    def _without_lists(self, made: cst.Assign) -> Edit:
        """The edit that takes the lists out of the statement that binds them."""
        places = {each.place for each in self.function.gathered if each.made is made}
        target = made.targets[0].target
        if not isinstance(target, cst.Tuple) or not isinstance(made.value, cst.Tuple):
            gone = remove_statement(self.file, made)
            return with_comments(self.file, gone, made) if self._is_commented_alone(made) else gone
        kept = [place for place in range(len(target.elements)) if place not in places]
        if not kept:
            return remove_statement(self.file, made)
        names, values = (
            ", ".join(moved_expression(self.file, each.elements[place].value) for place in kept)
            for each in (target, made.value)
        )
        return Edit(self.file.text.start(made), self.file.text.end(made), f"{names} = {values}", whole=True)

    def _is_commented_alone(self, made: cst.Assign) -> bool:
        """True if a comment above a list is about the list: a blank line comes next, and not the towers."""
        siblings: list[cst.CSTNode] = [*block(self.file.parent(made))]
        following = siblings[siblings.index(made) + 1 :]
        towers = {self.loop, *self.file.ancestors(self.loop)}
        return (
            not self.file.text.line(self.file.text.last_line(made) + 1).strip() and following[0] not in towers
        )

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

    def _without_append(self, each: Gathered) -> Iterator[Edit]:
        text, name = self.file.text, self._name(each)
        if not is_kept_by_name(self.file, self.loop, each, self.function.local) or not self._goes(each):
            yield Edit(
                text.start(each.append), text.end(each.append), f"{name} = {moved_expression(self.file, each.item)}",
                whole=True,
            )  # fmt: skip
            return
        gone = remove_statement(self.file, each.append)
        line = text.first_line(each.append)
        first = line
        while text.line(first - 1).strip().startswith("#"):
            first -= 1
        if first < line and gone.start == text.line_start(line):  # what it says is said of the return
            self._comments += [text.line(row).strip() for row in range(first, line)]
            gone = replace(gone, start=text.line_start(first))
        yield gone


def _declarations(function: ReplicaFunction) -> Iterator[str]:
    """`nonlocal loss, summaries`, in lines that are not too long."""
    for word, names in function.outer.items():
        for line in textwrap.wrap(", ".join(names), _LIMIT - 20):
            yield f"{word} {line.rstrip(',')}"


def _takes_gradients(loop: cst.CSTNode) -> bool:
    return any(isinstance(node, cst.Attribute) and node.attr.value in _GRADIENTS for node in walk(loop))


def _is_gpu(device: cst.BaseExpression) -> bool:
    """True if `tf.device` is given a GPU of this machine."""
    texts = texts_in(device)
    return any("gpu" in text for text in texts) and not any("job:" in text for text in texts)


def _is_tower(device: cst.BaseExpression) -> bool:
    """True if `tf.device` is given a second GPU, or one that depends on something."""
    depends = any(is_name(node) for node in walk(device))
    return _is_gpu(device) and (depends or any(text.rstrip().endswith("gpu:1") for text in texts_in(device)))
