"""Which names live on: what may read a name after a loop, or in its next round, before anything binds it again.

The classic analysis of live variables, backwards over the statements of one function (or module), on its own names as
LibCST's scopes say which. What is not certain counts as a read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.program import File
from tf2towers.codemod.towers.means import find_definition

Names = frozenset[str]
_NONE: Names = frozenset()
#: what a `with` enters and what suppresses no error
_ENTERED = frozenset({"as_default", "arg_scope", "device", "name_scope", "variable_scope", "scope"})


@dataclass
class After:
    """What lives after a loop: names that may be read after it, and those that a handler of its errors may read."""

    names: Names = _NONE
    on_error: Names = _NONE


@dataclass
class _Ways:
    """What lives where a jump goes: an error, a `break`, a `continue`."""

    error: Names = _NONE
    left: Names = _NONE
    next_round: Names = _NONE


@dataclass
class LiveNames:
    """The names of one function or module, `home`."""

    file: File
    home: cst.FunctionDef | cst.Module
    _after: dict[cst.CSTNode, After] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._statements(nodes.block(self.home), _NONE, _Ways())

    def after(self, loop: cst.For) -> After | None:
        """What lives after a loop of this home; None for one that is not among its statements."""
        return self._after.get(loop)

    def before_a_round(self, loop: cst.For, after: Names) -> Names:
        """What may be read in a round before the round has bound it, if `after` is read after the round."""
        return self._statements(nodes.block(loop), after, _Ways(next_round=after))

    def is_own(self, name: cst.Name) -> bool:
        """True if a name is one of this home's, wherever it is used."""
        found = self.file.meanings.home_of(name)
        return found is not None and self.file.meanings.node_of(found) is self.home

    def closures(self) -> Iterator[tuple[str, cst.CSTNode]]:
        """Each own name that is used in what may be run later, and that function, lambda or generator."""
        for name in self.file.all(cst.Name):
            if not self.is_own(name):
                continue
            scope, outermost = self.file.meanings.scope(name), None
            while (node := self.file.meanings.node_of(scope)) is not self.home:
                if isinstance(node, cst.FunctionDef | cst.Lambda | cst.GeneratorExp):
                    outermost = node
                scope = scope.parent
            if outermost is not None:
                yield name.value, outermost

    def _statements(self, statements: Sequence[nodes.Statement], live: Names, ways: _Ways) -> Names:
        for statement in reversed(statements):
            live = self._statement(statement, live, ways) | ways.error
        return live

    def _statement(self, node: nodes.Statement, live: Names, ways: _Ways) -> Names:
        if isinstance(node, cst.If):
            either = self._statements(nodes.block(node), live, ways) | self._statements(
                nodes.orelse(node), live, ways
            )
            return self._before(node.test, either)
        if isinstance(node, cst.For | cst.While):
            return self._loop(node, live, ways)
        if isinstance(node, cst.With):
            return self._with(node, live, ways)
        if isinstance(node, cst.Try | cst.TryStar):
            return self._try(node, live, ways)
        if isinstance(node, cst.Match):
            cases = [self._statements(nodes.block(case), live, ways) for case in node.cases]
            inside = (self._reads(case) for case in node.cases)
            return self._before(node.subject, live.union(*cases, *inside))
        if isinstance(node, cst.Return | cst.Raise):
            live = ways.error
        elif isinstance(node, cst.Break):
            live = ways.left
        elif isinstance(node, cst.Continue):
            live = ways.next_round
        return self._before(node, live)

    def _loop(self, node: cst.For | cst.While, live: Names, ways: _Ways) -> Names:
        if isinstance(node, cst.For):
            known = self._after.setdefault(node, After())
            known.names, known.on_error = known.names | live, known.on_error | ways.error
        ends = self._statements(nodes.orelse(node), live, ways)
        head, found = ends, None
        while found != head:
            found = head
            inside = self._statements(nodes.block(node), head, _Ways(ways.error, live, head))
            if isinstance(node, cst.For):
                head = ends | self._before(node.target, inside)
            else:
                head = self._before(node.test, ends | inside)
            head |= found
        return self._before(node.iter, head) if isinstance(node, cst.For) else head

    def _with(self, node: cst.With, live: Names, ways: _Ways) -> Names:
        if self.lets_errors_pass(node):
            inside = self._statements(nodes.block(node), live, ways)
        else:
            inside = live | self._statements(
                nodes.block(node), live, _Ways(ways.error | live, ways.left, ways.next_round)
            )
        for item in reversed(node.items):
            inside = self._before(item, inside)
        return inside

    def lets_errors_pass(self, node: cst.With) -> bool:
        """True if a `with` certainly suppresses no error."""
        return all(self._lets_errors_pass(item.item) for item in node.items)

    def _lets_errors_pass(self, entered: cst.BaseExpression) -> bool:
        if not isinstance(entered, cst.Call):
            return False
        canonical = self.file.called(entered)
        if canonical.startswith("tf."):
            return not canonical.startswith("tf.train.")
        called = entered.func
        if isinstance(called, cst.Attribute) and called.attr.value in _ENTERED:
            return True
        return canonical == "builtins.open" or self._is_generator_without_try(called)

    def _is_generator_without_try(self, called: cst.BaseExpression) -> bool:
        """True if it is a function of the program under `contextlib.contextmanager`, and no error stops in it.

        It has no `try`, `with` and `yield from`.
        """
        match find_definition(self.file, called):
            case home, cst.FunctionDef(decorators=[decorated]) as function:
                run = nodes.walk(*nodes.block(function), but=(cst.FunctionDef,))
                holds = any(
                    isinstance(each, cst.Try | cst.TryStar | cst.With)
                    or (isinstance(each, cst.Yield) and isinstance(each.value, cst.From))
                    for each in run
                )
                return home.canonical(decorated.decorator) == "contextlib.contextmanager" and not holds
        return False

    def _try(self, node: cst.Try | cst.TryStar, live: Names, ways: _Ways) -> Names:
        final = nodes.block(node.finalbody)
        if final:  # whatever leaves goes through it
            live = self._statements(final, live | ways.error | ways.left | ways.next_round, _Ways(ways.error))
            ways = _Ways(ways.error | live, ways.left | live, ways.next_round | live)
        handled = ways.error
        for handler in node.handlers:
            handled |= self._before(handler, self._statements(nodes.block(handler), live, ways))
        inner = _Ways(ways.error | handled, ways.left, ways.next_round)
        after = self._statements(nodes.orelse(node), live, ways)
        return self._statements(nodes.block(node), after, inner) | handled

    def _before(self, node: cst.CSTNode | None, live: Names) -> Names:
        """What lives before something is evaluated, from what lives after it."""
        if node is None:
            return live
        if isinstance(node, cst.Name):
            return self._name(node, live)
        if isinstance(node, cst.NamedExpr):  # which may not be reached
            return self._before(node.value, live)
        if isinstance(node, cst.Lambda):  # it may be called at once
            return live | self._reads(node)
        if isinstance(node, cst.FunctionDef):
            live = (live - {node.name.value}) | self._reads(node)
            return self._all_before([*nodes.decorators(node), *nodes.defaults(node)], live)
        if isinstance(node, cst.ClassDef):
            return (live - {node.name.value}) | self._reads(node)
        if isinstance(node, nodes.Comprehension):
            return live | self._reads(node)
        if isinstance(node, nodes.Import):
            return live - {nodes.bound_by(alias) for alias in nodes.aliases(node)}
        if isinstance(node, cst.Assign):
            return self._before(node.value, self._all_before(nodes.targets(node), live))
        if isinstance(node, cst.AugAssign):
            return self._before(node.value, self._before(node.target, live) | self._reads(node.target))
        if isinstance(node, cst.AnnAssign):
            if node.value is None:
                return live
            return self._before(node.value, self._before(node.target, live) | self._reads(node.annotation))
        if isinstance(node, cst.ExceptHandler | cst.ExceptStarHandler):
            if node.name is not None:
                live = self._before(node.name.name, live)
            return self._before(node.type, live)
        return self._all_before(nodes.children(node), live)

    def _all_before(self, parts: Sequence[cst.CSTNode], live: Names) -> Names:
        for node in reversed(parts):
            live = self._before(node, live)
        return live

    def _name(self, node: cst.Name, live: Names) -> Names:
        if not nodes.is_name(node) or not self.is_own(node):
            return live
        return live - {node.value} if self.file.is_bound(node) else live | {node.value}

    def _reads(self, node: cst.CSTNode) -> Names:
        return frozenset(name.value for name in nodes.find_names(node) if self.is_own(name))
