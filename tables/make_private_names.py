"""Writes private_names.tsv: the names in modules of `tensorflow.python` that both TF 1.15 and TF 2 have.

    /opt/tf115/bin/python tables/make_private_names.py > tf115.json
    python tables/make_private_names.py tf115.json > oldest.tsv
    python tables/make_private_names.py tf115.json oldest.tsv > private_names.tsv

The first command runs under TensorFlow 1.15, the second under the oldest supported version, the third under the newest.
A row has a module and the names that all versions have; other names were removed, or never existed. The table in
codemod/data has a third column, empty in these rows; the rows of `make_generated.py` have `same` there.
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

#: modules whose import has side effects, or needs libraries that are not installed
LEFT_OUT = (
    ".debug.",
    "_test",
    ".tpu.",
    ".testing.",
    ".tools.api.",
    ".autograph.",
    ".eager.memory_tests",
    ".platform.",
)


def names_in_tf1() -> dict[str, list[str]]:
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


def names_in_tf2(old: dict[str, list[str]]) -> Iterator[tuple[str, set[str]]]:
    """Yields every module that still exists, and its names.

    Modules that `import tensorflow` loads come first: other modules add names to some of them when they are imported.
    """
    importlib.import_module("tensorflow")
    for dotted in sorted(old, key=lambda dotted: (dotted not in sys.modules, dotted)):
        try:
            module = importlib.import_module(dotted)
        except BaseException:
            continue
        if hasattr(module, "__path__"):
            continue  # a package's names include modules, which may not be imported yet
        own = {name for name in vars(module) if not name.startswith("__")}
        yield "tf" + dotted[len("tensorflow") :], own | {name for name in old[dotted] if has(module, name)}


def has(module: ModuleType, name: str) -> bool:
    """Whether a module has a name, possibly loaded lazily."""
    try:
        return hasattr(module, name)
    except Exception:  # the name loads a library that is not installed
        return False


def main(arguments: list[str]) -> None:
    """Prints the names as JSON, or the table; see the three commands above."""
    if not arguments:
        json.dump(names_in_tf1(), sys.stdout)
        return
    found = dict(names_in_tf2(json.loads(Path(arguments[0]).read_text())))
    for name in arguments[1:]:
        rows = (line.split("\t") for line in Path(name).read_text().splitlines()[1:])
        oldest = {module: set(names.split()) for module, names in rows}
        found = {module: names & oldest[module] for module, names in found.items() if module in oldest}
    print(
        "\n".join(
            ["module\tnames", *(f"{module}\t{' '.join(sorted(found[module]))}" for module in sorted(found))]
        )
    )


if __name__ == "__main__":
    main(sys.argv[1:])
