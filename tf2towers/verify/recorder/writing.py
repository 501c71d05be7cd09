"""The folder a recording is written to, one file a step (`tf2towers.verify.recording` reads it)."""

import json
import os
from typing import Any, Dict

import numpy as np


class Writer:
    """Writes step-00000.npz, step-00001.npz, ... and meta.json, each complete or not at all.

    Args:
        folder: made if it is not there.
    """

    def __init__(self, folder: str) -> None:
        if not os.path.isdir(folder):
            os.makedirs(folder)
        self._folder = folder
        self.steps = 0

    def step(self, arrays: Dict[str, Any]) -> None:
        """Writes the next step.

        Args:
            arrays: by 'kind|name' (see KINDS in recording.py); NumPy arrays of any shape and numeric type.
        """
        path = os.path.join(self._folder, "step-%05d.npz" % self.steps)
        # a name may hold '/', which a zip takes for a folder: fine for NumPy
        with open(path + ".part", "wb") as stream:
            np.savez(stream, **{name: np.asarray(value) for name, value in arrays.items()})  # type: ignore[arg-type]
        os.replace(path + ".part", path)
        self.steps += 1

    def facts(self, facts: Dict[str, Any]) -> None:
        """Writes meta.json.

        Args:
            facts: what JSON can hold; NumPy numbers become plain ones.
        """
        path = os.path.join(self._folder, "meta.json")
        with open(path + ".part", "w") as stream:
            json.dump(facts, stream, indent=1, sort_keys=True, default=_plain)
        os.replace(path + ".part", path)


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    return str(value)
