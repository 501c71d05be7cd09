"""Measures how far rounding alone moves a step's gradients: they are computed again with its weights rounded otherwise.

Each element of the variables is moved by one unit in its last place, up or down by chance; what the step took in and
drew is fed. A gradient that is 0 in exact arithmetic is then another one of its size, any other nearly the same.
"""

import re
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Tuple

import numpy as np

from . import graph as graphs
from .variables import READS, VARIABLES, Variables

TIMES = 3
_SAME = 1e-4  # of the largest element: what may differ where nothing is moved, as sums of several threads do
#: ops with a state that a second run may use; variables are set back
_HARMLESS = re.compile(r"(Resource(?!\w*Accumulator)|Assign|TensorArray|Stack|Print|DeepCopy)\w*|Assert")


class Noise(object):
    """Measures the steps of a program. Where that cannot be done, a note in `notes` says so once."""

    def __init__(self, notes: List[str]) -> None:
        self._notes = notes
        self._taken: Dict[Tuple[FrozenSet[Any], FrozenSet[str]], Optional[List[Any]]] = {}
        self._random = np.random.RandomState(0)

    def taken_in(self, gradients: Dict[str, Any], fed: Iterable[str]) -> Optional[List[Any]]:
        """The tensors whose values `measure` needs from the step; None where the gradients cannot be computed again.

        Args:
            gradients: the tensors by name.
            fed: the names of the tensors that the step is fed.
        """
        key = frozenset(tensor.op for tensor in gradients.values()), frozenset(fed)
        if key not in self._taken:
            self._taken[key] = self._find_taken(*key)
        return self._taken[key]

    def _find_taken(self, ops: FrozenSet[Any], fed: FrozenSet[str]) -> Optional[List[Any]]:
        before = graphs.needed(ops, fed)
        sources = graphs.of_type(before, graphs.INPUT_OPS) + graphs.of_type(before, graphs.RANDOM_OPS)
        taken = [tensor for op in sources for tensor in op.outputs if tensor.name not in fed]
        for op in graphs.needed(ops, fed.union(tensor.name for tensor in taken)):
            known = op.type in VARIABLES or op.type in READS or _HARMLESS.fullmatch(op.type)
            if op.op_def.is_stateful and not known:
                self._note("%s has a state (%s)" % (op.name, op.type))
                return None
        return taken

    def measure(
        self,
        gradients: Dict[str, Any],
        run: Callable[..., Any],
        variables: Variables,
        states: Tuple[Dict[str, Any], Dict[str, Any]],
        feeds: Dict[Any, Any],
        found: Dict[str, Any],
    ) -> Dict[str, np.ndarray]:
        """The largest differences of each element of each gradient, by 'noise|name'. The variables stay as they are.

        Args:
            gradients: the tensors by 'gradient|name'.
            run: runs fetches and feeds in the session.
            states: the variables' values before the step, and after it.
            feeds: what the step was fed, and the values of what `taken_in` named.
            found: what the step computed, with its gradients by 'gradient|name'.
        """
        before, after = states
        noise = {name: np.zeros(np.shape(found[name])) for name in gradients}
        try:
            for time in range(1 + TIMES):
                variables.write(
                    run, {name: self._moved(value) if time else value for name, value in before.items()}
                )
                for name, value in run(gradients, feeds).items():
                    apart = np.abs(np.asarray(value, np.float64) - found[name])
                    if not time and not np.max(apart, initial=0) <= _SAME * np.max(
                        np.abs(found[name]), initial=0
                    ):
                        raise ValueError("%s is another one when it is computed again" % name)
                    noise[name] = np.maximum(noise[name], apart)
        except Exception as problem:  # the script goes on
            self._note((str(problem).splitlines() or [type(problem).__name__])[0])
            return {}
        finally:
            variables.write(run, after)
        return {name.replace("gradient", "noise", 1): value for name, value in noise.items()}

    def _moved(self, value: Any) -> Any:
        value = np.asarray(value)
        if value.dtype.kind != "f":
            return value
        signs = self._random.choice([-1, 1], value.shape)
        return (value * (1 + signs * np.finfo(value.dtype).eps)).astype(value.dtype)

    def _note(self, why: str) -> None:
        note = "rounding was not measured: " + why
        if note not in self._notes:
            self._notes.append(note)
