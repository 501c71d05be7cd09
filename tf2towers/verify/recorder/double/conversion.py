"""A part of a graph, copied as a GraphDef in float64."""

import re
from typing import Any, Callable, Dict, Iterable, List, Set

from .. import graph as graphs
from ..feeds import is_number
from .formulas import Formula, as_graph_def, formula_of
from .types import RESOURCE, WIDE, enum, runs_wide, types_of_arguments, widen, widened

_CPU = "/device:CPU:0"  # the device with the most float64 kernels


# -- which values of a graph its copy in float64 cannot compute by itself: they are fed, with the values of the step ---

VARIABLES = frozenset(["Variable", "VariableV2", "VarHandleOp"])
#: what is read of a resource variable: the op that reads the same of a tensor, and which of its attributes is which
READS = {
    "ReadVariableOp": ("Identity", {"T": "dtype"}),
    "VariableShape": ("Shape", {"out_type": "out_type"}),
    "ResourceGather": ("Gather", {"Tparams": "dtype", "Tindices": "Tindices"}),
    "ResourceGatherNd": ("GatherNd", {"Tparams": "dtype", "Tindices": "Tindices"}),
}
#: ops that hand on their first input, and do something beside
COPIES = frozenset(["Print", "DeepCopy"])
#: ops that hand on a resource or a reference
PASSES_ON = re.compile(r"(Ref)?(Identity|Enter|Switch|Merge|Exit|NextIteration)")
#: these draw by their seeds, and would draw other numbers in another type
_STATELESS_RANDOM = re.compile(r"Stateless(Random|Truncated|Multinomial|Parameterized).*")
#: with a state, but one that the copy has as well
_OWN_STATE = re.compile(r"TensorArray.*|Stack.*")


def comes_in(op: Any) -> bool:
    """Whether an op brings numbers in, or draws them."""
    patterns = (graphs.INPUT_OPS, graphs.RANDOM_OPS, _STATELESS_RANDOM)
    return any(pattern.fullmatch(op.type) for pattern in patterns)


def calls_a_function(op: Any) -> bool:
    """Whether what an op does is a graph of its own: branches and loops of TensorFlow 2, `Defun`s."""
    attributes = op.node_def.attr.values()
    return any(attr.WhichOneof("value") == "func" or attr.list.func for attr in attributes)


def has_foreign_state(op: Any) -> bool:
    """Whether an op reads or changes something that the copy does not have: a table, a counter, a queue."""
    if op.type in VARIABLES or op.type in READS or op.type in COPIES:
        return False
    if PASSES_ON.fullmatch(op.type) or _OWN_STATE.fullmatch(op.type):
        return False
    definition = op.op_def
    if definition.is_stateful or any(argument.is_ref for argument in definition.input_arg):
        return True
    return any(enum(tensor.dtype) == RESOURCE for tensor in op.inputs)


def waits_for(op: Any) -> List[Any]:
    """The control dependencies that a copy must keep: in a branch or a loop they say whether an op runs at all.

    The pivot of a branch is an Identity outside of it.
    """
    if not graphs.in_control_flow(op):
        return []
    return [
        other
        for other in op.control_inputs
        if (graphs.in_control_flow(other) and not comes_in(other) and not has_foreign_state(other))
        or other.type in ("Identity", "Switch")
    ]


# -- the copy ----------------------------------------------------------------------------------------------------------


class NotConvertible(Exception):
    """The graph has something in it that cannot be copied; the message says what."""


class Conversion(object):
    """Copies what some tensors depend on, under the same names.

    Control dependencies are left out, but for those inside of branches and loops. A variable has one value in all of
    the copy: where the original reads one again after an update, the copy computes something else, and is far from it.

    Args:
        tensors: of one graph.
        fed: names of the tensors that the call feeds.

    Raises:
        NotConvertible: something has no counterpart.

    Attributes:
        graph_def: the copy.
        variables: the names of the variables that it depends on; each is a placeholder of that name.
        inputs: for each other placeholder, the tensor of the original whose value it takes.
        narrow: types of ops that compute in float32 all the same.
    """

    def __init__(self, tf: Any, tensors: Iterable[Any], fed: Iterable[str]) -> None:
        self._tf = tf
        self._fed = frozenset(fed)
        self._names: Dict[str, str] = {}  # of the original's tensor to the copy's
        self._copied: Set[Any] = set()  # ops that are in the copy under their own names
        self.variables: List[str] = []
        self.inputs: Dict[str, Any] = {}
        self.narrow: Set[str] = set()
        self.graph_def = type(tf.Graph().as_graph_def())()
        wanted = list(tensors)
        if wanted:
            self.graph_def.versions.CopyFrom(wanted[0].graph.graph_def_versions)
        # all are named before any is written: in a loop ops take each other's outputs
        for write in [self._prepare(op) for op in self._ops_to_copy(wanted)]:
            write()

    def name(self, tensor: Any) -> str:
        """What a tensor is called in the copy, 'node:output'.

        Raises:
            NotConvertible: the copy does not have it.
        """
        if tensor.name not in self._names:
            raise NotConvertible("nothing stands for %s (%s)" % (tensor.name, tensor.op.type))
        return self._names[tensor.name]

    # -- what is copied ----------------------------------------------------------------------------------------------

    def _ops_to_copy(self, wanted: Iterable[Any]) -> List[Any]:
        """The ops to be copied; the values that are fed get their placeholders."""
        found: Dict[Any, None] = {}
        waiting = list(wanted)
        while waiting:
            item = waiting.pop()
            is_op = isinstance(item, self._tf.Operation)
            if not is_op and self._is_fed(item):
                self._take_in(item)
                continue
            op = item if is_op else item.op
            if op not in found:
                found[op] = None
                if op.type not in VARIABLES:
                    waiting.extend(op.inputs)
                    waiting.extend(waits_for(op))
        return list(found)

    def _is_fed(self, tensor: Any) -> bool:
        if tensor.name in self._fed or comes_in(tensor.op):
            return True
        if calls_a_function(tensor.op):
            raise NotConvertible("%s calls a function" % tensor.op.type)
        if has_foreign_state(tensor.op):
            self.narrow.add(tensor.op.type)
            return True
        return False

    def _take_in(self, tensor: Any) -> None:
        if tensor.name in self._names:
            return
        if tensor.name not in self._fed and graphs.in_control_flow(tensor.op):
            raise NotConvertible("%s in a loop or a branch" % tensor.op.type)
        if not is_number(tensor) or not tensor.graph.is_fetchable(tensor):
            raise NotConvertible("%s gives no numbers that can be had" % tensor.op.type)
        name = "taken_in/%d" % len(self.inputs)
        node = self._add("Placeholder", name)
        node.attr["dtype"].type = widened(enum(tensor.dtype))
        if tensor.shape.ndims is not None:
            node.attr["shape"].shape.CopyFrom(tensor.shape.as_proto())
        self.inputs[name] = tensor
        self._names[tensor.name] = name + ":0"

    # -- how it is copied --------------------------------------------------------------------------------------------

    def _prepare(self, op: Any) -> Callable[[], None]:
        """Names what stands for an op's outputs; returns what writes it."""
        if op.type in VARIABLES:
            self._name(op, op.name)
            return lambda: self._write_variable(op)
        if op.type in COPIES or op.type in READS:
            self._name(op, op.name)
            return lambda: self._write_read(op)
        node = self._node_of(op)
        if not runs_wide(op, node):
            formula = None if graphs.in_control_flow(op) else formula_of(op)
            if formula is not None:
                return self._prepare_formula(op, formula)
            node.CopyFrom(op.node_def)
            self.narrow.add(op.type)
        self._name(op, op.name)
        self._copied.add(op)
        given = types_of_arguments(op.op_def.output_arg, node)
        for place, (tensor, number) in enumerate(zip(op.outputs, given)):
            if number in WIDE and tensor.name not in self._fed:
                self._names[tensor.name] = "%s/float64_%d:0" % (op.name, place)
                if not op.type.startswith("TensorArray"):  # its flow is no number
                    self.narrow.add(op.type)
        return lambda: self._write(op, node)

    def _name(self, op: Any, name: str) -> None:
        for place, tensor in enumerate(op.outputs):
            self._names.setdefault(tensor.name, "%s:%d" % (name, place))

    def _node_of(self, op: Any) -> Any:
        node = type(op.node_def)()
        node.CopyFrom(op.node_def)
        widen(node)
        if PASSES_ON.fullmatch(op.type) and node.attr["T"].type == RESOURCE:
            node.attr["T"].type = _variable_type(op.inputs[0])
        return node

    def _add(self, op_type: str, name: str, inputs: Iterable[str] = ()) -> Any:
        node = self.graph_def.node.add()
        node.op, node.name, node.device = op_type, name, _CPU
        node.input.extend(inputs)
        return node

    def _write_variable(self, op: Any) -> None:
        node = self._add("Placeholder", op.name)
        node.attr["dtype"].type = widened(op.node_def.attr["dtype"].type)
        node.attr["shape"].CopyFrom(op.node_def.attr["shape"])
        self.variables.append(op.name)

    def _write_read(self, op: Any) -> None:
        """Of a variable, which is a tensor here; or what only hands a tensor on."""
        if op.node_def.attr["batch_dims"].i:
            raise NotConvertible("%s with batch_dims" % op.type)
        op_type, names = READS.get(op.type, ("Identity", {"T": "T"}))
        inputs = op.inputs[:1] if op.type in COPIES else op.inputs
        node = self._add(op_type, op.name, [self.name(tensor) for tensor in inputs] + self._controls(op))
        for name, its in names.items():
            if its in op.node_def.attr:
                node.attr[name].type = widened(op.node_def.attr[its].type)
        if op_type == "Shape":
            node.attr["T"].type = _variable_type(op.inputs[0])

    def _write(self, op: Any, node: Any) -> None:
        """A copy, between casts where it takes or gives float32 all the same."""
        inputs = []
        taken = types_of_arguments(op.op_def.input_arg, node)
        for place, (tensor, number) in enumerate(zip(op.inputs, taken)):
            name = self.name(tensor)
            if number in WIDE:
                name = self._cast("%s/float32_%d" % (op.name, place), name, WIDE[number], number)
            inputs.append(name)
        for name in [name for name in node.attr if name.startswith("_")]:  # where it was, what it was next to
            del node.attr[name]
        del node.input[:]
        node.input.extend(inputs + self._controls(op))
        node.device = _CPU
        if op.type.startswith("Ref"):  # RefSwitch, ..: of a variable
            node.op = op.type[len("Ref") :]
        self.graph_def.node.add().CopyFrom(node)
        for place, number in enumerate(types_of_arguments(op.op_def.output_arg, node)):
            if number in WIDE:
                self._cast(
                    "%s/float64_%d" % (op.name, place), "%s:%d" % (op.name, place), number, WIDE[number]
                )

    def _cast(self, name: str, value: str, source: int, target: int) -> str:
        node = self._add("Cast", name, [value])
        node.attr["SrcT"].type, node.attr["DstT"].type = source, target
        return name + ":0"

    def _controls(self, op: Any) -> List[str]:
        return ["^" + other.name for other in waits_for(op) if other in self._copied]

    def _prepare_formula(self, op: Any, formula: Formula) -> Callable[[], None]:
        written, outputs = as_graph_def(self._tf, op, formula)
        for tensor, name in zip(op.outputs, outputs):
            self._names.setdefault(tensor.name, "%s/%s" % (op.name, name))
        inputs = {"input_%d" % place: tensor for place, tensor in enumerate(op.inputs)}

        def moved(name: str) -> str:
            node = name.partition(":")[0]
            if node in inputs:
                return self.name(inputs[node])
            return "^%s/%s" % (op.name, name[1:]) if name.startswith("^") else "%s/%s" % (op.name, name)

        def write() -> None:
            for source in written.node:
                if source.name not in inputs:
                    node = self.graph_def.node.add()
                    node.CopyFrom(source)
                    node.name, node.device = "%s/%s" % (op.name, source.name), _CPU
                    for name in [name for name in node.attr if name.startswith("_")]:  # what it was next to
                        del node.attr[name]
                    del node.input[:]
                    node.input.extend(moved(name) for name in source.input)

        return write


def _variable_type(handle: Any) -> int:
    """The type of the variable that a handle is of; RESOURCE where it is the handle of something else."""
    while PASSES_ON.fullmatch(handle.op.type):
        handle = handle.op.inputs[0]
    return widened(handle.op.node_def.attr["dtype"].type) if handle.op.type == "VarHandleOp" else RESOURCE
