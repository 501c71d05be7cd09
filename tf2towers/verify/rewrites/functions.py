"""Records each call of a training function: sets the state of the original's step, runs it, and reads the values."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from tf2towers.verify.recorder.function_calls import FunctionCalls
from tf2towers.verify.recorder.wrapping import Nesting
from tf2towers.verify.recorder.writing import Writer
from tf2towers.verify.recording import Arrays, Step, read_facts, read_step
from tf2towers.verify.rewrites.gradient_calls import Gradients, numbered
from tf2towers.verify.rewrites.inputs import Inputs, Iterated
from tf2towers.verify.rewrites.state import State, own_name
from tf2towers.verify.rewrites.tracing import Notes, Tracing

COMPILED = "jit_compile was left out: XLA rounds differently, and cannot compile the code that records values"


class FunctionRecorder:
    """Records the calls of `tf.function`s that apply gradients; each such call is a training step.

    Args:
        original: the folder of the original's recording, whose state and inputs each step gets.
    """

    def __init__(self, writer: Writer, steps: int, original: str) -> None:
        self.writer, self._wanted = writer, steps
        self._folder = Path(original)
        self.on_enough: Callable[[], object] = lambda: None  # called when all steps are recorded
        self._original = read_facts(self._folder)
        self._tracing, self._notes, self._inputs = Tracing(), Notes(), Inputs()
        self._iterated = Iterated(self._tracing, Inputs())
        self._gradients = Gradients(self._notes, self._tracing)
        self._state = State()
        self._not_given: list[str] = []
        self.calls = 0
        self._functions = FunctionCalls(tf, lambda: self._tracing.applied, Nesting())
        self._functions.around(self._called)

    def _called(self, call: Any, function: Any, args: Any, kwargs: Any) -> Any:
        self.calls += 1
        self._tracing.wanted = True
        try:
            if not self._functions.trains(function, args, kwargs):
                return call(function, *args, **kwargs)
            return self._record(functools.partial(call, function), args, kwargs)
        finally:
            self._tracing.wanted = False

    def _record(self, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Records a call of a training function that has been traced."""
        step = read_step(self._file_of_original())
        args, kwargs, used = self._inputs.replace_arguments(args, kwargs, step.inputs)
        before = self._begin(step)
        self._iterated.now = {name: value for name, value in step.inputs.items() if name not in used}
        self._iterated.used = {}
        self._notes.begin()
        result = call(*args, **kwargs)
        found = before | numbered(self._renamed(self._notes.end()))
        self._iterated.now = None
        used |= self._iterated.used
        self._not_given = [name for name, value in step.inputs.items() if name not in used and value.ndim]
        found |= {f"input|{place:06d}|{name}": value for place, (name, value) in enumerate(used.items())}
        found |= {f"variable|{name}": value for name, value in self._state.read().items()}
        self.writer.step(found)
        # all steps are recorded, or as many as the original made
        if self.writer.steps >= self._wanted or not self._file_of_original().exists():
            self.on_enough()
        return result

    def _begin(self, step: Step) -> Arrays:
        """Sets the variables to their values in the original's step, and returns them as they are then."""
        if not self.writer.steps:
            applied = self._gradients.applied
            self._state.find_variables(
                step.variables, self._original.trainable, applied.variables, applied.optimizers
            )
        self._state.set(step.variables)
        return {f"before|{name}": value for name, value in self._state.read().items()}

    def _file_of_original(self) -> Path:
        return self._folder / f"step-{self.writer.steps:05d}.npz"

    def _renamed(self, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The arrays, with gradients under the original's names."""
        back = {own: name for name, own in self._state.renamed.items()}
        found = {}
        for key, value in arrays.items():
            kind, *rest = key.split("|")
            if kind in ("gradient", "tower gradient"):
                name, mark, part = rest[-1].partition("//")
                rest[-1] = back.get(name, name) + mark + part
            found["|".join([kind, *rest])] = value
        return found

    def facts(self) -> dict[str, Any]:
        """The run's facts for meta.json."""
        applied = self._gradients.applied
        back = {own: name for name, own in self._state.renamed.items()}
        names = {
            id(variable): back.get(own_name(variable), own_name(variable)) for variable in applied.variables
        }
        different = sorted(self._inputs.different | self._iterated.inputs.different)
        return {
            "trainable": list(names.values()),
            "without_gradient": [names[id(variable)] for variable in applied.without_gradient],
            "optimizers": len(applied.optimizers),
            "sessions": self.calls,
            "towers": max(1, len([tower for tower in self._tracing.computed if tower is not None])),
            "notes": [COMPILED] if self._tracing.compiled else [],
            "not_seen": self._gradients.not_seen,
            "different_inputs": different,
            "unknown_inputs": self._inputs.unknown,
            "not_given": self._not_given,
            "renamed": self._state.renamed,
            "unpaired": self._state.unpaired,
        }
