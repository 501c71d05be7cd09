"""What each worker has in a process of its own: one process runs the loops of all, and has it once."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from tf2towers.certain.building import Building, inside
from tf2towers.certain.rule import Doubt
from tf2towers.certain.steady import changing_default, has_no_parts, is_frozen, may_change, only_reads
from tf2towers.exact.file import File
from tf2towers.names.meanings import Assigned, Binding, Defined, Imported
from tf2towers.source.nodes import Function

#: what changes the process
_OF_THE_PROCESS = frozenset({"os.chdir", "os.putenv", "os.unsetenv", "os.umask"})
#: what ends it, and with it the loops of the others; with status 0 `sys.exit` ends a worker's loop alone
_ENDS = frozenset({"builtins.exit", "builtins.quit", "os._exit", "os.abort", "sys.exit"})
#: what each process has of its own
_OF_A_PROCESS = frozenset(
    {"sys.argv", "os.environ", "os.getenv", "os.getpid", "os.getcwd", "socket.gethostname", "platform.node"}
)


def shared_by_workers(building: Building) -> Iterator[Doubt]:
    """Values of a module, and of its functions, that a worker may change; what a loop asks of its process."""
    for file in building.files:
        for asked in (*file.all(ast.Name), *file.all(ast.Attribute)):
            canonical = file.canonical(asked) or ""
            if canonical in _OF_A_PROCESS and _is_in_a_loop(building, file, asked):
                what = (
                    f"`{file.text.of(asked)}` is asked of a process, where one process runs the loops of all"
                )
                yield Doubt(file, asked, what)
            elif (
                canonical in _OF_THE_PROCESS
                or (
                    canonical in _ENDS
                    and _is_of_workers(building, file, asked)
                    and not _says_zero(file, asked)
                )
                or (canonical == "os.environ" and _is_written(file, asked))
            ):
                yield _doubt(file, asked)
        for function in file.all(ast.FunctionDef):
            if any(True for part in building.owners if part is function):
                continue
            kept = changing_default(building, file, function) or next(iter(function.decorator_list), None)
            if kept is not None:
                yield _doubt(file, kept)
        for defined in file.all(ast.ClassDef):
            if not has_no_parts(building, file, Defined(defined)):
                yield _doubt(file, defined)
        for name, bindings in file.meanings.module.bindings.items():
            if all(may_change(building, file, binding) for binding in bindings) and not all(
                is_frozen(building, file, binding, frozenset({name})) for binding in bindings
            ):
                yield from _uses(building, file, name)


def _uses(building: Building, file: File, name: str) -> Iterator[Doubt]:
    """The uses of a module's name, in what workers do, that may change what it stands for, or call it otherwise."""
    for use in file.all(ast.Name):
        found = building.home(file, use) if use.id == name else None
        if found is None or found[0] is not file.meanings.module:
            continue
        around = file.function_around(use)
        if around is None and (file.tree not in building.owners or _is_own(building, file, found[1])):
            continue
        is_function = all(
            isinstance(binding, Defined) and isinstance(binding.node, Function) for binding in found[1]
        )
        if is_function and not isinstance(file.parent(use), ast.Attribute):
            continue  # called, or given to what calls it
        once = (around or file.tree) in building.owners and not _is_of_workers(building, file, use)
        if not only_reads(building, file, use, filled=once):
            yield _doubt(file, use)


def _is_of_workers(building: Building, file: File, use: ast.expr) -> bool:
    """Whether something is behind the place where the session is made, or in a loop."""
    sessions = [call.lineno for call in file.all(ast.Call) if building.makes_session(file, call)]
    return use.lineno > min(sessions, default=sys.maxsize) or _is_in_a_loop(building, file, use)


def _is_own(building: Building, file: File, bindings: list[Binding]) -> bool:
    """Whether the module's own statements make a value of the graph, or behind it: each worker's loop has its own."""
    blocks = [
        block for where, block in building.placed if where is file and file.function_around(block) is None
    ]
    begin = blocks[0].lineno if blocks else sys.maxsize
    return all(_is_of_graph(file, binding) or _line(binding) > begin for binding in bindings)


def _line(binding: Binding) -> int:
    if isinstance(binding, Imported):
        return binding.statement.lineno
    return getattr(binding.value if isinstance(binding, Assigned) else binding.node, "lineno", 0)


def _is_of_graph(file: File, binding: Binding) -> bool:
    value = binding.value if isinstance(binding, Assigned) else None
    made = (file.canonical(value.func) or "") if isinstance(value, ast.Call) else ""
    return made.startswith("tf.") and not made.startswith(("tf.app.", "tf.examples."))


def _is_written(file: File, environment: ast.AST) -> bool:
    around = file.parent(environment)
    if isinstance(around, ast.Attribute):
        return around.attr not in ("get", "copy")
    return isinstance(around, ast.Subscript) and not isinstance(around.ctx, ast.Load)


def _says_zero(file: File, exit_: ast.expr) -> bool:
    call = file.parent(exit_)
    return (
        file.canonical(exit_) == "sys.exit"
        and isinstance(call, ast.Call)
        and all(isinstance(status, ast.Constant) and not status.value for status in call.args)
    )


def _is_in_a_loop(building: Building, file: File, node: ast.AST) -> bool:
    """Whether a place is in a worker's loop, or under its session."""
    if any(True for _ in inside(file, node, ast.For, ast.While)):
        return True
    blocks = inside(file, node, ast.With)
    return any(building.makes_session(file, item) for block in blocks for item in getattr(block, "items", ()))


def _doubt(file: File, node: ast.AST) -> Doubt:
    text = node.name if isinstance(node, ast.ClassDef) else file.text.of(node)  # type: ignore[arg-type]
    return Doubt(file, node, f"`{text}` may change what the loops of all workers share")
