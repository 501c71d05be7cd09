"""T2T611: names that NumPy, SciPy and Python have given up; what has no certain counterpart is T2T628."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import TypeGuard

from tf2towers.exact.edits import Edit
from tf2towers.exact.file import File
from tf2towers.exact.libraries import Changed, changed, last_names
from tf2towers.exact.never_called import stays_in
from tf2towers.exact.rule import Example, Rule


class _MethodCall(ast.Call):
    """A call of an attribute."""

    func: ast.Attribute


def edits(file: File) -> Iterator[Edit]:
    """A new text for each use of such a name, and for each import of one."""
    given = _given(file)
    for node in file.all(ast.Attribute):
        if node.attr not in last_names() or not isinstance(node.ctx, ast.Load):
            continue
        name = file.canonical(node)
        if name is None or (what := changed().get(name)) is None or _is_imported_name(file, node):
            continue
        if name in given:
            continue
        text = _text(file, node, name, what)
        if text is None:
            _leave(file, node, name, what)
        elif _is_misplaced(file, node):  # Python before 3.12 misplaces some of what stands in an f-string
            file.note(node, "T2T628", f"{name} stands in a string that this Python cannot take apart")
        else:
            yield file.replace(node, text)
    for statement in file.all(ast.ImportFrom):
        yield from _of_import(file, statement)
    for plain in file.all(ast.Import):
        for alias in plain.names:
            if alias.name in changed():
                _leave(file, plain, alias.name, changed()[alias.name])
    yield from _loaders(file)
    for call in _tostrings(file):
        end = file.text.end(call.func)
        yield Edit(end - len("tostring"), end, "tobytes")
    for module in file.meanings.star_imports:
        for used in file.all(ast.Name):
            name = f"{module}.{used.id}"
            if name in changed() and not hasattr(builtins, used.id) and not file.meanings.bindings(used):
                file.note(used, "T2T628", f"{name} is no more, and is imported by a star")


def _given(file: File) -> set[str | None]:
    """The names that the program gives a value itself: `np.float = float`."""
    return {
        one.canonical(node)
        for one in {file, *file.program.files}
        for node in one.all(ast.Attribute)
        if isinstance(node.ctx, ast.Store) and node.attr in last_names()
    }


def old_names(file: File) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Every use or import of such a name, and the name."""
    for node in file.all(ast.Attribute):
        if node.attr in last_names() and (name := file.canonical(node)) in changed():
            yield node, str(name)
    for statement in file.all(ast.ImportFrom):
        for one in statement.names:
            if f"{statement.module}.{one.name}" in changed():
                yield statement, f"{statement.module}.{one.name}"
    for plain in file.all(ast.Import):
        yield from ((plain, one.name) for one in plain.names if one.name in changed())
    yield from ((call, "yaml.load without a loader") for call in _without_loader(file))
    yield from ((call.func, "tostring() of an array") for call in _tostrings(file))


def uses(tree: ast.Module) -> bool:
    """Whether a module may use such a name: a quick look."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (
            node.attr in last_names() or node.attr in ("load", "tostring")
        ):
            return True
        if isinstance(node, ast.Import) and any(one.name in changed() for one in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and any(
            one.name in ("*", "load") or f"{node.module}.{one.name}" in changed() for one in node.names
        ):
            return True
    return False


def _is_imported_name(file: File, node: ast.Attribute) -> bool:
    """Whether `node` is an attribute of something that is in the table itself (`np.math.inf`)."""
    return (file.canonical(node.value) or "") in changed()


def _text(file: File, node: ast.Attribute, name: str, what: Changed) -> str | None:
    """What to write for a use; None: it is left."""
    if what.kind == "attribute":
        return f"{file.text.of(node.value)}.{what.target}"
    if what.kind == "builtin":
        return what.target if what.target not in _bound(file) else None
    if what.kind == "module":
        has_it = file.meanings.canonical_of(what.target, file.meanings.module) == what.target
        return what.target if has_it else file.need_module(what.target, what.target)
    if what.kind == "from":
        return file.need(node.attr, what.target)
    if what.kind == "runtime":
        module, _, attribute = what.target.rpartition(".")
        parent, _, last = module.rpartition(".")
        return f"{file.need(last, parent)}.{attribute}"
    return None


def _bound(file: File) -> set[str]:
    """The names that the file binds anywhere, by whatever means."""
    found = {one.id for one in file.all(ast.Name) if not isinstance(one.ctx, ast.Load)}
    found.update(one.arg for one in file.all(ast.arg))
    found.update(one.name for one in file.all(ast.FunctionDef))
    found.update(one.name for one in file.all(ast.AsyncFunctionDef))
    found.update(one.name for one in file.all(ast.ClassDef))
    found.update(one.asname or one.name for one in file.all(ast.alias))
    return found


def _is_misplaced(file: File, node: ast.Attribute) -> bool:
    return not file.text.of(node).endswith(node.attr)


def _loaders(file: File) -> Iterator[Edit]:
    """`yaml.load(text)`: PyYAML 6 wants to be told the loader that it took before 5.1."""
    for call in _without_loader(file):
        if isinstance(call.func, ast.Attribute):
            loader = f"{file.text.of(call.func.value)}.Loader"
        else:
            loader = file.need("Loader", "yaml")
        end = file.text.end(call.args[0])
        yield Edit(end, end, f", Loader={loader}")


def _without_loader(file: File) -> Iterator[ast.Call]:
    for call in file.all(ast.Call):
        if len(call.args) == 1 and not call.keywords and not isinstance(call.args[0], ast.Starred):
            if isinstance(call.func, ast.Name | ast.Attribute) and file.canonical(call.func) == "yaml.load":
                yield call


def _tostrings(file: File) -> Iterator[_MethodCall]:
    """Calls `array.tostring()`, which NumPy, `array.array` and Pillow call `tobytes` since long: the same bytes.

    Where the program has a `tostring` of its own, it may be that one. Functions of modules take arguments.
    """
    calls = [call for call in file.all(ast.Call) if _is_tostring(call)]
    if not calls:
        return
    program = file.program
    texts = [one.script.text for one in program.files] + [program.read(path).text for path in program.others]
    if any("def tostring" in text for text in texts):
        return
    for call in calls:
        if file.canonical(call.func) is None and not _is_misplaced(file, call.func):
            yield call


def _is_tostring(call: ast.Call) -> TypeGuard[_MethodCall]:
    return (
        isinstance(call.func, ast.Attribute)
        and call.func.attr == "tostring"
        and not call.args
        and not call.keywords
    )


def _leave(file: File, node: ast.Attribute | ast.ImportFrom | ast.Import, name: str, what: Changed) -> None:
    today = what.target if what.kind == "left" else f"{what.target}, a name that the file has otherwise"
    if isinstance(node, ast.Attribute) and (where := stays_in(file, node, "")) is not None:
        file.note(
            node, "T2T628", f"{name} is no more; it stays in {where}, and raises where it is reached", "note"
        )
    else:
        file.note(node, "T2T628", f"{name} is no more; today: {today}")


def _of_import(file: File, statement: ast.ImportFrom) -> Iterator[Edit]:
    """`from collections import OrderedDict, Mapping` becomes two imports."""
    if statement.level or not statement.module:
        return
    found = {
        one.name: what for one in statement.names if (what := changed().get(f"{statement.module}.{one.name}"))
    }
    if not found:
        return
    kept = [_alias(one.name, one.asname) for one in statement.names if one.name not in found]
    lines = [f"from {statement.module} import {', '.join(kept)}"] if kept else []
    for one in statement.names:
        what = found.get(one.name)
        if what is None:
            continue
        bound = one.asname or one.name
        if what.kind == "attribute":
            lines.append(f"from {statement.module} import {_alias(what.target, bound)}")
        elif what.kind == "from":
            lines.append(f"from {what.target} import {_alias(one.name, bound)}")
        elif what.kind == "runtime":
            module, _, attribute = what.target.rpartition(".")
            lines.append(f"from {module} import {_alias(attribute, bound)}")
        elif what.kind == "module":
            lines.append(f"import {what.target}" + (f" as {bound}" if bound != what.target else ""))
        elif what.kind == "builtin" and bound == what.target:
            continue
        else:
            _leave(file, statement, f"{statement.module}.{one.name}", what)
            return
    text = file.text.of(statement)
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
    does exactly the same. `array.tostring()` is `tobytes()`.
    """,
    sources=("numpy 1.24 and 2.0 release notes, 'Expired deprecations'", "scipy 1.2 and 1.3 release notes"),
    edits=edits,
    examples=(
        Example(
            "types, constants and bytes",
            "import numpy as np\nimport tensorflow as tf\n\nx = np.fromstring(b'ab', dtype=np.uint8).astype(np.float)\n"
            "tf.Session().run(tf.constant(x * np.Inf))\n",
            "import numpy as np\nimport tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import Session, graph_mode, "
            "numpy1\n\ngraph_mode()\n\nx = numpy1.fromstring(b'ab', dtype=np.uint8).astype(float)\n"
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
    ),
)
