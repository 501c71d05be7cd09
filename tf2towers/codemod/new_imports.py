"""Where new imports and `graph_mode()` are written: after the imports, and before TensorFlow builds anything.

LibCST's AddImportsVisitor would write after the first imports, where a script has not set its environment yet, and
visit every node of the module for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import libcst as cst
import libcst.matchers as m

from tf2towers.codemod import nodes
from tf2towers.codemod.apply_changes import Changed
from tf2towers.codemod.changes import Line, blank_lines, is_blank, without_first_blanks
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
NO_SEMICOLON = cst.MaybeSentinel.DEFAULT

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
            for statement in module.body:
                if _is_import(statement) or m.matches(statement, IF_MAIN):
                    continue
                if any(_is_risky(module, node) for node in evaluated_nodes(statement)):
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
    runtime, alias = find_replacement(canonical).runtime, file.tree.alias_of(node)
    if runtime is None or not file.is_read(node):
        return False
    if alias is None or alias[1] != runtime.name or import_home(runtime.module) != RUNTIME:
        return True
    return len(file.meanings.at_top(alias[1])) != 1


def _is_harmless(name: str) -> bool:
    return name in SWITCHES or any(part in _HARMLESS for part, _ in beginnings(name))


def _is_import(statement: nodes.Statement) -> bool:
    """True if it is an import, or a `try`, `if` or `with` of imports and small statements."""
    if not isinstance(statement, Compound):
        return isinstance(statement, nodes.Import)
    inner = [each for each in nodes.walk(statement) if isinstance(each, nodes.Statement)]
    small = nodes.Import | cst.Pass | cst.Assign | cst.Raise
    return any(isinstance(each, nodes.Import) for each in inner) and all(
        isinstance(each, small | Compound) for each in inner
    )


def _imported_modules(statement: nodes.Statement) -> Iterator[str]:
    """The dotted names that an import statement may import, as the local imports know them."""
    for node in nodes.walk(statement):
        if isinstance(node, cst.Import):
            for alias in nodes.aliases(node):
                yield from (name for name, _ in beginnings(nodes.name_of(alias)))
        elif isinstance(node, cst.ImportFrom):
            yield from (nodes.module_of(node), *(dotted for _, dotted in nodes.imported(node)))


def _first_need(file: File, changed: Changed) -> int | None:
    """The index of the first statement that uses a new import when the module is run, not in a function's body."""
    wanted = set(file.decided.wanted.values())
    for place, statement in enumerate(file.body) if wanted else ():
        made = _made_of(file, changed, statement)
        used = {name for each in made for name in _names_used(each)}
        if used & wanted - {*_names_used(statement)}:
            return place
    return None


def _made_of(file: File, changed: Changed, statement: nodes.Statement) -> Sequence[Any]:
    """What has become of a statement, with the lines that come in before it; nothing where it stays as it is."""
    line = file.tree.line(statement)
    if line not in changed.lines:
        return ()
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) == 1:
        return changed.lines[line]
    made = changed.now(statement)
    return [*made] if isinstance(made, cst.FlattenSentinel) else [made]


def _names_used(statement: cst.CSTNode) -> Iterator[str]:
    """The names that a statement uses when it is run: not those in functions' bodies, and in imports."""
    pending = [statement]
    while pending:
        node = pending.pop()
        if nodes.is_name(node):
            yield node.value
        if isinstance(node, cst.FunctionDef):
            pending += [*nodes.decorators(node), *nodes.defaults(node)]
        elif not isinstance(node, nodes.Import):
            pending += nodes.children(node)


class _NewImports:
    """Writes the imports that the rewrites asked for, and the file's opening lines.

    They precede the first statement that needs one of their names after the changes.
    """

    def __init__(self, file: File, changed: Changed) -> None:
        self.file, self.changed = file, changed
        #: the lines of the old module, and what has become of each
        self.old: list[Line] = [*changed.tree.module.body]
        self.new = [changed.lines.get(line, [changed.now(line)]) for line in changed.tree.module.body]
        self.footer = [*changed.module.footer]
        self.ends_a_line = changed.module.has_trailing_newline
        #: the lines of the text that change, and whether new ones come before them
        self.sites: list[tuple[int, bool]] = []

    def module(self) -> cst.Module:
        """The module with them."""
        file = self.file
        if file.decided.wanted or file.decided.opening is not None:
            needs = (file.decided.imports_before, _first_need(file, self.changed))
            self._write(
                find_import_location(file, min((each for each in needs if each is not None), default=None))
            )
        return self.changed.module.with_changes(
            body=[line for lines in self.new for line in lines],
            footer=self.footer,
            has_trailing_newline=self.ends_a_line,
        )

    def _write(self, location: Location) -> None:
        after, stop = location.after, location.stop
        line = self.file.tree.line(after) if after is not None else None
        place = self.old.index(line) + 1 if line is not None else 0
        lines = self._imports(place)
        opened = self.file.decided.opening is not None
        if self.file.decided.opening is not None:
            opening = [*cst.parse_module(self.file.decided.opening).body]
            if lines or after is not None:
                opening[0] = opening[0].with_changes(leading_lines=[*blank_lines(1)])
            lines += opening
        if not lines:
            return
        if after is not None and nodes.is_docstring(after):
            lines[0] = lines[0].with_changes(leading_lines=[*blank_lines(1), *lines[0].leading_lines])
        if after is not None and self._splits_a_line(after, stop):
            rest = self._split(place - 1, after)
            lines.append(rest.with_changes(leading_lines=[*blank_lines(1)] if opened else []))
            opened = False
        self._insert(place, lines, gap=opened or after is None)

    def _splits_a_line(self, after: nodes.Statement, stop: int) -> bool:
        """True if the statement that needs the new lines is in the line of the import before them."""
        body = self.file.body
        return stop < len(body) and self.file.tree.line(body[stop]) is self.file.tree.line(after)

    def _split(self, place: int, after: nodes.Statement) -> cst.SimpleStatementLine:
        """Ends a line after a statement; the rest of the line."""
        line = cst.ensure_type(self.new[place][-1], cst.SimpleStatementLine)
        old = cst.ensure_type(self.old[place], cst.SimpleStatementLine)
        count = len(line.body) - (len(old.body) - 1 - list[nodes.Statement](old.body).index(after))
        head = [*line.body[: count - 1], line.body[count - 1].with_changes(semicolon=NO_SEMICOLON)]
        self.new[place][-1] = line.with_changes(body=head, trailing_whitespace=cst.TrailingWhitespace())
        return line.with_changes(body=line.body[count:], leading_lines=[])

    def _insert(self, place: int, lines: list[Any], *, gap: bool) -> None:
        """Puts lines before the old line with an index; `gap`: a blank line comes after them, if none is there.

        Two come after a function.
        """
        following = next((each for each in self.new[place:] if each), None)
        fallen = len(self.changed.fallen.get([*self.old, self.changed.tree.module][place], ()))
        if following is not None:
            leading = following[0].leading_lines
            count = len(leading) if place == 0 else fallen
            lines[0] = lines[0].with_changes(leading_lines=[*leading[:count], *lines[0].leading_lines])
            rest = _with_gap(leading[count:], gap=gap)
            if isinstance(lines[-1], cst.FunctionDef):
                rest = [*blank_lines(2), *without_first_blanks(rest)]
            following[0] = following[0].with_changes(leading_lines=rest)
        else:
            lines[0] = lines[0].with_changes(leading_lines=[*self.footer[:fallen], *lines[0].leading_lines])
            self.footer = self.footer[fallen:]
            self.footer = _with_gap(self.footer, gap=gap) if self.footer else []
            self.ends_a_line = True
        text = self.file.text
        at = (
            text.last_line(self.old[place - 1]) + 1
            if place
            else text.first_line(self.old[0])
            if self.old
            else 1
        )
        self.sites.append((at, True))
        self.new.insert(place, lines)

    def _imports(self, place: int) -> list[Any]:
        """Adds the wanted names to imports before a place; the lines of the new imports.

        An import from the same module that stands further down moves up. The conversion from Python 2 leaves such
        imports, and so does an earlier migration.
        """
        wanted: dict[str, set[str]] = {}
        for (module, name), bound in self.file.decided.wanted.items():
            if not self._is_there(module, name, bound):
                wanted.setdefault(module, set()).add(nodes.as_named(name, bound))
        plain = sorted(wanted.pop("", ()), key=lambda word: (" as " in word, word))
        lines = [_import_line("", [word]) for word in plain]
        known = [at for at, new in enumerate(self.new) if self._takes_more(self.old[at], new)]
        for module in sorted(wanted):
            own = [at for at in known if nodes.module_of(self._import(at)) == module]
            above = own[:1] if own and own[0] < place else []
            words = wanted[module].union(*(_words(self._import(at)) for at in above or own))
            for at in above or own:
                self.sites.append((self.file.text.first_line(self._import(at)), False))
            if above:
                body = _import_line(module, words).body
                self.new[above[0]] = [self.new[above[0]][0].with_changes(body=body)]
                continue
            for at in own:
                self._drop(at)
            lines.append(_import_line(module, words))
        return lines

    def _import(self, at: int) -> cst.ImportFrom:
        return cst.ensure_type(cst.ensure_type(self.old[at], cst.SimpleStatementLine).body[0], cst.ImportFrom)

    def _is_there(self, module: str, name: str, bound: str) -> bool:
        """True if an import of the top level binds the name already."""
        return any(
            (nodes.name_of(alias), nodes.bound_by(alias)) == (name, bound)
            for statement in self.file.body
            if isinstance(statement, cst.ImportFrom) and nodes.module_of(statement) == module
            for alias in nodes.aliases(statement)
        )

    def _takes_more(self, old: cst.CSTNode, new: list[Any]) -> bool:
        """True if a line is an import alone that nothing changes, without comment and star: it takes new names, too."""
        match old:
            case cst.SimpleStatementLine(body=[cst.ImportFrom(names=[*_]) as statement]):
                line = old.with_changes(leading_lines=[])
                has_comment = "#" in self.changed.tree.module.code_for_node(line)
                is_kept = bool(new) and self.changed.now(statement) is statement
                return is_kept and not has_comment
        return False

    def _drop(self, at: int) -> None:
        """Removes a line; what is above it stays."""
        leading = [*self.new[at][0].leading_lines]
        self.new[at] = []
        following = next((each for each in self.new[at:] if each), None)
        if following is None:
            self.footer = [*leading, *self.footer]
        else:
            lines = [*leading, *following[0].leading_lines]
            following[0] = following[0].with_changes(leading_lines=lines)


def with_new_imports(file: File, changed: Changed) -> tuple[cst.Module, list[tuple[int, bool]]]:
    """The module with new imports, and the lines of the old text that change; True where new ones come before them."""
    written = _NewImports(file, changed)
    return written.module(), written.sites


def _with_gap(leading: Sequence[cst.EmptyLine], *, gap: bool) -> list[cst.EmptyLine]:
    """The lines before a statement, with a blank one first where a gap is wanted."""
    has_one = bool(leading) and is_blank(leading[0])
    return [*blank_lines(1), *leading] if gap and not has_one else [*leading]


def _words(statement: cst.ImportFrom) -> list[str]:
    """The names that an import takes: `Session as S`."""
    return [
        nodes.as_named(nodes.name_of(alias), nodes.asname_of(alias)) for alias in nodes.aliases(statement)
    ]


def _import_line(module: str, words: Iterable[str]) -> cst.SimpleStatementLine:
    """The line of an import, its names sorted; with parentheses around them where they are several lines."""
    words = sorted(words, key=lambda word: (word.islower(), word))
    head = f"from {module} import " if module else "import "
    text = head + ", ".join(words)
    if len(text) > _LIMIT:
        rows = ["   "]
        for word in words:
            if len(rows[-1]) + len(word) + 2 > _LIMIT:
                rows.append("   ")
            rows[-1] += f" {word},"
        text = "\n".join([head + "(", *rows, ")"])
    return cst.ensure_type(cst.parse_statement(text), cst.SimpleStatementLine)
