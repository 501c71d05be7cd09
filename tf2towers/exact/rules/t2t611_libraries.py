"""T2T611: names that NumPy, SciPy and Python have given up; what has no certain counterpart is T2T628."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from tf2towers.exact.edits import Edit
from tf2towers.exact.file import File
from tf2towers.exact.libraries.changed import (
    Changed,
    changed,
    gone_part,
    last_names,
    modules_in_parts,
)
from tf2towers.exact.never_called import is_named, leave
from tf2towers.exact.python_versions import is_expected_to_fail, is_never_reached
from tf2towers.exact.removal import removed
from tf2towers.exact.rule import Example, Rule
from tf2towers.exact.rules.t2t609_python2_doubts import is_an_error, missed_names
from tf2towers.source.nodes import imported


def edits(file: File) -> Iterator[Edit]:
    """A new text for each use of such a name, and for each import of one."""
    given = _given(file)
    for node, name in _uses(file):
        change = changed()[name]
        if name in given or _is_imported_name(file, node) or _is_fenced(file, node, change):
            continue
        text = _text(file, node, name, change)
        if text is None:
            _leave(file, node, name, change)
        elif _is_misplaced(file, node):  # Python before 3.12 misplaces some of what stands in an f-string
            file.note(node, "T2T628", f"{name} stands in a string that this Python cannot take apart")
        else:
            yield file.replace(node, text)
    for statement in file.all(ast.ImportFrom):
        yield from _of_import(file, statement)
    for plain in file.all(ast.Import):
        yield from _of_plain_import(file, plain)
    for error in missed_names(file):
        if is_an_error(file, error):
            yield file.replace(error, "Exception")
    for module in file.program.library_names.starred(file):
        for used in file.all(ast.Name):
            name = f"{module}.{used.id}"
            if name in changed() and not hasattr(builtins, used.id) and not file.meanings.bindings(used):
                file.note(used, "T2T628", f"{name} is no more, and is imported by a star")


def _uses(file: File) -> Iterator[tuple[ast.Attribute, str]]:
    """The reads of such names in a file, through the modules that have them."""
    names = last_names(file.program.library_names.imported)
    for node in file.all(ast.Attribute):
        if node.attr in names and isinstance(node.ctx, ast.Load):
            name = file.program.library_names.canonical(file, node)
            if name is None or name not in changed() or file.program.imports.has(file.path, name):
                continue
            around = file.parent(node)
            if not isinstance(around, ast.Attribute) or f"{name}.{around.attr}" not in changed():
                yield node, name


def _is_fenced(file: File, node: ast.AST, change: Changed) -> bool:
    """Whether the program does without the name where it is gone; what is ours stands for it all the same."""
    return is_never_reached(file, node) or (change.kind != "runtime" and is_expected_to_fail(file, node))


def _given(file: File) -> set[str | None]:
    """The names that the program gives a value itself: `np.float = float`."""
    names = last_names(file.program.library_names.imported)
    return {
        file.program.library_names.canonical(home, node)
        for home in {file, *file.program.files}
        for node in home.all(ast.Attribute)
        if isinstance(node.ctx, ast.Store) and node.attr in names
    }


def old_names(file: File) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Every use or import of such a name, and the name."""
    yield from _uses(file)
    statements: list[ast.Import | ast.ImportFrom] = [*file.all(ast.ImportFrom), *file.all(ast.Import)]
    for statement in statements:
        for _, dotted in imported(statement):
            if (part := gone_part(dotted)) and not file.program.imports.has(file.path, part):
                yield statement, part


def _is_imported_name(file: File, node: ast.Attribute) -> bool:
    """Whether `node` is an attribute of something that has a counterpart itself (`np.math.inf`)."""
    if not isinstance(node.value, ast.Attribute):
        return False
    of = changed().get(file.program.library_names.canonical(file, node.value) or "")
    return of is not None and of.kind != "left"


def _text(file: File, node: ast.Attribute, name: str, change: Changed) -> str | None:
    """What to write for a use; None: it is left."""
    if change.kind == "attribute":
        return f"{file.text.of(node.value)}.{change.target}"
    if change.kind == "builtin":
        return change.target if change.target not in file.bound_names else None
    if change.kind == "module":
        has_it = file.meanings.canonical_of(change.target, file.meanings.module) == change.target
        return change.target if has_it else file.need_module(change.target, change.target)
    if change.kind == "from":
        module = _name_of(file, change.target)
        return f"{module}.{node.attr}" if module else file.need(node.attr, change.target)
    if change.kind == "runtime":
        module, _, attribute = change.target.rpartition(".")
        parent, _, last = module.rpartition(".")
        return f"{file.need(last, parent)}.{attribute}"
    return None


def _name_of(file: File, module: str) -> str | None:
    """What the file's first imports call a module: `np`."""
    for statement in file.tree.body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                bound = alias.asname or alias.name
                if alias.name == module and file.meanings.canonical_of(bound, file.meanings.module) == module:
                    return bound
    return None


def _is_misplaced(file: File, node: ast.Attribute) -> bool:
    return not file.text.of(node).endswith(node.attr)


def _leave(file: File, node: ast.Attribute | ast.ImportFrom | ast.Import, name: str, change: Changed) -> None:
    today = change.target if change.kind == "left" else f"{change.target}, a name that the file has otherwise"
    today = f"; today: {today}" if today else ""
    if isinstance(node, ast.Attribute):
        leave(file, node, "T2T628", f"{name} is no more", advice=today)
    else:
        file.note(node, "T2T628", f"{name} is no more{today}")


def _of_plain_import(file: File, statement: ast.Import) -> Iterator[Edit]:
    """`import xml.etree.cElementTree as ET` gets the module's name of today; what nothing needs goes."""
    kept = []
    for alias in statement.names:
        part = gone_part(alias.name)
        if (
            part is None
            or file.program.imports.has(file.path, alias.name)
            or _is_fenced(file, statement, changed()[part])
        ):
            kept.append(_alias(alias.name, alias.asname))
        elif part == alias.name and changed()[part].kind == "module" and alias.asname:
            kept.append(_alias(changed()[part].target, alias.asname))
        elif part != alias.name or not _all_written_anew(file, alias):
            _leave(file, statement, part, changed()[part])
            return
    if not kept:
        yield removed(file, statement)
    elif kept != [_alias(alias.name, alias.asname) for alias in statement.names]:
        yield file.replace(statement, f"import {', '.join(kept)}")


def _all_written_anew(file: File, imported: ast.alias, package: str = "") -> bool:
    """Whether nothing needs the import of a module that is gone: each use of it is one that has a counterpart."""
    dotted = package + imported.name
    if dotted not in modules_in_parts():
        return False
    bound = imported.asname or imported.name
    if file.program.library_names.is_taken(file, bound.partition(".")[0]):
        return False
    root = bound.partition(".")[0]
    known = {
        node.value
        for node, name in _uses(file)
        if name.startswith(f"{dotted}.")
        and changed()[name].kind != "left"
        and file.text.of(node.value).partition(".")[0] == root
    }
    if any(file.text.of(module) != bound for module in known):
        return False
    roots = {name for module in known for name in ast.walk(module) if isinstance(name, ast.Name)}
    return all(use in roots for use in file.all(ast.Name) if use.id == root and isinstance(use.ctx, ast.Load))


def _of_import(file: File, statement: ast.ImportFrom) -> Iterator[Edit]:
    """`from collections import OrderedDict, Mapping` becomes two imports."""
    if statement.level or not statement.module or file.program.imports.has(file.path, statement.module):
        return
    if (home := gone_part(statement.module)) is not None and not all(
        f"{statement.module}.{alias.name}" in changed() for alias in statement.names
    ):
        if not _is_fenced(file, statement, changed()[home]):
            _leave(file, statement, home, changed()[home])
        return
    found = {
        alias.name: change
        for alias in statement.names
        if (change := changed().get(f"{statement.module}.{alias.name}"))
    }
    if not found or any(_is_fenced(file, statement, change) for change in found.values()):
        return
    kept = [_alias(alias.name, alias.asname) for alias in statement.names if alias.name not in found]
    lines = [f"from {statement.module} import {', '.join(kept)}"] if kept else []
    for alias in statement.names:
        change = found.get(alias.name)
        if change is None or _all_written_anew(file, alias, f"{statement.module}."):
            continue
        if change.kind == "left" and not is_named(file, alias):
            continue
        bound = alias.asname or alias.name
        if change.kind == "attribute":
            lines.append(f"from {statement.module} import {_alias(change.target, bound)}")
        elif change.kind == "from":
            lines.append(f"from {change.target} import {_alias(alias.name, bound)}")
        elif change.kind == "runtime":
            module, _, attribute = change.target.rpartition(".")
            lines.append(f"from {module} import {_alias(attribute, bound)}")
        elif change.kind == "module":
            lines.append(f"import {change.target}" + (f" as {bound}" if bound != change.target else ""))
        elif change.kind == "builtin" and bound == change.target:
            continue
        else:
            _leave(file, statement, f"{statement.module}.{alias.name}", change)
            return
    text = file.text.of(statement)
    if not lines and len(statement.names) == 1 and "#" not in text:
        yield removed(file, statement)
        return
    if not lines or "#" in text:
        file.note(
            statement, "T2T628", f"{statement.module}.{next(iter(found))} is no more, and is imported here"
        )
        return
    indent = file.text.indent(statement.lineno)
    alone = file.text.start(statement) == file.text.line_start(statement.lineno) + len(indent)
    yield file.replace(statement, (f"{file.text.newline}{indent}" if alone else "; ").join(lines))


def _alias(name: str, bound: str | None) -> str:
    return name if bound in (None, name) else f"{name} as {bound}"


RULE = Rule(
    code="T2T611",
    title="Names that NumPy, SciPy and Python have given up",
    why="""
    TensorFlow 2.15 wants NumPy 1.23 or newer and 2.21 comes with NumPy 2, on Python 3.10 and newer: np.float, np.Inf,
    np.fromstring, collections.Mapping, time.clock and scipy.misc.imread are no more. np.float and the like were
    Python's own types under another name. What was a function has a counterpart in our runtime where no other name
    does exactly the same.
    """,
    sources=("numpy 1.24 and 2.0 release notes, 'Expired deprecations'", "scipy 1.2 and 1.3 release notes"),
    edits=edits,
    examples=(
        Example(
            "types, constants and bytes",
            "import numpy as np\nimport tensorflow as tf\n\nx = np.fromstring(b'ab', dtype=np.uint8).astype(np.float)\n"
            "tf.Session().run(tf.constant(x * np.Inf))\n",
            "import numpy as np\nimport tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import Session, graph_mode\n"
            "from tf2towers.runtime.old_libraries import numpy1\n\ngraph_mode()\n\n"
            "x = numpy1.fromstring(b'ab', dtype=np.uint8).astype(float)\n"
            "Session().run(tf.constant(x * np.inf))\n",
        ),
        Example(
            "imports",
            "from collections import OrderedDict, Mapping\n\nimport tensorflow as tf\n\n"
            "d = OrderedDict()\nassert isinstance(d, Mapping)\ntf.Session()\n",
            "from collections import OrderedDict\nfrom collections.abc import Mapping\n\n"
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import Session, graph_mode\n\ngraph_mode()\n\n"
            "d = OrderedDict()\nassert isinstance(d, Mapping)\nSession()\n",
        ),
        Example(
            "a script for both Pythons, and an error that only Python 2 has",
            "import tensorflow as tf\n\ntry:\n    basestring\nexcept NameError:\n    basestring = str\n\n\n"
            "def named(x):\n    if not isinstance(x, basestring):\n        raise StandardError(x)\n    return x\n\n\n"
            "tf.Session().run(tf.zeros([2], name=named('x')))\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import Session, graph_mode\n\ngraph_mode()\n\n"
            "try:\n    basestring\nexcept NameError:\n    basestring = str\n\n\n"
            "def named(x):\n    if not isinstance(x, basestring):\n        raise Exception(x)\n    return x\n\n\n"
            "Session().run(tf.zeros([2], name=named('x')))\n",
        ),
    ),
)
