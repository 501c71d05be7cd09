"""Reads and writes the variables of a graph, with ops that are added to it; and finds the variables that an op uses."""

import re
from typing import Any, Callable, Dict, Iterable, List, Optional, Set, Tuple

from . import graph as graphs


class Variables(object):
    """The variables of one graph, including later ones."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._seen, self._version = 0, -1
        self._reading: Dict[str, Tuple[Any, Any]] = {}
        self._assignments: Dict[str, Tuple[Any, Any]] = {}

    def read(
        self, run: Callable[[Any], Any], known: Dict[str, bool], wanted: Optional[Set[str]] = None
    ) -> Dict[str, Any]:
        """The values of all initialized variables, by the names of their operations.

        Args:
            run: runs fetches in the session.
            known: the variables known to be initialized in the session; updated.
            wanted: the names to read; None: all.
        """
        self._add_new()
        asked = [name for name in self._reading if wanted is None or name in wanted]
        unknown = [name for name in asked if name not in known]
        if unknown:
            ready = run([self._reading[name][0] for name in unknown])
            known.update({name: True for name, is_ready in zip(unknown, ready) if is_ready})
        names = [name for name in asked if name in known]
        return dict(zip(names, run([self._reading[name][1] for name in names]))) if names else {}

    def write(self, run: Callable[..., Any], values: Dict[str, Any]) -> None:
        """Assigns values to variables by the names of their operations; names that the graph does not have are skipped.

        Values of other shapes, such as parts of large arrays, are skipped too.
        """
        self._add_new()
        names = [
            name
            for name, value in values.items()
            if name in self._reading and self._reading[name][1].shape.is_compatible_with(value.shape)
        ]
        with graphs.beside(self._graph):
            for name in names:
                if name not in self._assignments:
                    self._assignments[name] = _assignment(self._graph.get_operation_by_name(name))
        if names:
            fed = {self._assignments[name][0]: values[name] for name in names}
            run([self._assignments[name][1] for name in names], fed)

    def _add_new(self) -> None:
        if self._graph.version == self._version:
            return
        operations = self._graph.get_operations()
        new = [op for op in operations[self._seen :] if op.type in VARIABLES]
        if new:
            with graphs.beside(self._graph):
                for op in new:
                    if op.name not in self._reading and _is_readable(op):
                        self._reading[op.name] = _reading_tensors(self._graph, op)
        self._seen, self._version = len(operations), self._graph.version


def _is_readable(op: Any) -> bool:
    from tensorflow.python.framework import dtypes

    dtype = dtypes.as_dtype(op.get_attr("dtype")).base_dtype
    return dtype.name not in ("resource", "variant") and not dtype.is_quantized


def _reading_tensors(graph: Any, op: Any) -> Tuple[Any, Any]:
    """Two tensors: whether a variable is initialized, and its value."""
    from tensorflow.python.framework import ops
    from tensorflow.python.ops import gen_resource_variable_ops, gen_state_ops

    output = op.outputs[0]
    with ops.device(None), ops.device(op.device):
        if op.type == "VarHandleOp":
            is_there = gen_resource_variable_ops.var_is_initialized_op(output)
            return is_there, gen_resource_variable_ops.read_variable_op(output, op.get_attr("dtype"))
        return gen_state_ops.is_variable_initialized(output), output


def _assignment(op: Any) -> Tuple[Any, Any]:
    """A placeholder for a value, and the op that assigns it to a variable."""
    from tensorflow.python.framework import dtypes, ops
    from tensorflow.python.ops import array_ops, gen_resource_variable_ops, gen_state_ops

    with ops.device(None), ops.device(op.device):
        value = array_ops.placeholder(dtypes.as_dtype(op.get_attr("dtype")).base_dtype)
        if op.type == "VarHandleOp":
            return value, gen_resource_variable_ops.assign_variable_op(op.outputs[0], value)
        return value, gen_state_ops.assign(op.outputs[0], value, validate_shape=False).op


def belongs_to(name: str, owners: Iterable[str]) -> bool:
    """True if a variable, gradient or summary belongs to one of these variables, or to a slot or average of one."""
    return any("/%s/" % owner in "/%s/" % name.partition("//")[0] for owner in owners)


# -- the variables that an op reads or may change, by the types of its inputs ------------------------------------------

VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
#: ops that take a variable and do not change it
READS = {
    "ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VarIsInitializedOp", "VariableShape", "Identity", "Enter",
    "Exit", "Switch", "Merge", "NextIteration", "IdentityN", "_ReadVariablesOp", "IsVariableInitialized", "RefSwitch",
    "RefEnter", "RefExit", "RefIdentity", "RefMerge", "RefNextIteration", "RefSelect", "NoOp",
}  # fmt: skip
_ASKS = ("VarIsInitializedOp", "IsVariableInitialized")
_QUEUED = re.compile(r"Queue(En|De)queue(Many|UpTo)?(V2)?$|AccumulatorTakeGradient$")
_ADDS = re.compile(r"(Resource|Sparse)?AccumulatorApplyGradient$")


class Effects(object):
    """The effects of a session call on variables, by the names of their operations.

    Attributes:
        written: the variables that it may change.
        used: those that it reads or changes; not those that it initializes, restores, or only tests for initialization.
        training: whether it runs an optimizer's update.
        asks: whether it asks which variables are initialized.
        adds: whether it adds a gradient to an accumulator on a parameter server.
        meets: whether it uses a queue on a parameter server, or takes from an accumulator there, and so may wait for
            another worker.
        run_ops: all ops that it runs.
    """

    def __init__(self, ops: Iterable[Any], updates: Set[Any]) -> None:
        self.run_ops = graphs.needed(ops)
        self.training = bool(self.run_ops & updates)
        self.asks = any(op.type in _ASKS for op in self.run_ops)
        self.meets = any(
            _QUEUED.search(op.type) and "/job:ps" in op.inputs[0].op.device for op in self.run_ops
        )
        self.adds = any(map(adds_for_others, self.run_ops))
        self.written: Set[str] = set()
        # a TF1 variable that is fetched, as `saver.save(global_step=variable)` does, is read by no op
        self.used: Set[str] = {op.name for op in ops if op.type in VARIABLES}
        traced: Dict[Any, str] = {}
        for op in self.run_ops:
            if op.type in VARIABLES:
                continue
            names = {name for name in (_variable_of(tensor, traced) for tensor in _handles(op)) if name}
            if op.type not in READS and not _only_reads(op):
                self.written |= names
            if op.type not in _ASKS and not begins(op):
                self.used |= names


def adds_for_others(op: Any) -> bool:
    """True if an op adds a gradient to an accumulator on a parameter server, which other workers may add to."""
    return bool(_ADDS.match(op.type)) and "/job:ps" in op.device


def _handles(op: Any) -> List[Any]:
    return [tensor for tensor in op.inputs if tensor.dtype._is_ref_dtype or tensor.dtype.name == "resource"]


def _only_reads(op: Any) -> bool:
    """True if an op only takes values of TF1's variables: none of its inputs is declared as a reference."""
    if any(tensor.dtype.name == "resource" for tensor in op.inputs):
        return False
    return not any(argument.is_ref for argument in op.op_def.input_arg)


def begins(op: Any) -> bool:
    """True if an op assigns a variable's initial value, or its value in a checkpoint."""
    if op.type not in ("Assign", "AssignVariableOp"):
        return False
    name = op.inputs[0].op.name
    return op.name == name + "/Assign" or any(
        source.op.type == "RestoreV2" for source in _copied_from(op.inputs[1])
    )


def _copied_from(tensor: Any) -> List[Any]:
    """A tensor, and the tensors that it is a copy of."""
    found = [tensor]
    while found[-1].op.type in ("Identity", "Reshape", "EnsureShape") and len(found) < 9:
        found.append(found[-1].op.inputs[0])
    return found


def _variable_of(tensor: Any, traced: Dict[Any, str]) -> str:
    """The name of the variable to which a reference or handle belongs; empty where it is another resource's."""
    path = []
    op = tensor.op
    while op not in traced and op.type not in VARIABLES:
        path.append(op)
        inputs = _handles(op)
        if op.type not in READS or not inputs or len(path) > 99:
            traced[op] = ""
            break
        op = inputs[0].op
    name = op.name if op.type in VARIABLES else traced[op]
    for passed in path:
        traced[passed] = name
    return str(name)
