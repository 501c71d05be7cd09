"""Writes the folder of a recording, one file for each step (`tf2towers.verify.recording` reads it)."""

import json
import os
from typing import Any, Dict, Set

import numpy as np

#: of a run with moved weights: all are moved up; from this number on, they are moved by so many units
ALL_UP, FAR, FAR_UNITS = 1, 100, 8


class Writer:
    """Writes step-00000.npz, step-00001.npz, ... and meta.json, each complete or not at all.

    Args:
        folder: the folder of the recording; created if it is missing.
    """

    def __init__(self, folder: str) -> None:
        if not os.path.isdir(folder):
            os.makedirs(folder)
        self._folder = folder
        self.steps = 0

    def step(self, arrays: Dict[str, Any]) -> None:
        """Writes the next step.

        Args:
            arrays: NumPy arrays of any shape and numeric type, by 'kind|name' (see `Step.of` in recording.py).
        """
        path = os.path.join(self._folder, "step-%05d.npz" % self.steps)
        # a name may contain '/', which a zip file takes for a folder; NumPy reads it back as it is
        with open(path + ".part", "wb") as stream:
            np.savez(stream, **{name: np.asarray(value) for name, value in arrays.items()})  # type: ignore[arg-type]
        os.replace(path + ".part", path)
        self.steps += 1

    def facts(self, facts: Dict[str, Any]) -> None:
        """Writes meta.json.

        Args:
            facts: values that JSON has; NumPy numbers become plain ones.
        """
        path = os.path.join(self._folder, "meta.json")
        with open(path + ".part", "w") as stream:
            json.dump(facts, stream, indent=1, sort_keys=True, default=_plain)
        os.replace(path + ".part", path)


class Before(object):
    """The variables of a recorded run before each of its session calls, or training steps; another run is set to them.

    Args:
        folder: the folder of the recording.
        rounded: how each weight is moved by one unit in its last place. 0: not; `ALL_UP`; other numbers are seeds of
            the chance by which it is moved up or down, from `FAR` on by `FAR_UNITS` units.
    """

    def __init__(self, folder: str, rounded: int = 0) -> None:
        self._folder = folder
        self._rounded, self._random = rounded, np.random.RandomState(rounded)
        self._states: Dict[int, Dict[str, Any]] = {}  # by session
        self._read = 0
        with open(os.path.join(folder, "meta.json")) as stream:
            self._trainable: Set[str] = set(json.load(stream)["trainable"])

    def values(self, session: int, call: int) -> Dict[str, Any]:
        """The numbers that are no integers, by name. A session's calls are asked for in their order."""
        while self._read < call:
            self._take(self._read, ("before|", "variable|"))
            self._read += 1
        self._take(call, ("before|",))
        values = self._states.get(session, {})
        if not self._rounded:
            return dict(values)
        weights = self._trainable or set(values)  # without optimizers, any variable may be one
        return {name: self._moved(value) if name in weights else value for name, value in values.items()}

    def _take(self, call: int, kinds: Any) -> None:
        path = os.path.join(self._folder, "step-%05d.npz" % call)
        if not os.path.exists(path):
            return
        with np.load(path) as found:
            session = 0
            if "about" in found.files:
                session = json.loads(found["about"].tobytes().decode("utf-8"))["session"]
            else:  # a training step, which has all variables
                self._states.clear()
            state = self._states.setdefault(session, {})
            for key in found.files:
                if key.startswith(kinds):
                    value = found[key]
                    if value.dtype.kind in "fc":
                        state[key.partition("|")[2]] = value

    def _moved(self, value: Any) -> Any:
        signs = np.sign(value) if self._rounded == ALL_UP else self._random.choice([-1, 1], value.shape)
        units = FAR_UNITS if self._rounded >= FAR else 1
        return (value * (1 + units * signs * np.finfo(value.dtype).eps)).astype(value.dtype)


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    return str(value)
