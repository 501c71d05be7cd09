"""Writes the table private_names.tsv: the names that a script may take from modules of `tensorflow.python`.

    /opt/tf115/bin/python tables/make_private_names.py > tf115.json
    python tables/make_private_names.py tf115.json > oldest.tsv
    python tables/make_private_names.py tf115.json oldest.tsv > new.tsv

The first command runs under TensorFlow 1.15, the second under the oldest supported version, the
third under the newest. A row has a module, and the names that TF 1.15 and all versions of TF 2 have
there. Modules are listed of which symbols.tsv knows a name; names of modules, and of functions that
TensorFlow generated for its own use, are left out.

The table in codemod/data has two columns more, which are kept by hand: `generated` for the modules
of `make_generated.py`, and the names that are `same`. A name is the same if tf2_symbols.tsv has it
as `private`.
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
        found[made.name] = sorted(name for name, value in vars(module).items() if is_for_scripts(name, value))
    return found


def is_for_scripts(name: str, value: object) -> bool:
    """True for names of functions, classes and values that scripts may use."""
    import tensorflow as tf

    is_raw = callable(value) and getattr(tf.raw_ops, name, None) is value
    return not (
        name.startswith("__") or name.endswith("_eager_fallback") or isinstance(value, ModuleType) or is_raw
    )


def names_in_tf2(old: dict[str, list[str]]) -> Iterator[tuple[str, set[str]]]:
    """Yields every module that still exists, and its names.

    Modules that `import tensorflow` loads come first: other modules add names to some of them when
    they are imported.
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
        names = {name for name in old[dotted] if name in own or has(module, name)}
        if is_known(canonical := "tf" + dotted[len("tensorflow") :]):
            yield canonical, names


def is_known(module: str) -> bool:
    """True if symbols.tsv says more of the module than that it is gone."""
    from tf2towers.codemod.symbols import find_replacement

    return find_replacement(module).kind != "left"


def has(module: ModuleType, name: str) -> bool:
    """True if a module has a name, possibly loaded lazily."""
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
