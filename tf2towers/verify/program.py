"""What kind of program a script is: one that makes session calls through our runtime, or one of TF 2 functions."""

from __future__ import annotations

import re
from pathlib import Path

from tf2towers.source.local_imports import program_files

#: names of the runtime that only a program with a graph and sessions takes
_SESSIONS = r"\w*Session\w*|Supervisor|Server|graph_mode|towers|all_reduce_mean"
_IMPORTED = re.compile(
    r"^[ \t]*from[ \t]+tf2towers\.runtime(?:\.graph_session\S*)?[ \t]+import[ \t]*"
    rf"(?:\([^)]*|[^\n(]*)\b(?:{_SESSIONS})\b",
    re.MULTILINE,
)
_MODULE = re.compile(
    r"^[ \t]*(?:import[ \t]+tf2towers\.runtime(?:[ \t]+as[ \t]+(\w+))?|"
    r"from[ \t]+tf2towers[ \t]+import[ \t]+runtime(?:[ \t]+as[ \t]+(\w+))?)",
    re.MULTILINE,
)


def makes_session_calls(script: Path) -> bool:
    """Whether it, or a local module that it reaches, makes sessions of `tf2towers.runtime`, as `migrate` writes."""
    return any(
        _has_sessions(path.read_text(encoding="utf-8", errors="replace")) for path in program_files(script)
    )


def _has_sessions(text: str) -> bool:
    if _IMPORTED.search(text):
        return True
    found = _MODULE.search(text)
    if found is None:
        return False
    name = found[1] or found[2] or r"(?:tf2towers\.)?runtime"
    return re.search(rf"\b{name}\.(?:{_SESSIONS})\b", text) is not None
