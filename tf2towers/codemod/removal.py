"""Statements that are removed: with their line, or `pass` in their place where nothing else is left of a block.

So are imports from TensorFlow's private modules that nothing needs once the uses of their names are rewritten. LibCST's
RemoveImportsVisitor takes them away. It is given such an import alone, as a module of its own. To find what is
unused it would have to see the new text, at 1.4 times LibCST's own work. Nor does it know that another module
takes the name from this one, or that a comment or a text has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import libcst as cst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import RemoveImportsVisitor

from tf2towers.codemod import nodes
from tf2towers.codemod.edits import Edit
from tf2towers.codemod.program import File

#: a comment that says something to a linter about the statement before it
_FOR_LINTERS = re.compile(r"#\s*(pylint|noqa|type: ignore|flake8|pragma|isort|yapf|fmt)\b")


def remove_statement(file: File, node: nodes.Statement) -> Edit:
    """The edit that takes a statement away."""
    text = file.text
    begins, last = text.first_line(node), text.last_line(node)
    first = begins
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        first = min([first, *map(text.first_line, nodes.decorators(node))])
    text_before = text.line(first)[: text.column(node)] if first == begins else ""
    text_after = text.line(last)[text.end(node) - text.line_start(last) :]
    alone = not isinstance(file.parent(node), cst.Module) and [node] in nodes.blocks(file.parent(node))
    if alone or text_before.strip() or text_after.split("#")[0].strip():
        return Edit(text.start(node), text.end(node), "pass", whole=True)
    start, end = text.line_start(first), text.line_start(last + 1)
    if text_after.strip().startswith("#") and not _FOR_LINTERS.match(text_after.strip()):  # the comment stays
        return Edit(
            text.start(node), text.end(node) + len(text_after) - len(text_after.lstrip()), "", whole=True
        )
    if not text.line(last).endswith(("\n", "\r")):
        end = len(text.text)
    if isinstance(node, nodes.Import):
        return Edit(_with_gap(file, first, last, start), end, "", whole=True)
    return Edit(start, _without_gap(file, first, end, last), "", whole=True)


def with_comments(file: File, gone: Edit, statement: nodes.Statement) -> Edit:
    """A statement's removal that takes the comments directly above it, too: they are about the statement."""
    text = file.text
    line = text.line_of(gone.start)
    if gone.text or gone.start != text.line_start(line):
        return gone
    first, indent = line, text.indent(text.first_line(statement))
    while first > 1 and text.line(first - 1).strip().startswith("#") and text.indent(first - 1) == indent:
        if text.line(first - 1).startswith(("#!", "# -*-")):
            break
        first -= 1
    is_first = nodes.block(file.parent(statement))[:1] == [statement]
    blank_above = first == 1 or is_first or not text.line(first - 1).strip()
    end = gone.end
    if blank_above and first < line:  # of the blank lines around it one gap is left
        after = text.line_of(end)
        while after <= len(text.starts) and text.line(after) and not text.line(after).strip():
            after += 1
        end = max(end, text.line_start(after))
    return Edit(text.line_start(first), end, "", whole=True)


def _without_gap(file: File, first: int, end: int, last: int) -> int:
    """The end of the removal: blank lines after it go where there are blank lines before it already."""
    text = file.text
    if first > 1 and text.line(first - 1).strip():
        return end
    line = last + 1
    while line <= len(text.starts) and text.line(line) and not text.line(line).strip():
        line += 1
    return max(end, text.line_start(line))


def _with_gap(file: File, first: int, last: int, start: int) -> int:
    """The start of an import's removal: of two blank lines around it one goes, where another import is the next."""
    text = file.text
    blank = first > 1 and not (text.line(first - 1) + text.line(last + 1)).strip()
    lone = blank and text.line(last + 2).startswith(("import ", "from "))
    return text.line_start(first - 1) if lone else start


def unused_imports(file: File, edits: Sequence[Edit]) -> Iterator[Edit]:
    """The edits that remove what is imported, and whose last use these edits rewrite; what was unused before stays."""
    for node in file.imports:
        if not isinstance(node, cst.ImportFrom) or isinstance(node.names, cst.ImportStar):
            continue
        private = nodes.module_of(node).startswith("tensorflow.python.")
        if not private and (file.program.module_of(file, nodes.module_of(node)) is None or node.relative):
            continue
        start, end = file.text.start(node), file.text.end(node)
        if node not in file.body or any(edit.start < end and edit.end > start for edit in edits):
            continue
        context = CodemodContext()
        for alias in nodes.aliases(node):
            if _loses_its_uses(file, nodes.bound_by(alias), edits, everywhere=private):
                RemoveImportsVisitor.remove_unused_import(
                    context, nodes.module_of(node), nodes.name_of(alias), nodes.asname_of(alias)
                )
        if context.scratch:
            alone = file.tree.module.with_changes(
                body=[cst.SimpleStatementLine([node])], header=(), footer=()
            )
            kept = RemoveImportsVisitor(context).transform_module(alone)
            if kept.body:
                yield file.replace(node, kept.code.strip("; \r\n"))
            elif private or _does_nothing_else(file, node):
                yield remove_statement(file, node)


def _does_nothing_else(file: File, node: cst.ImportFrom) -> bool:
    """True if a file can do without one import of a local module: it has another, or the module only defines."""
    module = nodes.module_of(node)
    others = (other for other in file.imports if other is not node and other in file.body)
    if any(module in (nodes.module_of(each), *(name for _, name in nodes.imported(each))) for each in others):
        return True
    home = file.program.module_of(file, module)
    return (
        home is not None
        and not home.program.imports.imports_of(home.path)
        and all(
            isinstance(each, nodes.Import) or nodes.is_docstring(each) or _only_defines(each)
            for each in home.body
        )
    )


def _only_defines(statement: nodes.Statement) -> bool:
    """True if it is a function without decorators, and without calls among its defaults."""
    if not isinstance(statement, cst.FunctionDef) or statement.decorators:
        return False
    return not any(isinstance(node, cst.Call) for node in nodes.walk(*nodes.defaults(statement)))


def _loses_its_uses(file: File, name: str, edits: Sequence[Edit], *, everywhere: bool) -> bool:
    """True if each use of a name, of which there are some, is rewritten without it; `everywhere`: in comments, too."""
    uses = [node for node in file.all(cst.Name) if node.value == name]
    word = re.compile(rf"\b{re.escape(name)}\b(?!\.\w+ import)")
    written = len(word.findall(file.text.text)) - 1  # in texts and comments as well, where nobody knows
    in_texts = any(nodes.literal(text) == name for text in file.tree.literals)
    if not uses or (written != len(uses) if everywhere else in_texts) or is_taken(file, name):
        return False
    return all(
        any(
            edit.start <= file.text.start(use)
            and file.text.end(use) <= edit.end
            and not word.search(edit.text)
            for edit in edits
        )
        for use in uses
    )


def is_taken(file: File, name: str, seen: frozenset[File] = frozenset()) -> bool:
    """True if another module of the program may take a name that a file binds from there.

    It does by `from file import name`, by `file.name`, by a star, or where it hands the module on, whose attributes are
    then taken where nobody sees it. What its own import binds under that name is not a use of this one.
    """
    return any(
        _takes(other, file, name, seen | {file})
        for other in file.program.all_files
        if other not in seen | {file}
        and file.path.absolute() in other.program.imports.imports_of(other.path).values()
    )


def _takes(other: File, home: File, name: str, seen: frozenset[File]) -> bool:
    local = other.program.imports.imports_of(other.path)
    here = {dotted for dotted, path in local.items() if path == home.path.absolute()}
    if here & {*other.meanings.star_imports}:
        own = other.meanings.at_top(name)
        if not own and is_taken(other, name, seen):  # it hands the name on
            return True
        targets = {getattr(each, "target", None) for each in (*own, *home.meanings.at_top(name))}
        alike = own and len(targets) == 1 and None not in targets
        if not alike and any(use.value == name for use in other.all(cst.Name)):
            return True
    if any(nodes.literal(text) == name for text in other.tree.literals):  # getattr(module, 'misc')
        return True
    for node in other.all(cst.ImportFrom):
        if nodes.module_of(node) in here and any(
            name == taken.rpartition(".")[2] for _, taken in nodes.imported(node)
        ):
            return True
    roots = {dotted.partition(".")[0] for dotted in local}
    for attribute in other.all(cst.Attribute):
        of = other.meanings.canonical(attribute.value)
        if attribute.attr.value == name and (of is None or of.partition(".")[0] in roots):
            return True
    return any(_is_handed_on(other, use, here) for use in other.all(cst.Name))


def _is_handed_on(file: File, use: cst.CSTNode, modules: set[str]) -> bool:
    """True if a name begins a use of a whole module, of which no attribute is taken at once."""
    while (around := file.tree.parent(use)) is not None:
        if file.meanings.canonical(use) in modules:
            return not isinstance(around, cst.Attribute)
        if not isinstance(around, cst.Attribute):
            return False
        use = around
    return False
