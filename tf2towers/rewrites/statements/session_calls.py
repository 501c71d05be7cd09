"""The session's calls in place: `sess.run(...)` becomes a call of the step it stands for."""

from __future__ import annotations

import libcst as cst

from tf2towers.program.python_code.data_flow import target_names
from tf2towers.program.python_code.search import code_of, find_all, only_small
from tf2towers.program.sessions.batch_input import Input
from tf2towers.program.sessions.session_runs import Run
from tf2towers.program.statements.value_kinds import OP, PLACEHOLDER
from tf2towers.program.training import Step, Training, placeholders_of
from tf2towers.rewrites.expressions.fed_types import converts_what_is_fed
from tf2towers.rewrites.expressions.training_calls import TrainingRewriter
from tf2towers.rewrites.files.file_context import FileContext, parse_expression
from tf2towers.rewrites.statements.fetched_values import is_one_value


class CannotCall(Exception):
    """Why a run cannot become a call of its step."""


class SessionCalls:
    """Decides what every step returns and writes the expression of every session call."""

    def __init__(
        self, context: FileContext, training: Training, given: dict[str, str], feeds: dict[str, list[str]]
    ) -> None:
        self.context = context
        self.training = training
        self.given = given
        self.feeds = feeds  # feed dict variable -> the placeholders it may hold
        self.replaced: dict[cst.CSTNode, cst.BaseExpression] = {}
        self.targets: dict[cst.CSTNode, cst.BaseExpression] = {}

    # -- what a step returns ------------------------------------------------------------------------------------------

    def is_op(self, fetch: cst.BaseExpression) -> bool:
        """Whether a fetch is an op, whose value is None."""
        return self.training.value_kinds.of(fetch) == OP

    def returned(self, step: Step) -> list[cst.BaseExpression | None]:
        """What the step returns: the values fetched, and None for ops where a caller counts on their place."""
        ops = [self.is_op(fetch) for fetch in step.fetches]
        if not any(ops) or not self._keeps_places(step):
            return [fetch for fetch, op in zip(step.fetches, ops, strict=True) if not op]
        return [None if op else fetch for fetch, op in zip(step.fetches, ops, strict=True)]

    def _keeps_places(self, step: Step) -> bool:
        return any(
            run.is_list and not run.result_is_left and self._prunable(run) is None for run in step.runs
        )

    def _prunable(self, run: Run) -> list[cst.BaseExpression] | None:
        """The targets left when those of ops are taken out; None when an op's target is used or there are none."""
        if run.targets is None:
            return None
        kept = []
        for fetch, target in zip(run.fetches, run.targets, strict=True):
            if not self.is_op(fetch):
                kept.append(target)
            elif not (
                isinstance(target, cst.Name) and (target.value.startswith("_") or self._unused(target.value))
            ):
                return None
        return kept

    def _result_unused(self, run: Run) -> bool:
        small = only_small(run.statement)
        if not isinstance(small, cst.Assign) or small.value is not run.call:
            return False
        names = target_names(small.targets[0].target)
        return all(name.startswith("_") or self._unused(name) for name in names)

    def _unused(self, name: str) -> bool:
        return not any(name in statement.flow.reads for statement in self.training.statements)

    # -- the calls ------------------------------------------------------------------------------------

    def rewrite(self, step: Step, run: Run, params: list[str]) -> None:
        """Fills in the expression for one run; raises CannotCall where it cannot."""
        call = f"{step.name}({self._arguments(step, run, params)})"
        values = [fetch for fetch in step.fetches if not self.is_op(fetch)]
        returned = self.returned(step)
        if not values and not run.result_is_left and not self._result_unused(run):
            raise CannotCall("the value of an op is used")
        if run.result_is_left or not values:
            self.replaced[run.call] = parse_expression(call)
            return
        if not run.is_list:
            self.replaced[run.call] = parse_expression(self._value_of(call, values[0]))
            return
        kept = self._prunable(run)
        if kept is not None and len(returned) == len(values):
            if len(kept) == 1:
                self.replaced[run.call] = parse_expression(self._value_of(call, values[0]))
                self._retarget(run, kept[0])
                return
            self.replaced[run.call] = parse_expression(f"{self.context.need('to_numpy')}({call})")
            self._retarget(run, _tuple(kept))
            return
        if len(returned) == 1:
            value = self._value_of(call, values[0])
            self.replaced[run.call] = parse_expression(f"({value},)" if run.is_tuple else f"[{value}]")
        else:
            values_of = f"{self.context.need('to_numpy')}({call})"
            self.replaced[run.call] = parse_expression(
                values_of if run.targets is not None or run.is_tuple else f"list({values_of})"
            )

    def _value_of(self, call: str, fetch: cst.BaseExpression) -> str:
        """The NumPy value of a step that returns one fetch."""
        if is_one_value(fetch, self.training):
            return f"{call}.numpy()"
        return f"{self.context.need('to_numpy')}({call})"

    def _retarget(self, run: Run, target: cst.BaseExpression) -> None:
        assert isinstance(run.statement, cst.SimpleStatementLine)
        for small in run.statement.body:
            if isinstance(small, cst.Assign) and small.value is run.call:
                self.targets[small.targets[0].target] = target

    def _arguments(self, step: Step, run: Run, params: list[str]) -> str:
        fed = set(run.feeds)
        if run.feed_name is not None:
            held = self.feeds.get(run.feed_name)
            if held is None:
                raise CannotCall("its feed_dict is made elsewhere")
            fed |= set(held)
        order = [name for name in run.feeds if name in params]
        calls = {name for name, value in run.feeds.items() if find_all(value, cst.Call)}
        if not calls <= set(order):
            raise CannotCall("what it is fed beside its inputs may do something")
        parts: list[str] = []
        signed = self.is_signed(step, params)
        if calls and order != [name for name in params if name in run.feeds]:
            rates = {
                name for rate in self.training.fed_rates for name in rate.names
            }  # parameters of another name
            if run.feed_name is not None or len(order) < len(params) or rates & set(order):
                raise CannotCall("what it is fed comes in another order than its inputs")
            values = {name: code_of(self._rewritten(run.feeds[name])) for name in order}
            return ", ".join(f"{name}={self._converted(name, values[name], signed)}" for name in order)
        index = 0
        while index < len(params):
            name = params[index]
            if name in fed:
                if name in run.feeds:
                    parts.append(self._converted(name, code_of(self._rewritten(run.feeds[name])), signed))
                index += 1
                continue
            source = self._source(name)
            if source is None:
                raise CannotCall(f"{name} is neither fed nor made by an iterator")
            if params[index : index + len(source.names)] != source.names:
                raise CannotCall(f"its inputs come in another order than {', '.join(source.names)}")
            following = self.next_batch(source)
            parts.append(following if source.whole else f"*{following}")
            index += len(source.names)
        if run.feed_name is not None:
            parts.append(f"**{run.feed_name}")
        return ", ".join(parts)

    def is_signed(self, step: Step, params: list[str]) -> bool:
        """Whether the step has an input_signature, which converts what it is given."""
        return all(
            sum(placeholder.dtype is not None for placeholder in placeholders_of(step, name, self.training))
            == 1
            for name in params
        )

    def _converted(self, name: str, value: str, signed: bool) -> str:
        """A fed value as the placeholder would have taken it: its dtype, and no new trace for a new Python number."""
        dtype = next(
            (
                input_.dtype
                for input_ in self.training.inputs
                if input_.names == [name] and input_.dtype is not None
            ),
            None,
        )
        if signed or dtype is None:
            return value
        kind = code_of(self._rewritten(dtype))
        convert = self.context.need("as_fed") if converts_what_is_fed(kind) else "tf.convert_to_tensor"
        return f"{convert}({value}, {kind})"

    def _rewritten(self, node: cst.BaseExpression) -> cst.CSTNode:
        rewriter = TrainingRewriter(self.context, self.training, self.replaced, False, self.given)
        made = node.visit(rewriter)
        assert isinstance(made, cst.CSTNode)
        return made

    def _source(self, name: str) -> Input | None:
        """The iterator that gives `name` when it is not fed."""
        taken = (
            input_ for input_ in self.training.inputs if name in input_.names and input_.kind != PLACEHOLDER
        )
        return next(taken, None)

    def next_batch(self, source: Input) -> str:
        """The expression for the next batch of an iterator, or for one of it for each tower."""
        if source.each_tower and source.queued:
            return f"{self.iterator_name(source)}.of_each_tower({self.given['strategy']})"
        if source.each_tower:
            towers = self.context.need("batch_of_each_tower")
            return f"{towers}({self.given['strategy']}, {self.iterator_name(source)})"
        return f"{self.iterator_name(source)}.get_next()"

    def iterator_name(self, source: Input) -> str:
        """The variable that holds the iterator of a get_next input."""
        if isinstance(source.source, cst.Name):
            return source.source.value
        return self.given[f"input:{id(source)}"]


def _tuple(targets: list[cst.BaseExpression]) -> cst.BaseExpression:
    return cst.Tuple(
        [cst.Element(target) for target in targets],
        lpar=[],
        rpar=[],
    )
