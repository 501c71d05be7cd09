"""What each worker changes in a process of its own: one process runs the loops of all, and has it once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import Building, inside
from tf2towers.certain.rule import Doubt
from tf2towers.exact.file import File
from tf2towers.names.meanings import Assigned

#: what changes the process
_OF_THE_PROCESS = frozenset({"os.chdir", "os.putenv", "os.unsetenv", "os.umask"})
#: what each process has of its own
_OF_A_PROCESS = frozenset(
    {"sys.argv", "os.environ", "os.getenv", "os.getpid", "os.getcwd", "socket.gethostname", "platform.node"}
)
#: functions that change what they are given
_CHANGE = frozenset({"builtins.next", "builtins.setattr", "random.shuffle", "numpy.random.shuffle"})
#: methods that leave their object as it was, for what the workers compute
_READ = frozenset(
    {
        "format", "join", "split", "strip", "replace", "startswith", "endswith", "lower", "upper", "get", "items",
        "keys", "values", "index", "count", "copy", "debug", "info", "warning", "error", "parse_args",
        "parse_known_args", "add_argument",
    }
)  # fmt: skip


def shared_by_workers(building: Building) -> Iterator[Doubt]:
    """Changes of the process's environment, and of a module's values by functions; what a loop asks its process."""
    for file in building.files:
        for asked in (*file.all(ast.Name), *file.all(ast.Attribute)):
            if file.canonical(asked) in _OF_A_PROCESS and _is_in_a_loop(building, file, asked):
                what = (
                    f"`{file.text.of(asked)}` is asked of a process, where one process runs the loops of all"
                )
                yield Doubt(file, asked, what)
        for node in file.all(ast.Call):
            canonical = file.canonical(node.func) or ""
            if canonical in _OF_THE_PROCESS or canonical.startswith("os.environ."):
                if canonical not in ("os.environ.get", "os.environ.copy"):
                    yield _doubt(file, node)
            elif canonical in _CHANGE and node.args and _is_of_module(building, file, node.args[0]):
                yield _doubt(file, node)
            elif isinstance(node.func, ast.Attribute) and not canonical and node.func.attr not in _READ:
                if _is_of_module(building, file, node.func.value):
                    yield _doubt(file, node)
        places: list[ast.Subscript | ast.Attribute] = [*file.all(ast.Subscript), *file.all(ast.Attribute)]
        for written in places:
            if isinstance(written.ctx, ast.Load):
                continue
            if file.canonical(written.value) == "os.environ" or _is_of_module(building, file, written.value):
                yield _doubt(file, written)


def _is_in_a_loop(building: Building, file: File, node: ast.AST) -> bool:
    """Whether a place is in a worker's loop, or under its session."""
    if any(True for _ in inside(file, node, ast.For, ast.While)):
        return True
    blocks = inside(file, node, ast.With)
    return any(building.makes_session(file, item) for block in blocks for item in getattr(block, "items", ()))


def _doubt(file: File, node: ast.expr) -> Doubt:
    return Doubt(file, node, f"`{file.text.of(node)}` changes what the loops of all workers share")


def _is_of_module(building: Building, file: File, node: ast.expr) -> bool:
    """Whether a function's expression is a value that a module has made, or a part of one."""
    if file.function_around(node) is None:
        return False
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    found = building.home(file, node) if isinstance(node, ast.Name) else None
    if found is None or not isinstance(found[0].node, ast.Module):
        return False
    return any(
        isinstance(binding, Assigned) and not isinstance(binding.value, ast.Attribute | ast.Constant)
        for binding in found[1]
    )
