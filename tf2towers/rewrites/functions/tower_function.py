"""The tower loop's body as the replica function, and learning rates as functions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile

import libcst as cst

from tf2towers.program.python_code.data_flow import flow_of, target_names, upward_exposed
from tf2towers.program.python_code.search import code_of
from tf2towers.program.sessions.batch_input import Input
from tf2towers.program.statements.trainer_statement import TOWERS
from tf2towers.program.towers.tower_loop import range_count
from tf2towers.program.training import TowerPart, Training
from tf2towers.rewrites.files.file_context import parse_statement, unwrapped
from tf2towers.rewrites.functions.moved_statements import MovedStatements
from tf2towers.rewrites.functions.tower_statements import is_enumerate
from tf2towers.rewrites.statements.unread_names import without_unread_names


class TowerFunctions(MovedStatements):
    """Builds `def tower(...)`."""

    def tower_function(self, part: TowerPart | None = None) -> cst.FunctionDef:
        """`def tower(images, labels)`: the loop's body, once for the tower that runs it; or the part a step needs."""
        training = self.training
        loop = training.tower.loop
        self._part = part
        live = self.live_names(part)
        slice_before = part.slice_before if part is not None else training.tower_needs
        body: list[cst.BaseStatement] = [
            parse_statement(
                f'"""What the loop built on each {_device_text(training)}: returns {", ".join(live) or "nothing"}."""'
            )
        ]
        reads = flow_of(loop.body).reads
        body.extend(self._list_heads())
        for statement in slice_before.statements:
            body.extend(self.moved(statement))
        body.extend(self._index_statements(loop, reads))
        for name in sorted(training.body.flags):
            body.append(parse_statement(f"{name} = {self.context.need('tower_index')}() > 0"))
        inner = self.moved_all(training.tower_loop_statement.inner)
        for block in reversed(training.tower_loop_statement.contexts):
            inner = [self._rewritten(block).with_changes(body=cst.IndentedBlock(inner), leading_lines=[])]
        body.extend(inner)
        if live:
            body.append(parse_statement(f"return {', '.join(live)}"))
        body = without_unread_names(body, reads)  # `gpu = gpu_ids[i]`, for a device
        params = self._names_of(self.tower_inputs(part))
        self._part = None
        name = part.name if part is not None else self.tower_name
        head = self._definition(name, params, body, [f"{self.given['variables']}.scope()"])
        if part is not None:
            return head
        comments = list(dropwhile(lambda line: line.comment is None, loop.leading_lines))
        return head.with_changes(leading_lines=[cst.EmptyLine(indent=False), *comments])

    def live_names(self, part: TowerPart | None) -> list[str]:
        """What the tower, or a part of it, returns."""
        if part is None:
            return self.live
        bound = {name for statement in part.keep for name in statement.flow.writes}
        return [name for name in self.live if name in bound]

    def tower_inputs(self, part: TowerPart | None = None) -> list[Input]:
        """The inputs the tower takes."""
        if part is not None:
            return part.inputs
        needs = self.training.tower_needs.needs | upward_exposed(self.training.tower.loop.body.body)
        return [input_ for input_ in self.training.inputs if input_.each_tower or set(input_.names) & needs]

    def _index_statements(self, loop: cst.For, reads: set[str]) -> list[cst.BaseStatement]:
        names = self.training.value_kinds.resolver
        target = unwrapped(loop.target)
        if not target_names(loop.target) & reads:
            return []
        own = self.context.need("tower_index")
        if range_count(loop.iter, names) is not None:
            return [parse_statement(f"{target} = {own}()")]
        if is_enumerate(loop, self.training) and isinstance(loop.target, cst.Tuple):
            assert isinstance(loop.iter, cst.Call)
            index = code_of(loop.target.elements[0].value)
            item = code_of(loop.target.elements[1].value)
            made = [parse_statement(f"{index} = {own}()")]
            if target_names(loop.target.elements[1].value) & reads:
                source = self._rewritten(loop.iter.args[0].value)
                made.append(parse_statement(f"{item} = {_indexable(source)}[{index}]"))
            return made
        return [parse_statement(f"{target} = {_indexable(self._rewritten(loop.iter))}[{own}()]")]

    def _list_heads(self) -> list[cst.BaseStatement]:
        """The lists a tower still fills: empty, as the loop met them."""
        heads: list[cst.BaseStatement] = []
        for name in sorted(self._collected() - set(self._single_append)):
            for statement in self.training.statements:
                if statement.assign is not None and name in statement.flow.binds and statement.kind != TOWERS:
                    heads.append(self._rewritten(statement.node).with_changes(leading_lines=[]))
                    break
        return heads

    def _names_of(self, inputs: Sequence[Input]) -> list[str]:
        names: list[str] = []
        for input_ in inputs:
            if input_ not in self.training.fed_rates:
                names.extend(name for name in input_.names if name not in names)
        return names


def _indexable(node: cst.BaseExpression) -> str:
    code = code_of(node)
    return f"list({code})" if isinstance(node, cst.Call) else code


def _device_text(training: Training) -> str:
    return code_of(training.tower.device).replace('"', "'").replace("\n", " ")
