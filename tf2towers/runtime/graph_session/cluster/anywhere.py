"""Operations that give the same in whichever process they run."""

from __future__ import annotations

from typing import Any

from tensorflow.python.framework import op_def_registry

#: they are a function of their inputs, and of the machine's files
_FILES = frozenset({"LMDBReader", "MatchingFiles", "ReadFile"})
#: what they keep ends with the run
_OF_THE_RUN = ("Assert", "Stack", "TensorArray")
_RESOURCE = 20


def runs_anywhere(node: Any) -> bool:
    """Whether another process can run a node in place of the one that the script chose, with the same outcome.

    It computes, or draws (a session's draws are its own, wherever they are made); it keeps nothing, and neither reads
    files nor prints. What uses a resource is judged by the resource, and a call by what it calls.
    """
    kind = op_def_registry.get(node.op)
    if kind is None:
        return False
    if not kind.is_stateful:
        return node.op not in _FILES
    makes_resource = "shared_name" in node.attr
    draws = "seed" in node.attr and "seed2" in node.attr
    uses_resource = bool(kind.input_arg) and kind.input_arg[0].type == _RESOURCE
    calls = any(value.WhichOneof("value") == "func" for value in node.attr.values())
    return not makes_resource and (draws or uses_resource or calls or node.op.startswith(_OF_THE_RUN))
