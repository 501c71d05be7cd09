"""A training script read statement by statement: which make state, which make tensors, which belong to the session.

Blocks that only set the stage in TF1 (`with tf.Graph().as_default(), tf.device('/cpu:0')`, `with tf.Session() as sess`)
are opened, and their statements read as if they stood one level up.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from tf2towers.program.python_code.data_flow import flow_of, root_name, target_names
from tf2towers.program.python_code.search import find_all
from tf2towers.program.statements.trainer_statement import DROPPED, INPUT, MIXED, TOWERS, TrainerStatement
from tf2towers.program.statements.value_kinds import (
    CONFIG,
    COORDINATION,
    DATASET,
    GRAPH,
    INITIALIZER,
    INPUTS,
    PLAIN,
    SCHEDULE,
    SESSION,
    STATE,
    SUPERVISOR,
    TENSOR,
    ValueKinds,
    family,
)

#: The methods of a Supervisor that give a session.
OF_SUPERVISOR = ("prepare_or_wait_for_session", "managed_session")


class StatementReader:
    """Reads the statements of one function or module, and keeps `value_kinds` up to date on the way."""

    def __init__(self, value_kinds: ValueKinds, loop: cst.For, *, keeps_devices: bool) -> None:
        self.value_kinds = value_kinds
        self.loop = loop
        self._keeps_devices = keeps_devices  # what is on which device is the program's own, not a tower's
        self.opened: list[cst.With] = []
        self._holders: set[cst.CSTNode] = set()
        self._read: set[str] = set()

    def read(self, nodes: Sequence[cst.CSTNode], holders: set[cst.CSTNode]) -> list[TrainerStatement]:
        """The statements of a block. `holders` are the compound statements that contain the tower loop."""
        self._holders = holders
        self._read = flow_of(*nodes).reads
        return self._block(nodes, ())

    def _block(self, nodes: Sequence[cst.CSTNode], contexts: tuple[cst.With, ...]) -> list[TrainerStatement]:
        statements: list[TrainerStatement] = []
        for node in nodes:
            statements.extend(self._statement(node, contexts))
        return statements

    def _statement(self, node: cst.CSTNode, contexts: tuple[cst.With, ...]) -> list[TrainerStatement]:
        if node is self.loop:
            assert isinstance(node, cst.For)
            return [self._towers(node, contexts)]
        if isinstance(node, cst.With):
            if self.is_stage(node):
                self.opened.append(node)
                self._bind_with(node)
                return self._block(node.body.body, contexts)
            if node in self._holders:
                self._bind_with(node)
                return self._block(node.body.body, (*contexts, node))
        if isinstance(node, cst.If) and node in self._holders:
            # `if __name__ == '__main__':`, or a worker's branch
            return self._block(self._branch(node), contexts)
        if isinstance(node, cst.SimpleStatementLine):
            return [self._simple(node, contexts)]
        assert isinstance(node, cst.BaseCompoundStatement)
        return [self._compound(node, contexts)]

    def _branch(self, node: cst.If) -> Sequence[cst.CSTNode]:
        """The branch with the tower loop, or the first one where no branch has it."""
        if any(statement in self._holders for statement in node.body.body) or node.orelse is None:
            return node.body.body
        if isinstance(node.orelse, cst.If):
            return self._branch(node.orelse) if node.orelse in self._holders else node.body.body
        held = any(statement in self._holders for statement in node.orelse.body.body)
        return node.orelse.body.body if held else node.body.body

    def is_stage(self, node: cst.With) -> bool:
        """Whether a with block only sets the stage: graph, device, session, the current variable scope."""
        return all(self._is_stage_item(item) for item in node.items)

    def _is_stage_item(self, item: cst.WithItem) -> bool:
        call = item.item
        if isinstance(call, cst.Name):
            return self.value_kinds.of(call) == SESSION
        if not isinstance(call, cst.Call):
            return False
        canonical = self.value_kinds.resolver.canonical(call.func)
        if canonical == "tf.device":
            return not self._keeps_devices
        if canonical == "tf.Session" or self._makes_session(call):
            return True
        if canonical in ("tf.variable_scope", "tf.variable_op_scope"):
            return is_current_scope(self.value_kinds, call)
        if isinstance(call.func, cst.Attribute) and call.func.attr.value == "as_default":
            return self.value_kinds.of(call.func.value) in (GRAPH, SESSION)
        return False

    def _bind_with(self, node: cst.With) -> None:
        for item in node.items:
            if item.asname is not None and isinstance(item.asname.name, cst.Name):
                self.value_kinds.names[item.asname.name.value] = self.value_kinds.of(item.item)

    def _towers(self, node: cst.For, contexts: tuple[cst.With, ...]) -> TrainerStatement:
        for name in target_names(node.target):
            self.value_kinds.names[name] = PLAIN
        inner = self._block(node.body.body, ())
        flow = flow_of(node)
        return TrainerStatement(node, TOWERS, TENSOR, flow, contexts, inner)

    # -- one statement ----------------------------------------------------------------------------------------------

    def _simple(self, node: cst.SimpleStatementLine, contexts: tuple[cst.With, ...]) -> TrainerStatement:
        details = [self._small(small) for small in node.body]
        detail = details[0] if len(details) == 1 else self.value_kinds.join(details)
        return TrainerStatement(node, self._kind_of_detail(detail), detail, flow_of(node), contexts)

    def _kind_of_detail(self, detail: str) -> str:
        if detail in INPUTS:
            return INPUT
        if detail in (CONFIG, GRAPH, INITIALIZER, COORDINATION):
            return DROPPED
        return family(detail)

    def _small(self, small: cst.BaseSmallStatement) -> str:
        if isinstance(small, cst.Assign):
            kind = self.value_kinds.of(small.value)
            if isinstance(small.value, cst.Name) and kind in INPUTS:
                kind = TENSOR  # another name for a batch, or its parts
            if kind == SUPERVISOR and not flow_of(*small.targets).binds & self._read:
                kind = COORDINATION  # nothing asks it for a session
            for target in small.targets:
                self._bind(target.target, small.value, kind)
            if kind == SESSION and not self._makes_session(small.value):
                for target in small.targets:
                    self._rebind(target.target, PLAIN)
            if kind == PLAIN and any(self._touches_config(target.target) for target in small.targets):
                return CONFIG
            return kind
        if isinstance(small, cst.AugAssign):
            kind = self.value_kinds.join(
                [self.value_kinds.of(small.target), self.value_kinds.of(small.value)]
            )
            if kind in (STATE, SCHEDULE):
                kind = TENSOR
            self._rebind(small.target, kind)
            return kind
        if isinstance(small, cst.Expr):
            kind = self.value_kinds.of(small.value)
            changed = flow_of(small).mutates
            if family(kind) == TENSOR:
                for name in changed:
                    if self.value_kinds.names.get(name, PLAIN) == PLAIN:
                        self.value_kinds.names[name] = TENSOR
            return kind
        if isinstance(small, cst.Return) and small.value is not None:
            return self.value_kinds.of(small.value)
        if isinstance(small, cst.Assert | cst.Raise | cst.Del):
            return self.value_kinds.join([self.value_kinds.of(child) for child in small.children])
        return PLAIN

    def _makes_session(self, value: cst.BaseExpression) -> bool:
        """Whether a value is a session itself, and not something that a session was asked for."""
        if isinstance(value, cst.Name):
            return True
        if not isinstance(value, cst.Call):
            return False
        canonical = self.value_kinds.resolver.canonical(value.func)
        if canonical in ("tf.Session", "tf.train.MonitoredTrainingSession"):
            return True
        method = value.func.attr.value if isinstance(value.func, cst.Attribute) else None
        return method in OF_SUPERVISOR and self.value_kinds.of(value.func.value) == SUPERVISOR  # type: ignore[attr-defined]

    def _touches_config(self, target: cst.BaseExpression) -> bool:
        root = root_name(target)
        return (
            not isinstance(target, cst.Name)
            and root is not None
            and self.value_kinds.names.get(root) == CONFIG
        )

    def _bind(self, target: cst.BaseExpression, value: cst.BaseExpression, kind: str) -> None:
        if isinstance(target, cst.Tuple | cst.List):
            values = value.elements if isinstance(value, cst.Tuple | cst.List) else None
            if values is not None and len(values) == len(target.elements):
                for part, element in zip(target.elements, values, strict=True):
                    self._bind(part.value, element.value, self.value_kinds.of(element.value))
            else:
                given = self.value_kinds.datasets_given(value) if isinstance(value, cst.Call) else None
                if given is not None and len(given) == len(target.elements):
                    for part, is_dataset in zip(target.elements, given, strict=True):
                        self._rebind(part.value, DATASET if is_dataset else PLAIN)
                    return
                for part in target.elements:
                    self._rebind(part.value, TENSOR if family(kind) == TENSOR else kind)
            return
        self._rebind(target, kind)

    def _rebind(self, target: cst.BaseExpression, kind: str) -> None:
        if isinstance(target, cst.Name):
            self.value_kinds.names[target.value] = kind
            return
        if isinstance(target, cst.Tuple | cst.List):
            for part in target.elements:
                self._rebind(part.value, kind)
            return
        root = root_name(target)
        if root is not None and family(kind) in (TENSOR, STATE):
            old_kind = self.value_kinds.names.get(root, PLAIN)
            if family(old_kind) != TENSOR:
                self.value_kinds.names[root] = TENSOR if family(kind) == TENSOR else STATE

    # -- compound statements --------------------------------------------------------------------------------------

    def _compound(self, node: cst.BaseCompoundStatement, contexts: tuple[cst.With, ...]) -> TrainerStatement:
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            self.value_kinds.names.pop(node.name.value, None)
            return TrainerStatement(node, PLAIN, PLAIN, flow_of(node), contexts)
        heads = self._heads(node)
        inner = [statement for block in _blocks(node) for statement in self._block(block, ())]
        found = {statement.kind for statement in inner} | {self._kind_of_detail(kind) for kind in heads}
        found -= {PLAIN, DROPPED} if len(found - {PLAIN, DROPPED}) else {DROPPED}
        kind = self._compound_kind(found)
        return TrainerStatement(
            node, kind, TENSOR if kind == TENSOR else PLAIN, flow_of(node), contexts, inner
        )

    def _compound_kind(self, found: set[str]) -> str:
        if not found:
            return PLAIN
        if SESSION in found:
            return SESSION
        if len(found) == 1:
            return found.pop()
        return MIXED

    def _heads(self, node: cst.BaseCompoundStatement) -> list[str]:
        heads: list[str] = []
        if isinstance(node, cst.If | cst.While):
            heads.append(self.value_kinds.of(node.test))
        elif isinstance(node, cst.For):
            kind = self.value_kinds.of(node.iter)
            read = family(kind) == STATE and not find_all(node.iter, cst.Call)
            heads.append(PLAIN if read else kind)  # over state that is there already
            for name in target_names(node.target):
                self.value_kinds.names[name] = TENSOR if family(kind) == TENSOR else kind
        elif isinstance(node, cst.With):
            heads.extend(self.value_kinds.of(item.item) for item in node.items)
            self._bind_with(node)
        orelse = getattr(node, "orelse", None)
        if isinstance(orelse, cst.If):
            heads.append(self.value_kinds.of(orelse.test))
        return heads


def is_current_scope(value_kinds: ValueKinds, call: cst.Call) -> bool:
    """`tf.variable_scope(tf.get_variable_scope(), ...)`: the scope in force, whatever its `reuse`."""
    if not call.args or not isinstance(call.args[0].value, cst.Call):
        return False
    inner = value_kinds.resolver.canonical(call.args[0].value.func)
    extra = {argument.keyword.value for argument in call.args[1:] if argument.keyword is not None}
    return inner == "tf.get_variable_scope" and len(extra) == len(call.args) - 1 and extra <= {"reuse"}


def _blocks(node: cst.BaseCompoundStatement) -> list[Sequence[cst.CSTNode]]:
    blocks: list[Sequence[cst.CSTNode]] = []
    body = getattr(node, "body", None)
    if isinstance(body, cst.IndentedBlock):
        blocks.append(body.body)
    elif isinstance(body, cst.SimpleStatementSuite):
        blocks.append([cst.SimpleStatementLine(body=[small]) for small in body.body])
    orelse = getattr(node, "orelse", None)
    if isinstance(orelse, cst.If):
        blocks.extend(_blocks(orelse))
    elif orelse is not None:
        blocks.append(orelse.body.body)
    for handler in getattr(node, "handlers", ()):
        blocks.append(handler.body.body)
    finalbody = getattr(node, "finalbody", None)
    if finalbody is not None:
        blocks.append(finalbody.body.body)
    return blocks
