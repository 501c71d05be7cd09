"""What the rewrites leave dead: imports that nothing needs any more, and `try` with two branches that say the same.

LibCST's RemoveImportsVisitor would have to see the new text, at 1.4 times LibCST's own work. Nor does it know that
another module takes the name from this one, or that a comment or a text has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import partial
from typing import Any

import libcst as cst
import libcst.matchers as m

from tf2towers.codemod import nodes
from tf2towers.codemod.changes import Change, Insertion, Now, Removal, Replacement, is_blank
from tf2towers.codemod.names import NewImport, first_name
from tf2towers.codemod.program import File
from tf2towers.codemod.reached import find_unreached_context
from tf2towers.codemod.symbols import canonical_name, find_replacement
from tf2towers.codemod.tf1_signs import is_for_estimators

#: what reads names that no name says
_EVALUATE = frozenset({"eval", "exec", "execfile", "globals", "locals", "vars"})
#: what does not count where two nodes are compared
_LAYOUT = (
    cst.BaseParenthesizableWhitespace,
    cst.TrailingWhitespace,
    cst.EmptyLine,
    cst.LeftParen,
    cst.RightParen,
    cst.Semicolon,
)
#: statements that only call TensorFlow, with names
_SMALL = cst.Assign | cst.AugAssign | cst.Expr | cst.Return | nodes.Import


def unused_imports(file: File, changes: Sequence[Change], now: Now) -> Iterator[Change]:
    """What removes imports whose last use these changes rewrite; what was unused before stays.

    Args:
        file: the file.
        changes: what the rules say.
        now: what the changes make of a node.
    """
    changed = {change.node for change in changes}
    for node in file.imports:
        if isinstance(node, cst.Import) and _is_of_tensorflow_alone(file, node):
            name = nodes.bound_by(nodes.aliases(node)[0])
            if _loses_its_uses(file, name, changes, now, everywhere=False) and not _is_named_now(
                file, name, now
            ):
                yield Removal(node)
            continue
        if not isinstance(node, cst.ImportFrom) or isinstance(node.names, cst.ImportStar):
            continue
        private = f"{nodes.module_of(node)}.".startswith("tensorflow.python.")
        if not private and (file.program.module_of(file, nodes.module_of(node)) is None or node.relative):
            continue
        if node not in file.body or node in changed:
            continue
        unused: list[nodes.Alias] = [
            alias
            for alias in node.names
            if _loses_its_uses(file, nodes.bound_by(alias), changes, now, everywhere=private)
        ]
        if 0 < len(unused) < len(node.names):
            yield Replacement(node, partial(_without, unused))
        elif unused and (private or _does_nothing_else(file, node)):
            yield Removal(node)


def _is_of_tensorflow_alone(file: File, node: cst.Import) -> bool:
    """True for `import tensorflow as tf` of a module, not of the script, where no text of code may have the name."""
    names = [nodes.name_of(alias) for alias in nodes.aliases(node)]
    if names != ["tensorflow"] or file.main or node not in file.body:
        return False
    line = file.tree.line(node)
    alone = isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1
    return alone and _EVALUATE.isdisjoint(file.names.identifiers)


def _is_named_now(file: File, name: str, now: Now) -> bool:
    """True if the new module has a name more often than its import does; that it may get in new texts."""
    words = m.findall(now(file.tree.module), m.Name(name))
    return len(words) > 1 or re.search(rf"\b{re.escape(name)}\b", file.decided.opening or "") is not None


def _without(unused: list[nodes.Alias], updated: cst.ImportFrom, now: Now) -> cst.ImportFrom:
    """An import without some names; the last one has no comma."""
    *kept, last = [alias for alias in nodes.aliases(updated) if alias not in unused]
    return updated.with_changes(names=[*kept, last.with_changes(comma=cst.MaybeSentinel.DEFAULT)])


def _does_nothing_else(file: File, node: cst.ImportFrom) -> bool:
    """True if a file can do without one import of a local module: it has another, or the module only defines."""
    module = nodes.module_of(node)
    others = (other for other in file.imports if other is not node and other in file.body)
    for each in others:
        if module in (nodes.module_of(each), *(name for _, name in nodes.imported(each))):
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


def _loses_its_uses(file: File, name: str, changes: Sequence[Change], now: Now, *, everywhere: bool) -> bool:
    """True if each use of a name, of which there are some, is rewritten without it; `everywhere`: in comments, too."""
    uses = [node for node in file.all(cst.Name) if node.value == name]
    written = len(re.findall(rf"\b{re.escape(name)}\b(?!\.\w+ import)", file.text.text)) - 1
    # where nobody knows
    in_texts = name in file.tree.texts
    if not uses or (written != len(uses) if everywhere else in_texts) or is_taken(file, name):
        return False
    rewrites = {change.node: change for change in changes if not isinstance(change, Insertion)}
    return all(
        any(
            each in rewrites and (isinstance(rewrites[each], Removal) or not _has_name(now(each), name))
            for each in (use, *file.tree.holders(use))
        )
        for use in uses
    )


def _has_name(made: Any, name: str) -> bool:
    """True if what a node has become has a name anywhere, be it that of an attribute."""
    pending = [*made] if isinstance(made, cst.FlattenSentinel) else [made]
    while pending:
        node = pending.pop()
        if isinstance(node, cst.Name) and node.value == name:
            return True
        pending += node.children if isinstance(node, cst.CSTNode) else ()
    return False


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
    # getattr(module, 'misc')
    if name in other.tree.texts:
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
    while file.meanings.canonical(use) not in modules:
        use = file.parent(use)
        if not isinstance(use, cst.Attribute):
            return False
    return not isinstance(file.parent(use), cst.Attribute)


def can_drop_import(file: File, node: nodes.Import, made: NewImport) -> bool:
    """True if an import without counterpart can be removed: each use of it, if any, is rewritten."""
    assert made.left is not None
    canonical = canonical_name(dict(nodes.imported(node))[made.alias])
    for use in file.all(cst.Name):
        if use.value == made.bound:
            if file.names.spelled(use) == canonical and not isinstance(file.parent(use), cst.Attribute):
                if not is_for_estimators(file, use, canonical):
                    return False
            if _may_mean(file, use, canonical):
                return False
    has_top = bool(file.names.top_names())
    return all(
        has_top and find_unreached_context(file, symbol) is not None
        for symbol, name in file.names.spelled_symbols
        if name.startswith(canonical + ".") and first_name(symbol).value == made.bound
        if find_replacement(name).kind == "left"
    )


def _may_mean(file: File, use: cst.Name, canonical: str) -> bool:
    """True if a use that is not rewritten may mean the import: one import is in `if`, another one in `else`."""
    if not file.is_read(use) or file.names.spelled(use) is not None:
        return False
    return canonical in map(canonical_name, file.meanings.possible_meanings(use))


# -- branches that have become the same ------------------------------------------------------------------------------


def equal_branches(file: File, now: Now) -> Iterator[Change]:
    """What puts the body in the place of a `try` whose handlers have become the same as the body.

    The script chose there between two releases of TensorFlow. The body's calls are all TensorFlow's, so that an error
    in them would come again in the handler.

    Args:
        file: the file.
        now: what the other changes make of a node.
    """
    for node in file.all(cst.Try):
        if node.orelse or node.finalbody or not node.handlers:
            continue
        if any(each.name is not None for each in node.handlers) or not _only_calls_tensorflow(
            file, node.body
        ):
            continue
        bodies = [handler.body for handler in node.handlers]
        if not all(says_the_same(now(node.body), now(each)) for each in bodies):
            continue
        if file.script.conversion is None and any(says_the_same(node.body, each) for each in bodies):
            continue  # the script's own
        yield Replacement(node, _body_alone)


def _body_alone(updated: cst.Try, now: Now) -> Any:
    lines = [*updated.body.body]
    first: Any = lines[0]
    above = [each for each in first.leading_lines if not is_blank(each)]
    lines[0] = first.with_changes(leading_lines=[*updated.leading_lines, *above])
    return cst.FlattenSentinel(lines) if len(lines) > 1 else lines[0]


def _only_calls_tensorflow(file: File, body: cst.BaseSuite) -> bool:
    """True if a block has only simple statements, and calls only TensorFlow; it has no comments at its ends."""
    if not isinstance(body, cst.IndentedBlock) or body.header.comment is not None:
        return False
    if not all(map(is_blank, body.footer)):
        return False
    if not all(
        isinstance(line, cst.SimpleStatementLine) and all(isinstance(each, _SMALL) for each in line.body)
        for line in body.body
    ):
        return False
    return all(file.called(call).startswith("tf.") for call in nodes.calls_in(body))


def says_the_same(one: Any, other: Any) -> bool:
    """True if two nodes are the same but for white space, comments and brackets."""
    if isinstance(one, cst.CSTNode) and isinstance(other, cst.CSTNode):
        return type(one) is type(other) and all(
            says_the_same(getattr(one, each.name), getattr(other, each.name))
            for each in fields(one)
            if not isinstance(getattr(one, each.name), _LAYOUT)
        )
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        ones, others = ([each for each in many if not isinstance(each, _LAYOUT)] for many in (one, other))
        return len(ones) == len(others) and all(map(says_the_same, ones, others))
    if isinstance(one, _LAYOUT) or isinstance(other, _LAYOUT):
        return True
    return bool(one == other)
