"""Writes private_names.tsv: the names in modules of `tensorflow.python` that TF 1.15 had, too, as they are today.

    /opt/tf115/bin/python tables/make_private_names.py > tf115.json
    python tables/make_private_names.py tf115.json > oldest.tsv
    python tables/make_private_names.py tf115.json oldest.tsv > private_names.tsv

The first command runs under TensorFlow 1.15, the second under the oldest version that is served, the third under the
newest. A row is a module and the names that both have; what is not among them is gone, or never was. The table in
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

#: modules that do something when they are imported, or need what is not installed
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


def today(old: dict[str, list[str]]) -> Iterator[tuple[str, set[str]]]:
    """Every module that is there still, and its names.

    What `import tensorflow` loads is asked first: other modules add names to some of these when they are imported.
    """
    importlib.import_module("tensorflow")
    for dotted in sorted(old, key=lambda dotted: (dotted not in sys.modules, dotted)):
        try:
            module = importlib.import_module(dotted)
        except BaseException:
            continue
        if hasattr(module, "__path__"):
            continue  # a package has modules as well, which nobody may have imported yet
        own = {name for name in vars(module) if not name.startswith("__")}
        yield "tf" + dotted[len("tensorflow") :], own | {name for name in old[dotted] if has(module, name)}


def has(module: ModuleType, name: str) -> bool:
    """Whether it has the name, perhaps only when it is asked for."""
    try:
        return hasattr(module, name)
    except Exception:  # it stands for a library that is not installed
        return False


def main(arguments: list[str]) -> None:
    """Any of the three."""
    if not arguments:
        json.dump(had(), sys.stdout)
        return
    found = dict(today(json.loads(Path(arguments[0]).read_text())))
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
