"""What an expression gives: plain Python, state, tensors, an input, or something of the session.

The answer decides where its statement goes: state is made once, tensors go into the replica function, and what belongs
to the session is rewritten where it stands.
"""

from __future__ import annotations

import ast

import libcst as cst

from tf2towers.exact.functions.pipelines import parts_that_are_datasets
from tf2towers.exact.program import Program
from tf2towers.names.symbols import Names
from tf2towers.program.python_code.data_flow import root_name
from tf2towers.program.python_code.function_summaries import Functions
from tf2towers.program.statements.symbol_roles import role

PLAIN, TENSOR, OP = "plain", "tensor", "op"
PLACEHOLDER, GET_NEXT = "placeholder", "get_next"
SESSION, INITIALIZER, COORDINATION, CONFIG, GRAPH = (
    "session",
    "initializer",
    "coordination",
    "config",
    "graph",
)
STATE, SCHEDULE, OPTIMIZER, AVERAGE = "state", "schedule", "optimizer", "average"
SAVER, WRITER, DATASET, ITERATOR = "saver", "writer", "dataset", "iterator"
VARIABLES, SAVE = "variables", "save"
SERVER, SUPERVISOR, HOOK, TENSOR_HOOK = "server", "supervisor", "hook", "tensor_hook"

INPUTS = frozenset({PLACEHOLDER, GET_NEXT})
TENSORS = frozenset({TENSOR, OP, VARIABLES}) | INPUTS
STATES = frozenset({STATE, SCHEDULE, OPTIMIZER, AVERAGE, SAVER, WRITER, DATASET, ITERATOR})
SESSIONS = frozenset({SESSION, INITIALIZER, COORDINATION, SAVE, SUPERVISOR, TENSOR_HOOK})

_ROLE_KIND = {
    "plain": PLAIN, "state": STATE, "optimizer": OPTIMIZER, "average": AVERAGE, "schedule": SCHEDULE, "saver": SAVER,
    "writer": WRITER, "dataset": DATASET, "session": SESSION, "config": CONFIG,
    "graph": GRAPH, "initializer": INITIALIZER, "coordination": COORDINATION, "variables": VARIABLES,
    "placeholder": PLACEHOLDER, "tensor": TENSOR, "server": SERVER, "placement": CONFIG,
    "synchronous": OPTIMIZER, "supervisor": SUPERVISOR, "monitored": SESSION, "hook": HOOK,
    "tensor_hook": TENSOR_HOOK, "batches": ITERATOR,
}  # fmt: skip
#: What gives lists of variables.
VARIABLE_LISTS = frozenset({"tf.trainable_variables", "tf.global_variables", "tf.all_variables"})
_OPS = frozenset({"tf.group", "tf.no_op", "tf.assign", "tf.assign_add", "tf.assign_sub"})
_ITERATOR_MAKERS = ("make_one_shot_iterator", "make_initializable_iterator")
#: What SyncReplicasOptimizer has beside an optimizer, and Supervisor beside its sessions.
_OF_SYNCHRONOUS = {
    "get_chief_queue_runner": COORDINATION, "make_session_run_hook": COORDINATION, "get_init_tokens_op": INITIALIZER,
    "local_step_init_op": INITIALIZER, "chief_init_op": INITIALIZER, "ready_for_local_init_op": INITIALIZER,
}  # fmt: skip
_OF_SUPERVISOR = {
    "should_stop": PLAIN, "stop": PLAIN, "request_stop": PLAIN, "start_queue_runners": COORDINATION,
}  # fmt: skip
#: What a variable is asked for, that gives an operation or a tensor.
_OF_VARIABLE = frozenset({"assign", "assign_add", "assign_sub", "read_value", "value", "initialized_value"})
#: Functions of Python's own that compute with tensors, and the division of Python 2.
_ARITHMETIC = frozenset(
    f"builtins.{name}" for name in ("abs", "divmod", "max", "min", "pow", "round", "sum")
) | {"tf2towers.runtime.python2_division", "tf2towers.runtime.python2_division_in_place"}
#: Comparisons that compute nothing in a graph.
_PYTHONS_OWN = (cst.Is, cst.IsNot, cst.In, cst.NotIn)
_RANK = (SESSION, TENSOR, STATE, PLAIN)


def family(kind: str) -> str:
    """The coarse kind: 'plain', 'state', 'tensor' or 'session'."""
    if kind in TENSORS:
        return TENSOR
    if kind in STATES:
        return STATE
    if kind in SESSIONS:
        return SESSION
    return PLAIN


class ValueKinds:
    """Kinds of names and expressions of one script. `names` maps a variable to the kind of its last binding."""

    def __init__(
        self, resolver: Names, functions: Functions, source: Program, batches: ast.AST | None = None
    ) -> None:
        self._batches = batches  # the function that makes the batches of queues
        self.resolver = resolver
        self.functions = functions
        self._source = source
        self.names: dict[str, str] = {}

    def of(self, node: cst.CSTNode) -> str:
        """The kind of an expression."""
        if isinstance(node, cst.Name):
            return self._of_name(node)
        if isinstance(node, cst.Call):
            return self._of_call(node)
        if isinstance(node, cst.Attribute):
            return self._of_attribute(node)
        if isinstance(node, cst.Lambda):
            return PLAIN
        if isinstance(node, cst.List | cst.Tuple) and node.elements:
            kinds = [self.of(element.value) for element in node.elements]
            if isinstance(node, cst.List) and set(kinds) == {COORDINATION}:
                return HOOK  # these hooks go, and leave an empty list of hooks
            # the hook of synchronous updates goes, the others stay
            if len(kinds) > 1 and COORDINATION in kinds:
                return self.join([kind for kind in kinds if kind != COORDINATION] or kinds[:1])
            return self.join(kinds)
        if isinstance(node, cst.Dict) and self.is_feed(node):
            return self.join([self.of(element.value) for element in node.elements])
        if isinstance(node, cst.Subscript):
            inner = self.of(node.value)
            if inner == STATE or family(inner) == TENSOR:
                return TENSOR
            return self.join([inner, *(self.of(element.slice) for element in node.slice)])
        if isinstance(node, cst.BinaryOperation | cst.UnaryOperation | cst.Comparison):
            return self._of_operation(node)
        return self.join([self.of(child) for child in node.children])

    def _of_operation(self, node: cst.BinaryOperation | cst.UnaryOperation | cst.Comparison) -> str:
        """What reads variables computes: `a + b` makes a tensor, `[a] + [b]` a list of variables."""
        if isinstance(node, cst.Comparison):
            operands = [node.left, *(part.comparator for part in node.comparisons)]
        else:
            operands = [node.left, node.right] if isinstance(node, cst.BinaryOperation) else [node.expression]
        kinds = [
            self.of(operand) for operand in operands
        ]  # once: operations stand in each other by the hundred
        if self._computes(node, operands) and {STATE, SCHEDULE} & set(kinds):
            return TENSOR
        if isinstance(node, cst.Comparison) and all(
            isinstance(part.operator, cst.Is | cst.IsNot) for part in node.comparisons
        ):
            return PLAIN
        return self.join(kinds)

    @staticmethod
    def _computes(
        node: cst.BinaryOperation | cst.UnaryOperation | cst.Comparison, operands: list[cst.BaseExpression]
    ) -> bool:
        """Whether an operator with a variable as operand is TensorFlow's operation, and not Python's own."""
        if isinstance(node, cst.Comparison):
            if any(isinstance(part.operator, _PYTHONS_OWN) for part in node.comparisons):
                return False
        elif isinstance(node.operator, cst.Not):
            return False
        return not any(isinstance(operand, cst.List | cst.Tuple | cst.ListComp) for operand in operands)

    def is_feed(self, node: cst.Dict) -> bool:
        """Whether a dict's keys are placeholders: what a session call is fed."""
        keys = [element.key for element in node.elements if isinstance(element, cst.DictElement)]
        return (
            bool(keys)
            and len(keys) == len(node.elements)
            and all(isinstance(key, cst.Name) and self.names.get(key.value) == PLACEHOLDER for key in keys)
        )

    def join(self, kinds: list[str]) -> str:
        """The kind of something made of parts: the strongest family wins; one single part keeps its own kind."""
        kinds = [kind for kind in kinds if kind != PLAIN]
        if len(set(kinds)) == 1 and kinds[0] not in (OP,) and family(kinds[0]) != TENSOR:
            return kinds[0]
        families = {family(kind) for kind in kinds}
        for strongest in _RANK:
            if strongest in families:
                return strongest
        return PLAIN

    def datasets_given(self, call: cst.Call) -> list[bool] | None:
        """Of each value that a call of the script's function gives, whether it is a dataset; None where none is."""
        canonical = self.resolver.canonical(call.func)
        found = self._source.defined(self._source.main, canonical) if canonical is not None else None
        return parts_that_are_datasets(*found) if found is not None else None

    def makes_batches(self, call: cst.Call) -> bool:
        """Whether a call makes the batches that come out of TF1's queues."""
        canonical = self.resolver.canonical(call.func)
        found = self._source.defined(self._source.main, canonical) if canonical is not None else None
        return found is not None and found[1] is self._batches

    def _of_name(self, node: cst.Name) -> str:
        if node.value in self.names:
            return self.names[node.value]
        canonical = self.resolver.canonical(node)
        if canonical is not None and canonical.startswith("tf."):
            kind = _ROLE_KIND.get(role(canonical), PLAIN)
            return PLAIN if kind in (TENSOR, STATE, OPTIMIZER) else kind
        return PLAIN

    def _of_attribute(self, node: cst.Attribute) -> str:
        canonical = self.resolver.canonical(node)
        if canonical is not None and (canonical == "tf" or canonical.startswith("tf.")):
            return PLAIN  # a symbol named but not called: a function passed on, a dtype, a constant
        inner = self.of(node.value)
        if inner == OPTIMIZER and node.attr.value in _OF_SYNCHRONOUS:
            return _OF_SYNCHRONOUS[node.attr.value]
        if inner in (SUPERVISOR, SERVER):
            return SAVER if node.attr.value == "saver" else PLAIN
        if inner == ITERATOR and node.attr.value == "initializer":
            return INITIALIZER
        if inner == SESSION:
            return GRAPH if node.attr.value in ("graph", "graph_def") else SESSION
        if family(inner) == TENSOR:
            return TENSOR
        return inner

    def _of_call(self, node: cst.Call) -> str:
        canonical = self.resolver.canonical(node.func)
        arguments = [self.of(argument.value) for argument in node.args]
        if canonical is not None and (canonical == "tf" or canonical.startswith("tf.")):
            return self._of_tf_call(canonical, arguments)
        if isinstance(node.func, cst.Attribute):
            kind = self._of_method(node.func, arguments)
            if kind is not None:
                return kind
        if canonical is not None:
            if self.makes_batches(node):
                return GET_NEXT
            if self.datasets_given(node) is not None:
                return DATASET
            summary = self.functions.summary(canonical)
            if summary is not None:
                tainted = any(family(kind) == TENSOR for kind in arguments)
                if summary.only_makes_variables and not tainted:
                    return STATE
                if tainted or summary.makes_tensors:
                    return TENSOR
                if summary.makes_state:
                    return STATE
                if {STATE, SCHEDULE} & set(arguments):
                    return TENSOR  # what it makes of a variable
        if canonical in _ARITHMETIC and {STATE, SCHEDULE} & set(arguments):
            return TENSOR
        return self._foreign(arguments)

    def _of_tf_call(self, canonical: str, arguments: list[str]) -> str:
        if canonical == "tf.group" and arguments and set(arguments) == {INITIALIZER}:
            return INITIALIZER
        if canonical in _OPS:
            return OP
        if canonical == "tf.report_uninitialized_variables":
            return COORDINATION  # what a session waits for before it starts
        if canonical.rpartition(".")[2] in _ITERATOR_MAKERS:
            return ITERATOR
        kind = _ROLE_KIND[role(canonical)]
        if kind == TENSOR_HOOK and arguments and set(arguments) <= {INITIALIZER, COORDINATION}:
            return COORDINATION  # a hook that hands out tokens
        if kind == PLAIN and any(family(argument) == TENSOR for argument in arguments):
            return TENSOR
        return kind

    def _of_method(self, func: cst.Attribute, arguments: list[str]) -> str | None:
        method = func.attr.value
        owner = self.of(func.value)
        if owner == ITERATOR:
            return (
                GET_NEXT
                if method in ("get_next", "dequeue")
                else INITIALIZER
                if method == "make_initializer"
                else STATE
            )
        if owner == DATASET:
            return ITERATOR if method in _ITERATOR_MAKERS else DATASET
        if owner == OPTIMIZER and method in _OF_SYNCHRONOUS:
            return _OF_SYNCHRONOUS[method]
        if owner == OPTIMIZER:
            return OP if method in ("apply_gradients", "minimize") else TENSOR
        if owner == SUPERVISOR:
            return _OF_SUPERVISOR.get(method, SESSION)
        if owner == SERVER:
            return PLAIN
        if owner == COORDINATION and func.attr.value in ("wait_for_session", "close"):
            return COORDINATION  # a SessionManager's wait for the chief
        if owner == AVERAGE:
            if method == "apply":
                return OP
            return TENSOR if method == "average" else STATE
        if owner == SAVER:
            return SAVE if method in ("save", "restore", "recover_last_checkpoints") else PLAIN
        if owner == WRITER:
            return PLAIN
        if owner in (SESSION, GRAPH):
            return SESSION if owner == SESSION else GRAPH
        if owner in (OP, INITIALIZER) and method == "run":
            return SESSION
        if family(owner) == TENSOR:
            return TENSOR
        if owner == STATE and method in _OF_VARIABLE:
            return OP if method.startswith("assign") else TENSOR
        if (
            method in ("assign", "assign_add", "assign_sub")
            and owner == PLAIN
            and TENSOR in map(family, arguments)
        ):
            return OP
        if family(owner) == STATE and root_name(func.value) is not None:
            return self.join([owner, *arguments])
        return None

    def _foreign(self, arguments: list[str]) -> str:
        """A call the tool knows nothing of: it gives tensors where it is given some, else plain Python."""
        families = {family(kind) for kind in arguments}
        if SESSION in families:
            return SESSION
        if TENSOR in families:
            return TENSOR
        return PLAIN
