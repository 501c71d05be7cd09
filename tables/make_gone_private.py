"""Writes gone_private.tsv: what modules in `tensorflow.python` had in TF 1.15, and have no more, though they are there.

    /opt/tf115/bin/python tables/make_gone_private.py > tf115.json
    python tables/make_gone_private.py tf115.json [older.tsv ...] > gone_private.tsv

The first command runs under TensorFlow 1.15, the second under TensorFlow 2: once for the oldest version that is served
and, with its result and the table that there is as further files, once for the newest. A name that one of them lacks
is a row.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

warnings.simplefilter("ignore")
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

#: modules that do something when they are imported, or need what is not installed
LEFT_OUT = (
    ".debug.",
    ".tools.",
    "_test",
    ".tpu.",
    ".testing.",
    ".autograph.",
    ".eager.memory_tests",
    ".platform.",
)


def had() -> dict[str, list[str]]:
    """Module -> its names, in TensorFlow 1.15."""
    from tensorflow import python as root

    found = {}
    for made in pkgutil.walk_packages(root.__path__, "tensorflow.python.", onerror=lambda name: None):
        if any(part in made.name for part in LEFT_OUT):
            continue
        try:
            module = importlib.import_module(made.name)
        except BaseException:
            continue
        found[made.name] = sorted(name for name in vars(module) if not name.startswith("__"))
    return found


def gone(old: dict[str, list[str]]) -> Iterator[str]:
    """The rows. A module that is not there any more has none, for it is looked up as a module.

    What `import tensorflow` loads is asked first: other modules add names to some of these when they are imported.
    """
    importlib.import_module("tensorflow")
    for dotted in sorted(old, key=lambda dotted: (dotted not in sys.modules, dotted)):
        try:
            module = importlib.import_module(dotted)
        except BaseException:
            continue
        for name in old[dotted]:
            if not has(module, name):
                yield "tf" + dotted[len("tensorflow") :] + "." + name


def has(module: ModuleType, name: str) -> bool:
    """Whether it has the name; one that stands for a library that is not installed counts as there."""
    try:
        return hasattr(module, name)
    except Exception:
        return True


def main(arguments: list[str]) -> None:
    """Either half."""
    if not arguments:
        json.dump(had(), sys.stdout)
        return
    rows = set(gone(json.loads(Path(arguments[0]).read_text())))
    for name in arguments[1:]:
        rows |= set(Path(name).read_text().split()[1:])
    print("\n".join(["name", *sorted(rows)]))


if __name__ == "__main__":
    main(sys.argv[1:])
