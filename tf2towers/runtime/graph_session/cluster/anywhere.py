"""Operations with the same result in whichever process they run."""

from __future__ import annotations

from typing import Any

from tf2towers.runtime.patches.operations import definition_of

#: stateless ops that read the machine's files
_FILES = frozenset({"LMDBReader", "MatchingFiles", "ReadFile"})
#: beginnings of the types of stateful ops whose state ends with the run
_OF_THE_RUN = ("Assert", "Stack", "TensorArray")
_RESOURCE = 20


def runs_anywhere(node: Any) -> bool:
    """True if a process that the script did not choose can run a node, with the same result.

    Such a node computes, or draws random numbers (each session draws its own); it makes no
    resource, and neither reads files nor prints. The ops that make its resources, and the functions
    that it calls, are checked separately.
    """
    kind = definition_of(node.op)
    if kind is None:
        return False
    if not kind.is_stateful:
        return node.op not in _FILES
    makes_resource = "shared_name" in node.attr
    draws = "seed" in node.attr and "seed2" in node.attr
    uses_resource = bool(kind.input_arg) and kind.input_arg[0].type == _RESOURCE
    calls = any(value.WhichOneof("value") == "func" for value in node.attr.values())
    return not makes_resource and (draws or uses_resource or calls or node.op.startswith(_OF_THE_RUN))
