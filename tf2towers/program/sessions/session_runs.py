"""The session's calls: what each `sess.run` fetches and feeds, and how its result is taken."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from tf2towers.program.python_code.call_arguments import is_none, value_of_argument
from tf2towers.program.python_code.search import call_statement
from tf2towers.program.statements.value_kinds import INITIALIZER, OP, SESSION, ValueKinds


@dataclass(eq=False)
class Run:
    """One `sess.run(fetches, feed_dict)`.

    `fetches` are the expressions fetched, `is_list` whether a list came back. `feeds` maps placeholder names to the
    expressions fed; `feed_name` is set instead where a dict held in a variable is fed. `targets` are the names that
    take the results one by one, where the statement unpacks them.
    """

    call: cst.Call
    fetches: list[cst.BaseExpression]
    is_list: bool
    is_tuple: bool = False  # fetched as a tuple: a tuple came back
    feeds: dict[str, cst.BaseExpression] = field(default_factory=dict)
    feed_name: str | None = None
    targets: list[cst.BaseExpression] | None = None
    statement: cst.CSTNode | None = None

    @property
    def result_is_left(self) -> bool:
        """Whether nobody takes its result: `sess.run(train_op)`."""
        return call_statement(self.statement) is self.call


@dataclass(frozen=True)
class Unreadable:
    """A session call whose fetches or feeds cannot be told from the text."""

    call: cst.Call
    why: str


class RunFinder(cst.CSTVisitor):
    """Collects the runs in session statements. `value_kinds` must have read the statements already."""

    def __init__(self, value_kinds: ValueKinds) -> None:
        self._value_kinds = value_kinds
        self._assign: cst.Assign | None = None
        self._statement: cst.CSTNode | None = None
        self.runs: list[Run] = []
        self.unreadable: list[Unreadable] = []
        self.dropped: list[cst.Call] = []  # initializers and the like

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> None:
        self._statement = node

    def visit_Assign(self, node: cst.Assign) -> None:
        self._assign = node

    def leave_Assign(self, original_node: cst.Assign) -> None:
        self._assign = None

    def visit_Call(self, node: cst.Call) -> bool:
        func = node.func
        if isinstance(func, cst.Attribute) and func.attr.value == "run":
            owner = self._value_kinds.of(func.value)
            if owner == SESSION:
                self._read(node)
            elif owner == INITIALIZER:
                self.dropped.append(node)
            elif owner == OP:
                self.unreadable.append(Unreadable(node, "an operation that runs itself"))
        return True

    def _read(self, node: cst.Call) -> None:
        fetches = value_of_argument(node, 0, "fetches")
        if fetches is None:
            self.unreadable.append(Unreadable(node, "no fetches"))
            return
        is_list = isinstance(fetches, cst.List | cst.Tuple)
        parts = (
            [element.value for element in fetches.elements]
            if isinstance(fetches, cst.List | cst.Tuple)
            else [fetches]
        )
        if all(self._is_initializer(part) for part in parts) and parts:
            self.dropped.append(node)
            return
        run = Run(
            node,
            parts,
            is_list,
            isinstance(fetches, cst.Tuple),
            statement=self._statement,
            targets=self._targets(node, is_list, len(parts)),
        )
        if self._read_feed(run, value_of_argument(node, 1, "feed_dict")):
            self.runs.append(run)

    def _is_initializer(self, node: cst.BaseExpression) -> bool:
        return self._value_kinds.of(node) == INITIALIZER

    def _targets(self, node: cst.Call, is_list: bool, count: int) -> list[cst.BaseExpression] | None:
        if (
            self._assign is None
            or self._assign.value is not node
            or len(self._assign.targets) != 1
            or not is_list
        ):
            return None
        target = self._assign.targets[0].target
        if isinstance(target, cst.Tuple | cst.List) and len(target.elements) == count:
            return [element.value for element in target.elements]
        return None

    def _read_feed(self, run: Run, feed: cst.BaseExpression | None) -> bool:
        if feed is None or is_none(feed):
            return True
        if isinstance(feed, cst.Name):
            run.feed_name = feed.value
            return True
        if not isinstance(feed, cst.Dict):
            self.unreadable.append(Unreadable(run.call, "its feed_dict is made elsewhere"))
            return False
        for element in feed.elements:
            assert isinstance(element, cst.DictElement) and isinstance(element.key, cst.Name)  # T2T632
            run.feeds[element.key.value] = element.value
        return True
