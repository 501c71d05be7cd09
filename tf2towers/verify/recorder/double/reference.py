"""Runs the float64 copy with each training step."""

from typing import Any, Callable, Dict, FrozenSet, List, Optional, Tuple

import numpy as np

from .conversion import Conversion, NotConvertible
from .types import FLOAT, enum


class Copy(object):
    """A training step's gradients in float64, in a session of its own.

    Args:
        wanted: the tensors of the original by the names of their results.
        fed: the names of the tensors that the call feeds.

    Raises:
        NotConvertible: a part of the graph cannot be copied. TensorFlow may raise errors of its own.

    Attributes:
        beside: the tensors to fetch in the training call itself; `run` takes their values.
        narrow: the types of ops that still compute in float32.
    """

    def __init__(self, tf: Any, wanted: Dict[str, Any], fed: FrozenSet[str]) -> None:
        conversion = Conversion(tf, wanted.values(), fed)
        graph = tf.Graph()
        with graph.as_default():
            tf.import_graph_def(conversion.graph_def, name="")
        self._wanted = {
            name: graph.get_tensor_by_name(conversion.name(tensor)) for name, tensor in wanted.items()
        }
        self._variables = {name: graph.get_tensor_by_name(name + ":0") for name in conversion.variables}
        self._inputs = [graph.get_tensor_by_name(name + ":0") for name in conversion.inputs]
        self._session = tf.Session(graph=graph)
        self.beside: List[Any] = list(conversion.inputs.values())
        self.narrow = sorted(conversion.narrow)

    def run(
        self, run: Callable[..., Any], variables: Dict[str, Any], beside: List[Any]
    ) -> Dict[str, np.ndarray]:
        """Returns the results by name, in float64.

        Args:
            run: the original `Session.run`.
            variables: the variables' values before the step, by name.

        Raises:
            NotConvertible: a variable's value is unknown.
        """
        feeds = {}
        for name, placeholder in self._variables.items():
            if name not in variables:
                raise NotConvertible("%s is not among the global variables" % name)
            feeds[placeholder] = _as_type_of(placeholder, variables[name])
        for placeholder, value in zip(self._inputs, beside):
            feeds[placeholder] = _as_type_of(placeholder, value)
        return dict(run(self._session, self._wanted, feeds))


class Reference(object):
    """The float64 part of a recording. Where it fails, a note in `notes` says so once, and the recording continues."""

    def __init__(self, tf: Any, notes: List[str]) -> None:
        self._tf = tf
        self._notes = notes
        self._copies: Dict[Tuple[int, FrozenSet[str]], Optional[Copy]] = {}

    def copy_for(self, training: Any, fed: FrozenSet[str]) -> Optional[Copy]:
        """The copy for a training step; made once for each set of fed tensors.

        Args:
            training: has `names`, such as 'gradient|weights', and `tensors`.
        """
        key = (id(training), fed)
        if key not in self._copies:
            self._copies[key] = self._make_copy(training, fed)
        return self._copies[key]

    def run(
        self, copy: Copy, run: Callable[..., Any], variables: Dict[str, Any], beside: List[Any]
    ) -> Dict[str, np.ndarray]:
        """A step's gradients by 'gradient64|name'; empty where the copy cannot be run."""
        return self._try(lambda: copy.run(run, variables, beside)) or {}

    def _make_copy(self, training: Any, fed: FrozenSet[str]) -> Optional[Copy]:
        wanted = {
            name.replace("gradient", "gradient64", 1): tensor
            for name, tensor in zip(training.names, training.tensors)
            if name.startswith("gradient|") and enum(tensor.dtype) == FLOAT
        }
        copy: Optional[Copy] = self._try(lambda: Copy(self._tf, wanted, fed))
        if copy is not None and copy.narrow:
            self._note("the float64 run has %s in float32" % ", ".join(copy.narrow))
        return copy

    def _try(self, make: Callable[[], Any]) -> Any:
        """Returns `make()`; None after any exception, so that the script continues."""
        try:
            return make()
        except Exception as problem:
            lines = str(problem).strip().splitlines() or [type(problem).__name__]
            self._note("no float64 run: %s" % lines[0])
            return None

    def _note(self, note: str) -> None:
        if note not in self._notes:
            self._notes.append(note)


def _as_type_of(placeholder: Any, value: Any) -> np.ndarray:
    return np.asarray(value, dtype=placeholder.dtype.as_numpy_dtype)
