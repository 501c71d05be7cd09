"""Calls that change meaning in a tower program: gradients, averaging, the update, savers, writers, moving averages."""

from __future__ import annotations

from typing import Any

import libcst as cst

from tf2towers.names.old_names import todays_name
from tf2towers.program.python_code.call_arguments import argument, value_of_argument
from tf2towers.program.statements.value_kinds import (
    COORDINATION,
    GRAPH,
    OPTIMIZER,
    SAVER,
    SCHEDULE,
    SESSION,
    STATE,
    SUPERVISOR,
)
from tf2towers.program.training import Training
from tf2towers.rewrites.expressions.call_arguments import keyword, trimmed
from tf2towers.rewrites.expressions.cluster_calls import cluster_call, supervisor_call
from tf2towers.rewrites.expressions.tensorflow_symbols import SymbolRewriter
from tf2towers.rewrites.files.file_context import FileContext, parse_expression

_PLACEMENT = frozenset({"colocate_gradients_with_ops", "aggregation_method", "gate_gradients"})


class TrainingRewriter(SymbolRewriter):
    """Rewrites the expressions of a statement of the training program.

    `in_function` says that the statement goes into a tf.function: a learning-rate schedule is called there, since a TF2
    schedule is a function of nothing. `replaced` holds the nodes that other rewrites have an expression for.
    """

    def __init__(
        self,
        context: FileContext,
        training: Training,
        replaced: dict[cst.CSTNode, cst.BaseExpression],
        in_function: bool,
        names: dict[str, str],
    ) -> None:
        super().__init__(context)
        self.training = training
        self.value_kinds = training.value_kinds
        self._variables[0] |= {name for name, kind in training.value_kinds.names.items() if kind == STATE}
        self.replaced = replaced
        self.in_function = in_function
        self.given = names  # the names of `variables` and `strategy` in the file
        self.without_towers = False  # in a step that runs no tower: the graph's variables are the store's
        self.now: dict[str, str] = {}  # schedule -> the name that holds its value
        self.elsewhere = 0  # how deep in functions other than the trainer's
        self._not_values: set[cst.CSTNode] = set()
        self._with_calls: set[cst.CSTNode] = set()  # calls that a with block enters

    def on_visit(self, node: cst.CSTNode) -> bool:
        if node in self.replaced:
            return False
        return super().on_visit(node)

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        if original_node in self.replaced:
            return self.replaced[original_node]
        return super().on_leave(original_node, updated_node)

    # -- a schedule is called where its value is wanted ---------------------------------------------------------------

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword is not None:
            self._not_values.add(node.keyword)

    def visit_WithItem(self, node: cst.WithItem) -> None:
        self._with_calls.add(node.item)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        self._not_values.add(node.attr)
        return super().visit_Attribute(node)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        if isinstance(node.target, cst.Name):
            self._not_values.add(node.target)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        if original_node in self._not_values or not self.in_function:
            return updated_node
        if self.value_kinds.names.get(original_node.value) == SCHEDULE:
            now = self.now.get(original_node.value)
            return cst.Name(now) if now is not None else cst.Call(updated_node)
        return updated_node

    def leave_List(self, original_node: cst.List, updated_node: cst.List) -> cst.BaseExpression:
        """Hooks without the one of synchronous updates."""
        if self.training.tower.cluster is None:
            return updated_node
        pairs = zip(original_node.elements, updated_node.elements, strict=True)
        kept = [new for old, new in pairs if self.value_kinds.of(old.value) != COORDINATION]
        if len(kept) == len(updated_node.elements):
            return updated_node
        if kept:
            kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return updated_node.with_changes(elements=kept)

    # -- calls --------------------------------------------------------------------------------------------------------

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        func = original_node.func
        if isinstance(func, cst.Attribute):
            owner = self.value_kinds.of(func.value)
            method = func.attr.value
            if owner == OPTIMIZER and method == "compute_gradients":
                return self._gradients(updated_node)
            if owner == OPTIMIZER and method == "apply_gradients":
                return self._apply(updated_node)
            if owner == OPTIMIZER and method == "minimize":
                return self._minimize(updated_node)
            if owner == SAVER and method in ("save", "restore"):
                return updated_node.with_changes(args=trimmed(updated_node.args[1:]))
            if owner == SUPERVISOR:
                return supervisor_call(method, updated_node, original_node in self._with_calls)
        canonical = self.names.canonical(func)
        cluster = self.training.tower.cluster
        if canonical is not None and cluster is not None:
            variables = self.given["variables"]
            made = cluster_call(
                canonical, original_node, updated_node, cluster, variables, self.context, self
            )
            if made is not None:
                return made
        if canonical == "tf.train.start_queue_runners":
            return self._start(updated_node)
        if canonical in ("tf.train.Saver",):
            return self._saver(original_node, updated_node)
        if canonical is not None and todays_name(canonical) == "tf.summary.FileWriter":
            kept = [
                arg
                for original, arg in zip(original_node.args, updated_node.args, strict=True)
                if self.value_kinds.of(original.value) not in (GRAPH, SESSION)
            ]
            return updated_node.with_changes(
                func=cst.Name(self.context.need("FileWriter")), args=trimmed(kept)
            )
        if canonical == "tf.device" and len(original_node.args) == 1:
            if isinstance(original_node.args[0].value, cst.SimpleString):  # compat.v1's takes functions too
                return updated_node.with_changes(func=parse_expression("tf.device"))
        in_owner = (not self.in_function or self.without_towers) and self.elsewhere == 0
        if canonical in ("tf.global_variables", "tf.all_variables", "tf.trainable_variables") and in_owner:
            which = "trainable_variables" if canonical == "tf.trainable_variables" else "global_variables"
            return updated_node.with_changes(func=parse_expression(f"{self.given['variables']}.{which}"))
        return super().leave_Call(original_node, updated_node)

    def _start(self, call: cst.Call) -> cst.BaseExpression:
        """`tf.train.start_queue_runners(sess, coord)`: the batches have their own session."""
        coordinator = value_of_argument(call, 1, "coord")
        kept = [cst.Arg(coordinator)] if coordinator is not None else []
        return call.with_changes(func=parse_expression(f"{self.given['batches']}.start"), args=kept)

    def _gradients(self, call: cst.Call) -> cst.BaseExpression:
        args = _without_placement(call)
        if len(args) == 1 < len(call.args):  # it had a line of its own because of the others
            call = call.with_changes(whitespace_before_args=cst.SimpleWhitespace(""))
        return call.with_changes(func=cst.Name(self.context.need("tower_gradients")), args=trimmed(args))

    def _minimize(self, call: cst.Call) -> cst.BaseExpression:
        assert isinstance(call.func, cst.Attribute)
        args = [cst.Arg(call.func.value), *_without_placement(call)]
        return call.with_changes(func=cst.Name(self.context.need("minimize")), args=trimmed(args))

    def _apply(self, call: cst.Call) -> cst.BaseExpression:
        assert isinstance(call.func, cst.Attribute)
        owner = call.func.value
        cluster = self.training.tower.cluster
        if cluster is not None and cluster.wrapping and call.args:  # SyncReplicasOptimizer averaged here
            mean = cst.Call(cst.Name(self.context.need("average_gradients")), [cst.Arg(call.args[0].value)])
            call = call.with_changes(args=[call.args[0].with_changes(value=mean), *call.args[1:]])
        optimizer = cst.Arg(
            owner,
            comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
            if call.args
            else cst.MaybeSentinel.DEFAULT,
        )
        return call.with_changes(
            func=cst.Name(self.context.need("apply_gradients")), args=[optimizer, *call.args]
        )

    def _saver(self, original: cst.Call, call: cst.Call) -> cst.BaseExpression:
        args = list(call.args)
        chosen = argument(original, 0, "var_list")
        variables = self.given["variables"]
        store: cst.BaseExpression = cst.Name(variables)
        extra: list[cst.Arg] = []
        if chosen is not None:
            value, place = chosen.value, original.args.index(chosen)
            inner = self.names.canonical(value.func) if isinstance(value, cst.Call) else None
            if inner == "tf.trainable_variables":
                extra = [keyword("only", "'trainable'")]
            elif inner not in ("tf.global_variables", "tf.all_variables"):
                store = args[place].value
                extra = [keyword("store", variables)]
            args.pop(place)
        rest = [arg for arg in args if arg.keyword is not None and arg.keyword.value == "max_to_keep"]
        return call.with_changes(
            func=cst.Name(self.context.need("Saver")), args=trimmed([cst.Arg(store), *extra, *rest])
        )


def _without_placement(call: cst.Call) -> list[cst.Arg]:
    """The arguments but for those that say where gradients are computed."""
    return [arg for arg in call.args if arg.keyword is None or arg.keyword.value not in _PLACEMENT]
