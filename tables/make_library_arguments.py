"""Writes libraries/arguments.tsv: arguments that Python, NumPy, scikit-image and so on take otherwise today.

    python3.11 tables/make_library_arguments.py python37.json python37_others.json > new.tsv

Of several files that have a function, the last one's order of arguments is taken.
The interpreter has the newest libraries; the files are what `dump_libraries.py` wrote of old ones (see there, and
`make_libraries.py` for the releases). A row is of a function that both have:

- `keyword`: the arguments that stood at a place and behind it are taken by keyword alone today, or at other places.
- `renamed`: an argument has another name today, which is decided by hand, as is that nothing else of it changed.
- `unnamed`: an argument has another name in some of today's releases, and its old place in all, which is decided by
  hand.
- `dropped`: an argument is gone, and said nothing any more, which is decided by hand.
- `left`: an argument is gone, or what stands for it is not certain; what a person would write, where that is known.

The place is the old one; none where the place still means the same.

What is decided by hand is kept from the table that there is. An argument that a function may still take in its `**`
is no row, unless it is decided.
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from pathlib import Path

from dump_libraries import parameters_of

TABLE = Path(__file__).parents[1] / "tf2towers" / "exact" / "data" / "libraries" / "arguments.tsv"
#: inner modules, and names that are there for their own library
NOT_COMPARED = (
    "asyncio.", "distutils.", "gettext.", "idlelib.", "lib2to3.", "matplotlib.backend", "matplotlib.pylab.",
    "matplotlib.testing", "multiprocessing.", "numpy.core.", "numpy.distutils.", "numpy.f2py.", "numpy.lib.",
    "numpy.ma.core.", "numpy.ma.extras.", "numpy.matlib.", "numpy.testing.", "pandas.core.", "pandas.tseries.",
    "requests.", "scipy.stats.distributions.", "sre_parse.", "nltk.parse.", "nltk.sem.",
)  # fmt: skip
Parameters = list[tuple[str, str]]


def parameters_today(function: str) -> Parameters | None:
    """The parameters of a function; None where it is not, or where they cannot be told."""
    module, _, name = function.rpartition(".")
    try:
        found = parameters_of(getattr(importlib.import_module(module), name))
    except BaseException:  # gone, or not on this system
        return None
    return None if found is None else [(parameter, kind) for parameter, kind in found]


def changed(old: Parameters, new: Parameters) -> dict[str, tuple[int | None, str]]:
    """Parameter -> its old place, if a place has changed, and 'keyword' or 'left'."""
    today = dict(new)
    places = [name for name, kind in new if kind in ("place", "both")]
    kinds = [kind for _, kind in new]
    found: dict[str, tuple[int | None, str]] = {}
    for place, (name, kind) in enumerate(old):
        if kind in ("*", "**"):
            break
        at = place if kind in ("place", "both") else None
        stands = at is None or "*" in kinds or (at < len(places) and places[at] == name)
        if kind != "place" and today.get(name) in ("both", "keyword"):
            if not stands:
                found[name] = (at, "keyword")
        elif kind != "place" and "**" not in kinds:
            renamed = at is not None and at < len(places) and places[at] not in dict(old)
            found[name] = (None if renamed or stands else at, "left")
    return found


def rows_of(function: str, old: Parameters, new: Parameters) -> list[list[str]]:
    """The rows of one function."""
    found = changed(old, new)
    rows = [
        [function, "left", "" if place is None else str(place), name, ""]
        for name, (place, kind) in found.items()
        if kind == "left"
    ]
    moved = [place for place, kind in found.values() if kind == "keyword" and place is not None]
    if moved:
        names = [name for name, kind in old[min(moved) :] if kind in ("place", "both")]
        rows.insert(0, [function, "keyword", str(min(moved)), ",".join(names), ""])
    return rows


def main() -> None:
    """Prints the table."""
    warnings.simplefilter("ignore")
    rows: dict[tuple[str, str], list[str]] = {}
    for path in sys.argv[1:]:
        for function, old in json.loads(Path(path).read_text())["parameters"].items():
            if function.startswith(NOT_COMPARED) or function.count(".") > 2:
                continue
            before = [(name, kind) for name, kind in old]
            for row in rows_of(function, before, parameters_today(function) or before):
                rows[function, "" if row[1] == "keyword" else row[3]] = row
    if TABLE.exists():
        for row in (line.split("\t") for line in TABLE.read_text().splitlines()[1:]):
            if row[4] or row[1] in ("dropped", "unnamed"):
                rows[row[0], "" if row[1] == "keyword" else row[3]] = row
    print("function\tkind\tplace\targument\ttoday")
    for _, row in sorted(rows.items()):
        print("\t".join(row))


if __name__ == "__main__":
    main()
