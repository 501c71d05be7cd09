"""Words about TF1's objects in what a program prints and in its docstrings (T2T119)."""

from __future__ import annotations

import re

import libcst as cst

from tf2towers.names.symbols import Names
from tf2towers.program.python_code.search import find_all

_LEVELS = frozenset({"debug", "info", "warn", "warning", "error"})  # of a logger
_NOW = {
    "Session": "session",
    "Supervisor": "SupervisedTraining",
    "MonitoredTrainingSession": "MonitoredTraining",
    "SyncReplicasOptimizer": "synchronous_replicas",
    "replica_device_setter": "ParameterServerStrategy",
}
_WORDS = re.compile(rf"\b(?:tf\.train\.|tf\.)?({'|'.join(_NOW)})\b")
_SESSION = re.compile(r"\bSession\b")


def messages(call: cst.Call, names: Names) -> list[cst.SimpleString]:
    """The strings of a call that prints or logs."""
    return find_all(call, cst.SimpleString) if _is_message(call, names) else []


def docstring(node: cst.Module | cst.FunctionDef | cst.ClassDef) -> cst.SimpleString | None:
    """The docstring of a definition."""
    body = node.body if isinstance(node, cst.Module) else node.body.body
    first = body[0] if body else None
    if isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr):
        value = first.body[0].value
        return value if isinstance(value, cst.SimpleString) else None
    return None


def message_now(text: str) -> str:
    """A message without the Session, which there is none of."""
    return _SESSION.sub("session", text)


def docstring_now(text: str) -> str:
    """A docstring with the names that things have in the migrated program."""
    return _WORDS.sub(lambda found: _NOW[found[1]], text)


def _is_message(call: cst.Call, names: Names) -> bool:
    """Whether a call prints or logs what it is given."""
    if isinstance(call.func, cst.Name) and call.func.value == "print":
        return True
    if isinstance(call.func, cst.Attribute) and call.func.attr.value in _LEVELS:
        return True
    canonical = names.canonical(call.func) or ""
    return canonical.startswith(("tf.logging.", "logging.", "absl.logging."))
