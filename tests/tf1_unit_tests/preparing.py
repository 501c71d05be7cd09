"""A plain TF1 program of a file of TensorFlow's tests, and that program without some of its lines."""

from __future__ import annotations

import ast
import re

_IMPORT = re.compile(r"(\s*)from (tensorflow\.[\w.]+) import (\w+)(?: as (\w+))?\s*(?:#.*)?$")

#: modules of TensorFlow's tests that `classes_of_tests.py` stands in for
_STOOD_IN = {
    "tensorflow.python.framework.test_util",
    "tensorflow.python.platform.test",
    "tensorflow.python.platform.googletest",
    "tensorflow.python.ops.gradient_checker",
    "tensorflow.python.compat.compat",
    "tensorflow.python.data.kernel_tests.test_base",
}

#: and objects in them
_STOOD_IN_PARTS = {"tensorflow.python.eager.context", "tensorflow.python.framework.combinations"}

_OF_TEST = (
    r"\btf\.test\.(TestCase|main|mock|get_temp_dir|is_gpu_available|is_built_with_cuda|gpu_device_name)\b"
)


def plain_program(text: str) -> str:
    """The text with a stand-in for TensorFlow's test classes, and without imports that only register something."""
    lines = [_stood_in(line) for line in text.split("\n")]
    text = re.sub(_OF_TEST, r"classes_of_tests.\1", "\n".join(lines))
    text = re.sub(r"\bvariables\.RefVariable\(", "variables.VariableV1(", text)
    if "classes_of_tests." in text:
        text = re.sub(
            r"^(import (?:numpy|tensorflow)\b.*)$", r"import classes_of_tests\n\1", text, count=1, flags=re.M
        )
    return text


def _stood_in(line: str) -> str:
    found = _IMPORT.match(line)
    if found is None:
        return "pass" if re.match(r"import tensorflow\.[\w.]+\s+#.*unused-import", line) else line
    indentation, module, name, bound = found.groups()
    if f"{module}.{name}" in _STOOD_IN:
        return f"{indentation}import classes_of_tests as {bound or name}"
    if f"{module}.{name}" in _STOOD_IN_PARTS:
        return f"{indentation}from classes_of_tests import {name} as {bound or name}"
    return line


def without(text: str, lines: set[int]) -> str:
    """The program without the methods, functions, imports and statements that have one of these lines.

    What an import would have bound is `classes_of_tests.Missing`, so that classes derived from it
    can be made.
    """
    kept = text.split("\n")
    for first, last, column in sorted(_parts(text), reverse=True):
        if any(first <= line <= last for line in lines):
            found = _IMPORT.match(kept[first - 1]) if first == last else None
            instead = f"from classes_of_tests import Missing as {found[4] or found[3]}" if found else "pass"
            kept[first - 1 : last] = [" " * column + instead]
    return "\n".join(kept)


def _parts(text: str) -> list[tuple[int, int, int]]:
    """First line, last line and column of what can go by itself: a class's statements, and the module's others."""
    found = []
    for statement in ast.parse(text).body:
        for part in statement.body if isinstance(statement, ast.ClassDef) else [statement]:
            decorators = getattr(part, "decorator_list", [])
            first = min([part.lineno, *(decorator.lineno for decorator in decorators)])
            found.append((first, part.end_lineno or part.lineno, part.col_offset))
    return found
