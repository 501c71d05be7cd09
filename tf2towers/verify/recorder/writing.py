"""Writes the folder of a recording, one file for each step (`tf2towers.verify.recording` reads it)."""

import json
import os
from typing import Any, Dict

import numpy as np

from .variables import belongs_to


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


class InStep(object):
    """The optimizers' variables of a recorded run, to which another run is set at each step.

    Args:
        folder: the folder of the recording.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        with open(os.path.join(folder, "meta.json")) as stream:
            self._trainable = json.load(stream)["trainable"]

    def values(self, step: int) -> Dict[str, Any]:
        """The recorded values of a step by name; empty where the step was not recorded."""
        path = os.path.join(self._folder, "step-%05d.npz" % step)
        if not os.path.exists(path):
            return {}
        with np.load(path) as found:
            names = [key.partition("|")[2] for key in found.files if key.startswith("variable|")]
            return {name: found["variable|" + name] for name in names if belongs_to(name, self._trainable)}


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    return str(value)
