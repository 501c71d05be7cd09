"""Writes names.tsv: the names that Python, NumPy, SciPy, Pillow, pandas, matplotlib and so on have given up.

    python3.13 tables/make_libraries.py python27.json python36.json python37.json > new.tsv

The interpreter has the newest libraries; the files are what `dump_libraries.py` wrote of old ones: Python 2.7; Python
3.6 with NumPy 1.16, SciPy 1.1, Pillow 6.2, scikit-learn 0.20, pandas 0.24 and h5py 2.8; Python 3.7 with NumPy 1.18,
SciPy 1.7 and scikit-learn 1.0; Python 3.7 with matplotlib 3.0, seaborn 0.9, scikit-image 0.15, networkx 2.2, nltk 3.4,
OpenCV 4.1, librosa 0.6, imageio 2.4, moviepy 1.0 and gym 0.10 (today's OpenCV is 4: version 5 is not alone yet). A
name that is in one of them and not here is a row. What stands for it today is decided
by hand, and kept from the table that there is; without a decision it is NumPy's, if it was the very same object as
NumPy's of that name, else it is 'left'. Rows of libraries that no file has are kept as they are. The last column says
'python2' of what only the first file has.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import warnings
from pathlib import Path
from types import ModuleType

TABLE = Path(__file__).parents[1] / "tf2towers" / "exact" / "data" / "libraries" / "names.tsv"
#: their names depend on the system and on how Python was built, or are no business of a script's
NOT_COMPARED = ("curses", "dbm", "distutils", "errno", "fcntl", "posix", "readline", "resource", "select", "signal",
                "socket", "ssl", "termios", "numpy.core", "numpy.distutils", "numpy.doc", "numpy.f2py")  # fmt: skip


def has_module(name: str) -> bool:
    """Whether a module is there today, for some system at least."""
    root, _, rest = name.partition(".")
    if root in sys.stdlib_module_names and not rest:
        return True
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def has_name(module: ModuleType, name: str) -> bool:
    """Whether a module has a name; one that is told about in an error is gone."""
    try:
        getattr(module, name)
    except (AttributeError, ImportError):
        return False
    return True


def is_something_else(module: str) -> bool:
    """Whether its package has a function of that name today, as it had beside the file (`scipy.special.lambertw`)."""
    package, _, name = module.rpartition(".")
    return bool(package) and has_module(package) and has_name(importlib.import_module(package), name)


def gone_names(old: dict[str, dict[str, str]]) -> dict[str, str]:
    """Dotted name -> 'numpy', if it was the same object as NumPy's of that name, or ''."""
    found: dict[str, str] = {}
    for module, names in sorted(old.items()):
        if module.startswith(NOT_COMPARED) or any(module.startswith(f"{known}.") for known in found):
            continue
        if not has_module(module):
            if not is_something_else(module):
                found[module] = ""
            continue
        try:
            now = importlib.import_module(module)
        except BaseException:  # not on this system
            continue
        for name, same in names.items():
            if not has_name(now, name) and not has_module(f"{module}.{name}"):
                found[f"{module}.{name}"] = same
    return found


def main() -> None:
    """Prints the table."""
    warnings.simplefilter("ignore")
    import numpy

    table = [line.split("\t") for line in TABLE.read_text().splitlines()[1:]]
    decided, marked = {row[0]: row[1:3] for row in table}, {row[0]: row[3] for row in table}
    dumps = [json.loads(Path(path).read_text())["names"] for path in sys.argv[1:]]
    of_python2 = [names for names in dumps if "__builtin__" in names]
    others = [names for names in dumps if names not in of_python2]
    known = {module for old in dumps for module in old}
    rows = {
        name: row for name, row in decided.items()
        if row != ["left", ""] or not any(name == module or name.startswith(f"{module}.") for module in known)
    }  # fmt: skip
    newer = {name for old in others for name in gone_names(old)}
    only_in_python2 = {name for old in of_python2 for name in gone_names(old)} - newer
    only_in_python2 |= {name for name, row in marked.items() if row == "python2" and name not in newer}
    for old in dumps:
        for name, same in gone_names(old).items():
            is_numpys = same and hasattr(numpy, name.rpartition(".")[2])
            rows.setdefault(name, ["from", "numpy"] if is_numpys else ["left", ""])
    print("name\tkind\ttarget\tlast")
    for name, row in sorted(rows.items()):
        print("\t".join([name, *row, "python2" if name in only_in_python2 else ""]))


if __name__ == "__main__":
    main()
