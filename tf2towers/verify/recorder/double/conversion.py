"""Copies a part of a graph as a GraphDef in float64."""

import re
from typing import Any, Callable, Dict, Iterable, List, Set

from .. import graph as graphs
from ..run_arguments import is_number
from .formulas import Formula, as_graph_def, formula_of
from .types import RESOURCE, WIDE, enum, runs_wide, types_of_arguments, widen, widened

_CPU = "/device:CPU:0"  # the device with the most float64 kernels


# -- the values that the copy in float64 cannot compute: they are fed with the step's own values -----------------------

VARIABLES = frozenset(["Variable", "VariableV2", "VarHandleOp"])
#: reads of a resource variable: the op that reads the same from a tensor, and its attributes to the read's attributes
READS = {
    "ReadVariableOp": ("Identity", {"T": "dtype"}),
    "VariableShape": ("Shape", {"out_type": "out_type"}),
    "ResourceGather": ("Gather", {"Tparams": "dtype", "Tindices": "Tindices"}),
    "ResourceGatherNd": ("GatherNd", {"Tparams": "dtype", "Tindices": "Tindices"}),
}
#: ops that return their first input, and do something else
COPIES = frozenset(["Print", "DeepCopy"])
#: ops that pass on a resource or a reference
PASSES_ON = re.compile(r"(Ref)?(Identity|Enter|Switch|Merge|Exit|NextIteration)")
#: these draw numbers from their seeds, and would draw different ones in another type
_STATELESS_RANDOM = re.compile(r"Stateless(Random|Truncated|Multinomial|Parameterized).*")
#: ops with a state that the copy has as well
_OWN_STATE = re.compile(r"TensorArray.*|Stack.*")


def is_input(op: Any) -> bool:
    """True if an op returns values from outside the graph, or random numbers."""
    patterns = (graphs.INPUT_OPS, graphs.RANDOM_OPS, _STATELESS_RANDOM)
    return any(pattern.fullmatch(op.type) for pattern in patterns)


def calls_a_function(op: Any) -> bool:
    """True if an op runs another graph: branches and loops of TensorFlow 2, `Defun`s."""
    attributes = op.node_def.attr.values()
    return any(attr.WhichOneof("value") == "func" or attr.list.func for attr in attributes)


def has_foreign_state(op: Any) -> bool:
    """True if an op reads or changes a state that the copy lacks: a table, a counter, a queue."""
    if op.type in VARIABLES or op.type in READS or op.type in COPIES:
        return False
    if PASSES_ON.fullmatch(op.type) or _OWN_STATE.fullmatch(op.type):
        return False
    definition = op.op_def
    if definition.is_stateful or any(argument.is_ref for argument in definition.input_arg):
        return True
    return any(enum(tensor.dtype) == RESOURCE for tensor in op.inputs)


def kept_controls(op: Any) -> List[Any]:
    """The control inputs that a copied op must keep: in a branch or a loop, they decide whether the op runs at all.

    The pivot of a branch is an Identity outside the branch.
    """
    if not graphs.in_control_flow(op):
        return []
    return [
        other
        for other in op.control_inputs
        if (graphs.in_control_flow(other) and not is_input(other) and not has_foreign_state(other))
        or other.type in ("Identity", "Switch")
    ]


# -- the copy ----------------------------------------------------------------------------------------------------------


class NotConvertible(Exception):
    """A part of the graph cannot be copied; the message names it."""


class Conversion(object):
    """Copies the ops that some tensors depend on, under the same names.

    Control inputs are omitted, except inside branches and loops. A variable has one value in the whole copy. Where the
    original reads it again after an update, the copy computes another value, which differs clearly.

    Args:
        tensors: the tensors, of one graph.
        fed: the names of the tensors that the call feeds.

    Raises:
        NotConvertible: an op or value cannot be copied.

    Attributes:
        graph_def: the copy.
        variables: the names of the variables that the tensors depend on; each is a placeholder of that name.
        inputs: for each other placeholder, the original's tensor whose value is fed to it.
        narrow: the types of ops that still compute in float32.
    """

    def __init__(self, tf: Any, tensors: Iterable[Any], fed: Iterable[str]) -> None:
        self._tf = tf
        self._fed = frozenset(fed)
        self._names: Dict[str, str] = {}  # the original's tensor names to the copy's
        self._copied: Set[Any] = set()  # ops that the copy has under their own names
        self.variables: List[str] = []
        self.inputs: Dict[str, Any] = {}
        self.narrow: Set[str] = set()
        self.graph_def = type(tf.Graph().as_graph_def())()
        wanted = list(tensors)
        if wanted:
            self.graph_def.versions.CopyFrom(wanted[0].graph.graph_def_versions)
        # all outputs are named before any op is written, because ops in a loop use each other's outputs
        for write in [self._prepare(op) for op in self._ops_to_copy(wanted)]:
            write()

    def name(self, tensor: Any) -> str:
        """The name of a tensor in the copy, 'node:output'.

        Raises:
            NotConvertible: the copy lacks the tensor.
        """
        if tensor.name not in self._names:
            raise NotConvertible("there is no copy of %s (%s)" % (tensor.name, tensor.op.type))
        return self._names[tensor.name]

    # -- selecting the ops ---------------------------------------------------------------------------------------------

    def _ops_to_copy(self, wanted: Iterable[Any]) -> List[Any]:
        """The ops to copy; values that are fed get their placeholders here."""
        found: Dict[Any, None] = {}
        waiting = list(wanted)
        while waiting:
            item = waiting.pop()
            is_op = isinstance(item, self._tf.Operation)
            if not is_op and self._is_fed(item):
                self._add_input(item)
                continue
            op = item if is_op else item.op
            if op not in found:
                found[op] = None
                if op.type not in VARIABLES:
                    waiting.extend(op.inputs)
                    waiting.extend(kept_controls(op))
        return list(found)

    def _is_fed(self, tensor: Any) -> bool:
        if tensor.name in self._fed or is_input(tensor.op):
            return True
        if calls_a_function(tensor.op):
            raise NotConvertible("%s calls a function" % tensor.op.type)
        if has_foreign_state(tensor.op):
            self.narrow.add(tensor.op.type)
            return True
        return False

    def _add_input(self, tensor: Any) -> None:
        if tensor.name in self._names:
            return
        if tensor.name not in self._fed and graphs.in_control_flow(tensor.op):
            raise NotConvertible("%s in a loop or a branch" % tensor.op.type)
        if not is_number(tensor) or not tensor.graph.is_fetchable(tensor):
            raise NotConvertible("%s has an output that cannot be fetched as numbers" % tensor.op.type)
        name = "taken_in/%d" % len(self.inputs)
        node = self._add("Placeholder", name)
        node.attr["dtype"].type = widened(enum(tensor.dtype))
        if tensor.shape.ndims is not None:
            node.attr["shape"].shape.CopyFrom(tensor.shape.as_proto())
        self.inputs[name] = tensor
        self._names[tensor.name] = name + ":0"

    # -- copying an op -------------------------------------------------------------------------------------------------

    def _prepare(self, op: Any) -> Callable[[], None]:
        """Names the copies of an op's outputs; returns a function that writes the copy."""
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
                if not op.type.startswith("TensorArray"):  # its output 'flow' is not a number
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
        """Writes a read of a variable, which is a tensor here, or of an op that only returns its input."""
        if op.node_def.attr["batch_dims"].i:
            raise NotConvertible("%s with batch_dims" % op.type)
        op_type, names = READS.get(op.type, ("Identity", {"T": "T"}))
        inputs = op.inputs[:1] if op.type in COPIES else op.inputs
        node = self._add(op_type, op.name, [self.name(tensor) for tensor in inputs] + self._controls(op))
        for name, attribute in names.items():
            if attribute in op.node_def.attr:
                node.attr[name].type = widened(op.node_def.attr[attribute].type)
        if op_type == "Shape":
            node.attr["T"].type = _variable_type(op.inputs[0])

    def _write(self, op: Any, node: Any) -> None:
        """Writes a copy of an op, with casts around it where its inputs or outputs stay float32."""
        inputs = []
        taken = types_of_arguments(op.op_def.input_arg, node)
        for place, (tensor, number) in enumerate(zip(op.inputs, taken)):
            name = self.name(tensor)
            if number in WIDE:
                name = self._cast("%s/float32_%d" % (op.name, place), name, WIDE[number], number)
            inputs.append(name)
        for name in [name for name in node.attr if name.startswith("_")]:  # its location, its neighbours
            del node.attr[name]
        del node.input[:]
        node.input.extend(inputs + self._controls(op))
        node.device = _CPU
        if op.type.startswith("Ref"):  # RefSwitch and similar ops, for variables
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
        return ["^" + other.name for other in kept_controls(op) if other in self._copied]

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
                    for name in [name for name in node.attr if name.startswith("_")]:  # its neighbours
                        del node.attr[name]
                    del node.input[:]
                    node.input.extend(moved(name) for name in source.input)

        return write


def _variable_type(handle: Any) -> int:
    """The type of a handle's variable; RESOURCE where the handle is not a variable's."""
    while PASSES_ON.fullmatch(handle.op.type):
        handle = handle.op.inputs[0]
    return widened(handle.op.node_def.attr["dtype"].type) if handle.op.type == "VarHandleOp" else RESOURCE
