"""Where new imports and `graph_mode()` stand: after the imports, and before TensorFlow builds anything."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tf2towers.exact.edits import Edit
from tf2towers.exact.file import File
from tf2towers.names.meanings import Defined
from tf2towers.source.nodes import imported, is_docstring, module_of

#: What a module may call on import without building a graph.
_HARMLESS = (
    "tf.app",
    "tf.flags",
    "tf.logging",
    "tf.gfile",
    "tf.ConfigProto",
    "tf.GPUOptions",
    "tf.test",
    "tf.errors",
)
_LIMIT = 100

#: flags that absl defines by itself since TF 1.13, until our runtime is imported
_FLAGS_OF_ABSL = frozenset(
    {
        "alsologtostderr", "log_dir", "logger_levels", "logtostderr", "showprefixforinfo", "stderrthreshold", "v",
        "verbosity",
    }
)  # fmt: skip

Compound = ast.Try | ast.If | ast.With


@dataclass
class Place:
    """`after` is the last import before anything is built, or None; `stop` the place of what builds."""

    after: ast.stmt | None
    stop: int


def imports_place(file: File, before: int | None = None) -> Place:
    """The place in a file. `before` is the place in the body of a statement that the imports have to precede."""
    after: ast.stmt | None = None
    body = file.tree.body
    for place, statement in enumerate(body):
        if before is not None and place >= before:
            return Place(after, place)
        risky = not isinstance(statement, ast.Import | ast.ImportFrom) and any(
            _is_risky(file, node) for node in evaluated(statement)
        )
        if _is_import(statement) and not risky:
            if file.main and any(builds(file, name) for name in _imported(statement)):
                return Place(after, place)
            after = statement
        elif place == 0 and is_docstring(statement):
            after = statement
        elif risky:
            return Place(after, place)
    return Place(after, len(body))


def evaluated(statement: ast.AST) -> Iterator[ast.AST]:
    """Every node that is evaluated when a statement of a module runs: bodies of functions are not."""
    pending = [statement]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            pending += [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
        elif isinstance(node, ast.Lambda):
            pending += [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        else:
            pending += list(ast.iter_child_nodes(node))


def builds(file: File, dotted: str) -> bool:
    """Whether importing a local module, or one that it imports, may build a graph."""
    imports = file.program.imports
    first = imports.imports_of(file.path).get(dotted)
    pending = [first] if first is not None else []
    seen: set[Path] = set()
    while pending:
        path = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        module = file.program.file(path)
        if module is not None and _builds_itself(module):
            return True
        pending += imports.imports_of(path).values()
    return False


def _builds_itself(module: File) -> bool:
    return any(
        not _is_import(statement) and any(_is_risky(module, node) for node in evaluated(statement))
        for statement in module.tree.body
    )


def _is_risky(file: File, node: ast.AST) -> bool:
    """Whether evaluating a node may build operations, or needs a name of the runtime."""
    if isinstance(node, ast.Call):
        name = file.canonical(node.func) or ""
        if name.startswith("tf."):
            return not _is_harmless(name) or _is_flag_of_absl(node, name)
        return False
    if isinstance(node, ast.Lambda):  # it may be called from here on, by whatever name
        # lambdas in it are walked with it
        return any(_is_risky(file, part) for part in ast.walk(node.body) if not isinstance(part, ast.Lambda))
    if isinstance(node, ast.Name | ast.Attribute):
        name = file.canonical(node) or ""
        if _may_run(file, node, name):
            return True
        return name.startswith("tf.") and (
            _needs_runtime(file, node, name) or (name.count(".") == 1 and name in _needed())
        )
    return False


def _may_run(file: File, node: ast.Name | ast.Attribute, canonical: str) -> bool:
    """Whether a function or class of the program is named, which may be called: by its own name, by `map`, by another.

    A name that is bound again elsewhere may be it, too.
    """
    if isinstance(file.parent(node), ast.ClassDef):
        return False
    if isinstance(node, ast.Name) and any(
        isinstance(binding, Defined) for binding in file.meanings.bindings(node)
    ):
        return True
    return canonical != "" and file.program.defined(file, canonical) is not None


def _is_flag_of_absl(call: ast.Call, name: str) -> bool:
    if not name.rpartition(".")[2].startswith("DEFINE_") or not call.args:
        return False
    return isinstance(call.args[0], ast.Constant) and call.args[0].value in _FLAGS_OF_ABSL


def _needs_runtime(file: File, node: ast.Name | ast.Attribute, canonical: str) -> bool:
    """Whether a use becomes a name of the runtime; `slim = tf.contrib.slim`, once, becomes an import."""
    from tf2towers.exact.lookup import find_replacement
    from tf2towers.exact.rules.t2t601_symbols import alias_of

    runtime, alias = find_replacement(canonical).runtime, alias_of(file, node)
    if runtime is None or not isinstance(node.ctx, ast.Load):
        return False
    bindings = file.meanings.module.bindings.get(alias[1], []) if alias is not None else []
    return alias is None or alias[1] != runtime.name or len(bindings) != 1


def _is_harmless(name: str) -> bool:
    from tf2towers.exact.switches import SWITCHES

    return name in SWITCHES or any(
        name == harmless or name.startswith(harmless + ".") for harmless in _HARMLESS
    )


def _needed() -> frozenset[str]:
    from tf2towers.exact.lookup import sessions

    return frozenset(sessions())


def _is_import(statement: ast.stmt) -> bool:
    if isinstance(statement, Compound):
        blocks = [*statement.body, *getattr(statement, "orelse", ())]
        for handler in getattr(statement, "handlers", ()):
            blocks += handler.body
        return any(_is_import(block) for block in blocks) and all(
            isinstance(block, ast.Import | ast.ImportFrom | ast.Pass | ast.Assign | ast.Raise)
            or _is_import(block)
            for block in blocks
        )
    return isinstance(statement, ast.Import | ast.ImportFrom)


def _imported(statement: ast.stmt) -> Iterator[str]:
    """The dotted names that an import statement may import, as the local imports know them."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))
        elif isinstance(node, ast.ImportFrom):
            yield from (module_of(node), *(dotted for _, dotted in imported(node)))


def _first_need(file: File, edits: Sequence[Edit]) -> int | None:
    """The place of the first statement that uses a new import when the module is run, not in a function's body."""
    if not file.wanted:
        return None
    wanted = re.compile(rf"\b(?:{'|'.join(map(re.escape, file.wanted.values()))})\b")
    uses = sorted(edit.start for edit in edits if wanted.search(edit.text))
    for place, statement in enumerate(file.tree.body):
        found = _within(uses, _span(file, statement))
        later = sum(len(_within(uses, span)) for span in _run_later(file, statement)) if found else 0
        if len(found) > later:
            return place
    return None


def _run_later(file: File, statement: ast.stmt) -> Iterator[tuple[int, int]]:
    """The spans of a statement in which no name is used yet: functions' bodies, and imports."""
    for node in evaluated(statement):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield file.text.start(node.body[0]), file.text.end(node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield _span(file, node)


def _span(file: File, statement: ast.stmt) -> tuple[int, int]:
    """From its first decorator to its end."""
    first = [*getattr(statement, "decorator_list", ()), statement][0]
    return file.text.start(first), file.text.end(statement)


def _within(offsets: Sequence[int], span: tuple[int, int]) -> Sequence[int]:
    """Those of sorted offsets that lie in a span."""
    return offsets[bisect_left(offsets, span[0]) : bisect_left(offsets, span[1])]


def new_lines(file: File, edits: Sequence[Edit]) -> Iterator[Edit]:
    """The imports that the rewrites asked for, and the file's opening line where it has one.

    They precede the first statement of the module that the edits have need one of their names.
    """
    if not file.wanted and file.opening is None:
        return
    places = [place for place in (file.imports_before, _first_need(file, edits)) if place is not None]
    place = imports_place(file, min(places, default=None))
    text = file.text
    groups: dict[str, list[str]] = {}
    for (module, name), bound in sorted(file.wanted.items()):
        if not _is_there(file, module, name, bound):
            groups.setdefault(module, []).append(name if name == bound else f"{name} as {bound}")
    lines: list[str] = []
    modules = [f"import {word}" for word in _in_order(groups.pop("", []))]
    for module, unordered in groups.items():
        words = _in_order(unordered)
        extended = _extended(file, place, module, words)
        if extended is not None:
            modules, above = [], "".join(line + text.newline for line in modules)
            yield Edit(extended.start, extended.start, above)
            yield extended
        else:
            below = _below(file, place, module)
            if below is not None:
                words = _in_order([*words, *map(ast.unparse, below.names)])
                yield _without_line(file, below)
            lines += wrapped(f"from {module} import ", words)
    lines = [*modules, *lines]
    if file.opening is not None:
        lines += [*([""] if lines or place.after is not None else []), file.opening]
    if not lines:
        return
    if place.after is not None and (between := _within_line(file, place.after, place.stop)) is not None:
        block = [*lines, ""] if file.opening is not None else lines
        yield Edit(*between, text.newline + "".join(line + text.newline for line in block))
        return
    if place.after is not None:
        end = _last_line(file, place.after)
        offset = text.line_start(end + 1)
        following = text.line(end + 1).strip() if end < len(text.starts) else ""
        if is_docstring(place.after):
            lines.insert(0, "")
    else:
        line = _first_line(file)
        offset = text.line_start(line)
        following = text.line(line).strip()
    if following and (file.opening is not None or place.after is None):
        lines.append("")
    joined = "".join(line + text.newline for line in lines)
    if offset == len(text.text) and offset and text.text[-1] not in "\r\n":
        joined = text.newline + joined
    yield Edit(offset, offset, joined)


def _within_line(file: File, after: ast.stmt, stop: int) -> tuple[int, int] | None:
    """What stands between an import and the next statement, if one that needs the new lines is on the import's line."""
    body = file.tree.body
    if stop == len(body) or body[stop].lineno > _last_line(file, after):
        return None
    return file.text.between_on_a_line(after, body[body.index(after) + 1])


def _last_line(file: File, statement: ast.stmt) -> int:
    """The last line of a statement of the top level, and of those that share a line with it (`;`, a backslash)."""
    end = statement.end_lineno or statement.lineno
    for other in file.tree.body:
        last = other.end_lineno or other.lineno
        if last < end or other.lineno > end:
            continue
        end = last
        rest = file.text.text[file.text.end(other) : file.text.line_start(end + 1)]
        if rest.strip(" \t;\r\n") == "\\":
            end += 1
    return end


def _first_line(file: File) -> int:
    if not file.tree.body:
        return len(file.text.starts)
    first = file.tree.body[0]
    decorators: list[ast.expr] = getattr(first, "decorator_list", [])
    return min([first.lineno, *(decorator.lineno for decorator in decorators)])


def _is_there(file: File, module: str, name: str, bound: str) -> bool:
    """Whether an import of the top level binds the name already."""
    for statement in file.tree.body:
        if isinstance(statement, ast.ImportFrom) and not statement.level and statement.module == module:
            if any((alias.name, alias.asname or alias.name) == (name, bound) for alias in statement.names):
                return True
    return False


def _extended(file: File, place: Place, module: str, words: list[str]) -> Edit | None:
    """More words for an import of the runtime that the file has already."""
    last = place.after.lineno if place.after is not None else 0
    for statement in file.tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == module and statement.level == 0:
            words_there = [ast.unparse(alias) for alias in statement.names]
            if "*" not in words_there and statement.lineno <= last and "#" not in file.text.of(statement):
                lines = wrapped(f"from {module} import ", _in_order(words_there + words))
                return file.replace(statement, file.text.newline.join(lines))
    return None


def _below(file: File, place: Place, module: str) -> ast.ImportFrom | None:
    """An import of the runtime on lines of its own, below the place, that one there takes the names of.

    The conversion from Python 2 leaves such a one.
    """
    first = place.after.lineno if place.after is not None else 0
    for statement in file.tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == module and statement.level == 0:
            text = file.text
            lines = text.text[text.line_start(statement.lineno) : _lines_end(file, statement)]
            if statement.lineno > first and lines.strip() == text.of(statement) and "#" not in lines:
                return statement
    return None


def _without_line(file: File, statement: ast.stmt) -> Edit:
    return Edit(file.text.line_start(statement.lineno), _lines_end(file, statement), "", whole=True)


def _lines_end(file: File, statement: ast.stmt) -> int:
    return file.text.line_start((statement.end_lineno or statement.lineno) + 1)


def _in_order(words: list[str]) -> list[str]:
    return sorted(words, key=lambda word: (word.islower(), word))


def wrapped(head: str, words: list[str]) -> list[str]:
    """The lines of an import: one, or with parentheses around several."""
    line = head + ", ".join(words)
    if len(line) <= _LIMIT:
        return [line]
    rows = ["   "]
    for word in words:
        if len(rows[-1]) + len(word) + 2 > _LIMIT:
            rows.append("   ")
        rows[-1] += f" {word},"
    return [head + "(", *rows, ")"]
