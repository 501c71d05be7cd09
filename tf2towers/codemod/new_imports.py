"""Where new imports and `graph_mode()` are written: after the imports, and before TensorFlow builds anything.

LibCST's AddImportsVisitor adds the names. It is given the file's imports alone, as a module of their own. On a
whole module it writes after the first imports, where a script has not set its environment yet. It takes 0.6 times
LibCST's own work there (3,000 lines), and recurses once a statement. Its lines may have any length; ours are wrapped.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import libcst as cst
import libcst.matchers as m
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor

from tf2towers.codemod import nodes
from tf2towers.codemod.edits import Edit
from tf2towers.codemod.meanings import Defined
from tf2towers.codemod.program import File
from tf2towers.codemod.reached import ALL_OF_A_MODULE, IF_MAIN, evaluated_nodes
from tf2towers.codemod.symbols import (
    RUNTIME,
    STANDARDIZATION,
    SWITCHES,
    beginnings,
    find_replacement,
    import_home,
    session_names,
)

#: What a module may call on import without building a graph.
_HARMLESS = frozenset({
    "tf.app.flags", "tf.flags", "tf.logging", "tf.gfile", "tf.ConfigProto", "tf.GPUOptions", "tf.test", "tf.errors",
})  # fmt: skip
_LIMIT = 100
#: between two statements of one line, which a backslash may break
_ON_A_LINE = re.compile(r"[ \t]*;(?:[ \t]|\\\r?\n)*")

#: flags that absl defines by itself since TF 1.13, until the runtime is imported
_FLAGS_OF_ABSL = frozenset({
    "alsologtostderr", "log_dir", "logger_levels", "logtostderr", "showprefixforinfo", "stderrthreshold", "v",
    "verbosity",
})  # fmt: skip

Compound = cst.Try | cst.If | cst.With


@dataclass
class Location:
    """`after` is the last import before a statement that may build operations, or None; `stop` is its index."""

    after: nodes.Statement | None
    stop: int


def find_import_location(file: File, before: int | None = None) -> Location:
    """The place for new imports in a file. They have to precede the statement with index `before` in the body."""
    after: nodes.Statement | None = None
    body = file.body
    for place, statement in enumerate(body):
        if before is not None and place >= before:
            return Location(after, place)
        risky = not isinstance(statement, nodes.Import) and any(
            _is_risky(file, node) for node in evaluated_nodes(statement)
        )
        if _is_import(statement) and not risky:
            if file.main and any(may_build_graph(file, name) for name in _imported_modules(statement)):
                return Location(after, place)
            after = statement
        elif place == 0 and nodes.is_docstring(statement):
            after = statement
        elif risky:
            return Location(after, place)
    return Location(after, len(body))


def may_build_graph(file: File, dotted: str) -> bool:
    """True if importing a local module, or one that it imports, may build a graph."""
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
        if module is not None:
            later = (each for each in module.body if not (_is_import(each) or m.matches(each, IF_MAIN)))
            if any(_is_risky(module, node) for each in later for node in evaluated_nodes(each)):
                return True
        pending += imports.imports_of(path).values()
    return False


def _is_risky(file: File, node: cst.CSTNode) -> bool:
    """True if evaluating a node may build operations, or needs a name of the runtime."""
    if isinstance(node, cst.Call):
        name = file.canonical(node.func) or ""
        may_build = name.startswith("tf.") and (not _is_harmless(name) or _is_flag_of_absl(node, name))
        return may_build or name in ALL_OF_A_MODULE
    if isinstance(node, cst.Lambda):  # it may be called from here on
        inside = nodes.walk(node.body)  # with the lambdas in it
        return any(_is_risky(file, part) for part in inside if not isinstance(part, cst.Lambda))
    if isinstance(node, nodes.Symbol):
        name = file.canonical(node) or ""
        if name == STANDARDIZATION or _may_run(file, node, name):
            return True
        return name.startswith("tf.") and (
            _needs_runtime(file, node, name) or (name.count(".") == 1 and name in session_names())
        )
    return False


def _may_run(file: File, node: nodes.Symbol, canonical: str) -> bool:
    """True if a function or class of the program is named, which may be called: by its own name, by `map`, by another.

    A name that is bound again elsewhere may be it, too.
    """
    if isinstance(file.parent(node), cst.ClassDef):
        return False
    if any(isinstance(binding, Defined) for binding in file.meanings.bindings(node)):
        return True
    return canonical != "" and file.program.defined(file, canonical) is not None


def _is_flag_of_absl(call: cst.Call, name: str) -> bool:
    return ".DEFINE_" in name and nodes.literal(nodes.argument(call, 0)) in _FLAGS_OF_ABSL


def _needs_runtime(file: File, node: nodes.Symbol, canonical: str) -> bool:
    """True if a use becomes a name of the runtime; not if `slim = tf.contrib.slim` becomes an import."""
    from tf2towers.codemod.rules.t2t601_renamed_symbol import alias_of

    runtime, alias = find_replacement(canonical).runtime, alias_of(file, node)
    if runtime is None or not file.is_read(node):
        return False
    if alias is None or alias[1] != runtime.name or import_home(runtime.module) != RUNTIME:
        return True
    return len(file.meanings.at_top(alias[1])) != 1


def _is_harmless(name: str) -> bool:
    return name in SWITCHES or any(part in _HARMLESS for part, _ in beginnings(name))


def _is_import(statement: nodes.Statement) -> bool:
    if isinstance(statement, Compound):
        inner = [each for made in nodes.blocks(statement) for each in made]
        return any(map(_is_import, inner)) and all(
            isinstance(each, nodes.Import | cst.Pass | cst.Assign | cst.Raise) or _is_import(each)
            for each in inner
        )
    return isinstance(statement, nodes.Import)


def _imported_modules(statement: nodes.Statement) -> Iterator[str]:
    """The dotted names that an import statement may import, as the local imports know them."""
    for node in nodes.walk(statement):
        if isinstance(node, cst.Import):
            for alias in nodes.aliases(node):
                yield from (name for name, _ in beginnings(nodes.name_of(alias)))
        elif isinstance(node, cst.ImportFrom):
            yield from (nodes.module_of(node), *(dotted for _, dotted in nodes.imported(node)))


def _first_need(file: File, edits: Sequence[Edit]) -> int | None:
    """The index of the first statement that uses a new import when the module is run, not in a function's body."""
    if not file.wanted:
        return None
    wanted = re.compile(rf"\b(?:{'|'.join(map(re.escape, file.wanted.values()))})\b")
    uses = sorted(edit.start for edit in edits if wanted.search(edit.text))
    for place, statement in enumerate(file.body):
        found = _offsets_within(uses, _definition_span(file, statement))
        later = sum(len(_offsets_within(uses, span)) for span in _run_later(file, statement)) if found else 0
        if len(found) > later:
            return place
    return None


def _run_later(file: File, statement: nodes.Statement) -> Iterator[tuple[int, int]]:
    """The spans of a statement in which no name is used yet: functions' bodies, and imports."""
    for node in evaluated_nodes(statement):
        if isinstance(node, cst.FunctionDef):
            yield file.text.start(nodes.block(node)[0]), file.text.end(node)
        elif isinstance(node, nodes.Import):
            yield _definition_span(file, node)


def _definition_span(file: File, statement: nodes.Statement) -> tuple[int, int]:
    """The span of a statement, from its first decorator to its end."""
    has_any = isinstance(statement, cst.FunctionDef | cst.ClassDef)
    first = [*(nodes.decorators(statement) if has_any else ()), statement][0]  # type: ignore[arg-type]
    return file.text.start(first), file.text.end(statement)


def _offsets_within(offsets: Sequence[int], span: tuple[int, int]) -> Sequence[int]:
    """The offsets of a sorted list that lie in a span."""
    return offsets[bisect_left(offsets, span[0]) : bisect_left(offsets, span[1])]


def new_lines(file: File, edits: Sequence[Edit]) -> Iterator[Edit]:
    """The imports that the rewrites asked for, and the file's opening line where it has one.

    They precede the first statement that needs one of their names after the edits.
    """
    if not file.wanted and file.opening is None:
        return
    places = [place for place in (file.imports_before, _first_need(file, edits)) if place is not None]
    place = find_import_location(file, min(places, default=None))
    text = file.text
    last = text.first_line(place.after) if place.after is not None else 0
    lines = yield from _add_imports(file, edits, last)
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
        if nodes.is_docstring(place.after):
            lines.insert(0, "")
    else:
        begins = [_definition_span(file, statement)[0] for statement in file.body[:1]]
        line = text.line_of(begins[0]) if begins else len(text.starts)
        offset = text.line_start(line)
        following = text.line(line).strip()
    if following and (file.opening is not None or place.after is None):
        lines.append("")
    joined = "".join(line + text.newline for line in lines)
    if offset == len(text.text) and offset and text.text[-1] not in "\r\n":
        joined = text.newline + joined
    yield Edit(offset, offset, joined)


def _within_line(file: File, after: nodes.Statement, stop: int) -> tuple[int, int] | None:
    """The text between an import and the next statement, if that is on the import's line and needs the new lines."""
    body = file.body
    if stop == len(body) or file.text.first_line(body[stop]) > _last_line(file, after):
        return None
    between = file.text.end(after), file.text.start(body[body.index(after) + 1])
    return between if _ON_A_LINE.fullmatch(file.text.text[slice(*between)]) else None


def _last_line(file: File, statement: nodes.Statement) -> int:
    """The last line of a statement of the top level, and of those that share a line with it (`;`, a backslash)."""
    text = file.text
    end = text.last_line(statement)
    for other in file.body:
        last = text.last_line(other)
        if last < end or text.first_line(other) > end:
            continue
        end = last
        rest = text.text[text.end(other) : text.line_start(end + 1)]
        if rest.strip(" \t;\r\n") == "\\":
            end += 1
    return end


def _add_imports(file: File, edits: Sequence[Edit], last: int) -> Generator[Edit, None, list[str]]:
    """The edits that add the wanted names to imports up to a line; returns the lines of the new imports.

    An import from the same module that stands further down moves up. The conversion from Python 2 leaves such imports,
    and so does an earlier migration.
    """
    context = CodemodContext()
    need = partial(AddImportsVisitor.add_needed_import, context)
    wanted = [(key, bound) for key, bound in sorted(file.wanted.items()) if not _is_there(file, *key, bound)]
    if not wanted:
        return []
    for (module, name), bound in wanted:
        asname = bound if bound != name else None
        need(module, name, asname) if module else need(name, asname=asname)
    imports = (each for each in file.body if isinstance(each, cst.ImportFrom))
    known = [each for each in imports if _takes_more(file, each, edits)]
    above = [each for each in known if file.text.first_line(each) <= last]
    moving = {module for (module, _), _ in wanted} - set(map(nodes.module_of, above))
    for below in known[len(above) :]:
        if nodes.module_of(below) in moving:
            for alias in nodes.aliases(below):
                need(nodes.module_of(below), nodes.name_of(alias), nodes.asname_of(alias))
            yield Edit(*_lines_of(file, below), "", whole=True)
    alone = [cst.SimpleStatementLine([each]) for each in above]
    made = nodes.block(cst.Module(alone).visit(AddImportsVisitor(context)))
    for before, after in zip(above, made):  # noqa: B905 - the new ones come last
        if not before.deep_equals(after):
            yield file.replace(before, file.text.newline.join(wrap_import(after)))
    return [row for each in made[len(above) :] for row in wrap_import(each)]


def _is_there(file: File, module: str, name: str, bound: str) -> bool:
    """True if an import of the top level binds the name already."""
    return any(
        (nodes.name_of(alias), nodes.bound_by(alias)) == (name, bound)
        for statement in file.body
        if isinstance(statement, cst.ImportFrom) and nodes.module_of(statement) == module
        for alias in nodes.aliases(statement)
    )


def _takes_more(file: File, statement: cst.ImportFrom, edits: Sequence[Edit]) -> bool:
    """True if an import that no edit changes has lines of its own, no comment and no star: it takes new names, too."""
    start, end = _lines_of(file, statement)
    lines = file.text.text[start:end]
    stays = not any(edit.start < end and edit.end > start for edit in edits)
    return stays and lines.strip() == file.text.of(statement) and "#" not in lines and "*" not in lines


def _lines_of(file: File, statement: nodes.Statement) -> tuple[int, int]:
    """The span of a statement's lines."""
    text = file.text
    return text.line_start(text.first_line(statement)), text.line_start(text.last_line(statement) + 1)


def wrap_import(statement: nodes.Statement) -> list[str]:
    """The lines of an import, its names sorted: one, or with parentheses around several."""
    assert isinstance(statement, cst.Import | cst.ImportFrom)
    words = [
        nodes.as_named(nodes.name_of(alias), nodes.asname_of(alias)) for alias in nodes.aliases(statement)
    ]
    words.sort(key=lambda word: (word.islower(), word))
    module = nodes.module_of(statement)
    head = f"from {module} import " if module else "import "
    line = head + ", ".join(words)
    if len(line) <= _LIMIT:
        return [line]
    rows = ["   "]
    for word in words:
        if len(rows[-1]) + len(word) + 2 > _LIMIT:
            rows.append("   ")
        rows[-1] += f" {word},"
    return [head + "(", *rows, ")"]
