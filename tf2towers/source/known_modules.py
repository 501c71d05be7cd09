"""Known modules (modules.tsv): libraries without TF1 code, and libraries that build TF1 graphs."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path


@cache
def _module_kinds() -> dict[str, str]:
    """Module -> 'library', 'python2' (a module of Python 2's standard library) or 'tf1'."""
    lines = Path(__file__).with_name("modules.tsv").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t")[:2] for line in lines[1:])


def is_known(root: str) -> bool:
    """True if a top-level module is TensorFlow, Python's, or a library without TF1 code."""
    if root in ("tensorflow", "tf2towers", "__main__") or root in sys.stdlib_module_names:
        return True
    return _module_kinds().get(root) in ("library", "python2")


def is_tf1_library(module: str) -> bool:
    """True if a module is of a library of TF1 graphs; a part's own row has precedence."""
    parts = module.split(".")
    beginnings = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((kind for name in beginnings if (kind := _module_kinds().get(name))), "") == "tf1"
