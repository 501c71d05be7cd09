"""What a Cython file takes from NumPy that NumPy has no more: its module would stop where it is imported, or called."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tf2towers.exact.libraries.changed import changed

_IMPORT = re.compile(r"^\s*c?import\s+numpy(?:\s+as\s+(\w+))?\s*$")


def gone_in_cython(text: str) -> Iterator[tuple[str, int]]:
    """Each such name (`numpy.float`) in a text, with the line that has it first. (`np.float_t` is another one.)"""
    lines = [line.partition("#")[0] for line in text.splitlines()]
    names = {found[1] or "numpy" for line in lines if (found := _IMPORT.match(line))}
    seen = set()
    for number, line in enumerate(lines, 1):
        for module, attribute in re.findall(r"(?<![\w.])(\w+)\s*\.\s*(\w+)", line):
            name = f"numpy.{attribute}"
            if module in names and name in changed() and name not in seen:
                seen.add(name)
                yield name, number
