"""What NumPy, SciPy and Python themselves renamed or dropped since TF1's days (data/libraries.tsv)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

_DATA = Path(__file__).parent / "data" / "libraries.tsv"

Kind = Literal["attribute", "builtin", "from", "module", "runtime", "left"]


class Changed(NamedTuple):
    """What stands for a name today.

    Attributes:
        kind: 'attribute': another name in the same module. 'builtin': Python's own. 'from': the same name in another
            module. 'module': a module itself. 'runtime': ours. 'left': nothing that is certain.
        target: that name or module; for 'left', what a person would write.
    """

    kind: Kind
    target: str


@cache
def changed() -> dict[str, Changed]:
    """Dotted name (`numpy.float`) -> what stands for it."""
    rows = (line.split("\t") for line in _DATA.read_text(encoding="utf-8").splitlines()[1:])
    return {name: Changed(kind, target) for name, kind, target in rows}  # type: ignore[arg-type]


@cache
def last_names() -> frozenset[str]:
    """The last parts of these names, to look no further at others."""
    return frozenset(name.rpartition(".")[2] for name in changed())
