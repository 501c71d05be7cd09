"""Which functions read a name, themselves or through what they call."""

from __future__ import annotations

import ast

from tf2towers.program.python_code.function_summaries import Functions, used_names
from tf2towers.program.python_code.local_module import LocalModule


def reads(functions: Functions, dotted: str, wanted: frozenset[str]) -> bool:
    """Whether a call of the local function or class `dotted` may read one of these dotted names.

    `FLAGS.task_index` is the same name in every module; that of a function's own variable is not.
    """
    found = functions.find_definition(dotted)
    return found is not None and _reads(functions, found, wanted, set())


def _reads(
    functions: Functions, found: tuple[LocalModule, ast.AST], wanted: frozenset[str], seen: set[int]
) -> bool:
    module, definition = found
    if id(definition) in seen:
        return False
    seen.add(id(definition))
    for name in used_names(definition):
        if name in wanted:
            return True
        called = functions.find_definition(module.resolve(name), module)
        if called is not None and _reads(functions, called, wanted, seen):
            return True
    return False
