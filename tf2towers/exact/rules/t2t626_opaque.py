"""T2T626: TensorFlow handed on as a value."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tf2towers.exact.file import File
from tf2towers.exact.lookup import both_or_neither_have, find_replacement, was_in_tf1
from tf2towers.exact.never_called import leave
from tf2towers.exact.rule import Example, Rule
from tf2towers.report.quoted_code import with_quoted_code
from tf2towers.source.nodes import last_name

_HARMLESS = frozenset(
    {"builtins.print", "builtins.dir", "builtins.help", "builtins.id", "builtins.type", "importlib.reload"}
)
#: what of TensorFlow has nothing to do with a graph
_BUILDS_NOTHING = frozenset({"Event", "Summary", "errors", "gfile", "logging"})
_RUN_TEXTS = frozenset({"builtins.eval", "builtins.exec"})
#: what gives a module for its name, however it is reached
_IMPORTING = frozenset(
    {
        "__import__", "import_module", "modules", "find_spec", "LazyLoader", "builtins.__import__",
        "importlib.import_module", "sys.modules",
    }
)  # fmt: skip


def notes(file: File) -> None:
    """Notes each use of the module TensorFlow itself that could take anything from it."""
    for text in _imported_by_text(file):
        message = "TensorFlow is imported by a text here: what is taken from it cannot be seen"
        file.note(text, "T2T626", with_quoted_code(message, file.text.of(file.statement(text))))
    if file.program.is_tf2:
        return
    for node, canonical in file.symbols:
        if canonical != "tf":
            continue
        parent = file.parent(node)
        if _is_alias(file, node) or _is_kept(file, node):
            continue
        if isinstance(parent, ast.Call) and node in parent.args:
            name = file.canonical(parent.func)
            if (
                name in _HARMLESS
                or (name == "builtins.getattr" and _stays(parent))
                or (name == "builtins.hasattr" and _is_answered_alike(parent))
            ):
                continue
        message = "TensorFlow itself is handed on here: what is taken from it cannot be seen"
        seen = parent if isinstance(parent, ast.Call) else file.statement(node)
        file.note(node, "T2T626", with_quoted_code(message, file.text.of(seen)))
    for replaced, canonical in _given_another_value(file):
        message = f"{canonical} is given another value here: our runtime would take it, too"
        leave(file, replaced, "T2T626", message, stays="it stays in {}")
    for call, spelled in _run_as_text(file):
        message = f"{spelled} stands in a text that is run here, and means something else in TF 2"
        file.note(call, "T2T626", with_quoted_code(message, file.text.of(call)))
    for use, canonical in file.doubtful:
        if _is_flags(file, canonical):
            continue
        message = f"{use.id} stands for TensorFlow, and for something else"
        file.note(use, "T2T626", with_quoted_code(message, file.text.of(file.statement(use))))


def _is_flags(file: File, canonical: str) -> bool:
    """Whether a name may stand for the module of flags, of which all that is taken is what it was: no matter then."""
    if not f"{canonical}.".startswith(("tf.app.flags.", "tf.flags.")):
        return False
    found = find_replacement(canonical)
    is_same = (found.kind, found.target) == ("v1", canonical)
    return is_same and not any(
        node.attr.startswith("_") for node in file.all(ast.Attribute) if "flags" in node.attr
    )


def _given_another_value(file: File) -> Iterator[tuple[ast.Name | ast.Attribute, str]]:
    """Functions of TensorFlow that the script replaces: `tf.gradients = mine`.

    TensorFlow's own code took no notice; our runtime calls what `tensorflow.compat.v1` has. Of `tf.get_variable` it
    keeps TensorFlow's.
    """
    for node, canonical in file.spelled_symbols:
        if isinstance(node.ctx, ast.Store) and was_in_tf1(canonical) and canonical != "tf.get_variable":
            if find_replacement(canonical).kind == "v1":
                yield node, canonical


def _run_as_text(file: File) -> Iterator[tuple[ast.Call, str]]:
    """Symbols in texts that `eval` and `exec` are given, and that are not in `tensorflow.compat.v1` what they were.

    Of `eval('tf.train.%sOptimizer' % name)` the module says it. Where the text comes from elsewhere,
    `eval(FLAGS.cell)`, it may be any text of the file that begins so.
    """
    runs = [call for call in file.all(ast.Call) if file.canonical(call.func) in _RUN_TEXTS and call.args]
    if not runs:
        return
    names = {node.id for node, canonical in file.symbols if canonical == "tf" and isinstance(node, ast.Name)}
    names |= {bound for node in file.imports for bound in _bound_to_tensorflow(node)}
    for call in runs:
        texts = [node for node in ast.walk(call.args[0]) if isinstance(node, ast.Constant)]
        begin = "|".join(map(re.escape, names))
        symbols = rf"(?<![\w.])(?:{begin})((?:\.\w+)*\.?)(?=(\W|$))" if names else r"(?!)"
        if not any(isinstance(text.value, str) for text in texts):
            texts = [text for text in file.all(ast.Constant) if not isinstance(file.parent(text), ast.Expr)]
            symbols = rf"^(?=\w+\.){symbols}"
        for text in texts:
            if not isinstance(text.value, str):
                continue
            for found in re.finditer(symbols, text.value):
                canonical = "tf" + found[1]
                if canonical[-1] == "." or found[2] in ("%", "{"):  # the rest is computed
                    canonical = canonical.rpartition(".")[0]
                known = find_replacement(canonical)
                if canonical == "tf" or known.kind != "v1" or known.target != canonical:
                    yield call, found[0]


def _bound_to_tensorflow(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (
            alias.asname or "tensorflow"
            for alias in node.names
            if alias.name in ("tensorflow", "tensorflow.compat.v1")
        )


def _is_alias(file: File, module: ast.AST) -> bool:
    """Whether the module is bound to plain names, `a = tf` or `a, b = tf, 1`, whose uses are followed."""
    value, parent = module, file.parent(module)
    if isinstance(parent, ast.Tuple):
        value, parent = parent, file.parent(parent)
    if isinstance(parent, ast.AnnAssign):
        return value is module and isinstance(parent.target, ast.Name)
    if not isinstance(parent, ast.Assign) or parent.value is not value:
        return False
    if not isinstance(value, ast.Tuple):
        return all(isinstance(target, ast.Name) for target in parent.targets)
    return all(
        isinstance(target, ast.Tuple)
        and len(target.elts) == len(value.elts)
        and isinstance(target.elts[value.elts.index(module)], ast.Name)  # type: ignore[arg-type]
        and not any(isinstance(part, ast.Starred) for part in (*target.elts, *value.elts))
        for target in parent.targets
    )


def _is_kept(file: File, module: ast.AST) -> bool:
    """Whether the module is kept as an attribute, `self.tf = tf`, for no more than summaries, files and messages.

    Whatever object an attribute of that name is taken from: `self.tf.Summary`, `logger.tf.Summary`. Devices, operations
    and sessions would have to be rewritten.
    """
    parent = file.parent(module)
    if not isinstance(parent, ast.Assign) or parent.value is not module or len(parent.targets) != 1:
        return False
    target = parent.targets[0]
    if not isinstance(target, ast.Attribute):
        return False
    if any(target.attr in file.program.read(path).text for path in file.program.others):
        return False
    return all(_takes_what_stays(other, target.attr) for other in file.program.files)


def _takes_what_stays(file: File, name: str) -> bool:
    """Whether all that a file takes through attributes of a name builds no graph, and is as TF1 had it."""
    if any(text.value == name for text in file.all(ast.Constant)):  # getattr(self, 'tf')
        return False
    for node in file.all(ast.Attribute):
        if node.attr != name or isinstance(node.ctx, ast.Store):
            continue
        parts, outer = [], file.parent(node)
        while isinstance(outer, ast.Attribute) and isinstance(outer.ctx, ast.Load):
            parts.append(outer.attr)
            outer = file.parent(outer)
        canonical = ".".join(["tf", *parts])
        found = find_replacement(canonical)
        if not parts or parts[0] not in _BUILDS_NOTHING or found.kind != "v1" or found.target != canonical:
            return False
    return True


def _imported_by_text(file: File) -> Iterator[ast.Constant]:
    """Texts that name TensorFlow to a call that imports, or to `sys.modules`."""
    for text in file.all(ast.Constant):
        if not isinstance(text.value, str) or text.value.partition(".")[0] != "tensorflow":
            continue
        parent = file.parent(text)
        if isinstance(parent, ast.keyword):
            parent = file.parent(parent)
        if isinstance(parent, ast.Subscript):
            function: ast.expr = parent.value
        elif isinstance(parent, ast.Call) and text is not parent.func:
            function = parent.func
        else:
            continue
        names = {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}
        names |= {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        canonical = {file.canonical(node) for node in ast.walk(function)}
        if names & _IMPORTING or canonical & _IMPORTING:
            yield text
    yield from _handed_to_imports(file)


def _handed_to_imports(file: File) -> Iterator[ast.Constant]:
    """Texts that name TensorFlow in a file that imports by a computed text: `{'tf': 'tensorflow'}.get(name)`."""
    computed = any(
        call.args
        and not isinstance(call.args[0], ast.Constant)
        and last_name(call.func) in ("import_module", "__import__")
        for call in file.all(ast.Call)
    )
    for text in file.all(ast.Constant) if computed else ():
        if isinstance(text.value, str) and re.fullmatch(r"tensorflow(\.[\w.]*)?", text.value):
            parent = file.parent(text)
            logs = isinstance(parent, ast.Call) and ast.unparse(parent.func).endswith("getLogger")
            if not logs and not isinstance(parent, ast.Expr):
                yield text


def _stays(call: ast.Call) -> bool:
    """Whether `getattr(tf, 'name')` names something that is the same object in TF 2."""
    name = _named(call)
    if name is None:
        return False
    found = find_replacement(f"tf.{name}")
    return found.kind == "v1" and found.target == f"tf.{name}"


def _is_answered_alike(call: ast.Call) -> bool:
    """Whether `hasattr(tf, 'name')` says of `tensorflow.compat.v1` what it said of TF 1.15.

    Of what an older release had (`tf.mul`) both say no: the branch for newer releases is taken.
    """
    name = _named(call)
    return name is not None and both_or_neither_have(f"tf.{name}")


def _named(call: ast.Call) -> str | None:
    """The attribute that a call of `hasattr` or `getattr` is about, where it is written out."""
    name = call.args[1] if len(call.args) > 1 else None
    if isinstance(name, ast.Constant) and isinstance(name.value, str) and name.value.isidentifier():
        return name.value
    return None


RULE = Rule(
    code="T2T626",
    title="TensorFlow is handed on as a value",
    does="refuses",
    why="""
    Where the module itself is an argument, or an attribute is taken by a computed name (`getattr(tf, name)`), the text
    does not say which symbols are used, and so not whether they mean the same in TF 2. What stands in a text for `eval`
    or `exec` is not rewritten: it may name only what TF 2 has under the same name. A function that the script replaces
    in the module (`tf.matmul = mine`) is what our layers would call, where TF1's called their own; not so
    `tf.get_variable`.
    """,
    todo="Write the symbols out, or pass `tensorflow.compat.v1` where only TF1 names are taken that it still has.",
    notes=notes,
    examples=(
        Example(
            "flags that may be wrapped: they are what they were, whichever it is",
            "import tensorflow as tf\n\nfrom os import environ\n\n\ndef told(flags):\n    return flags\n\n\n"
            "flags = tf.app.flags\nif environ.get('TELL'):\n    flags = told(tf.app.flags)\n"
            "flags.DEFINE_integer('steps', 3, '')\nprint(tf.Session().run(tf.constant(flags.FLAGS.steps)))\n",
            "import tensorflow.compat.v1 as tf\n\nfrom os import environ\n"
            "from tf2towers.runtime import Session, graph_mode\n\ngraph_mode()\n\n\n"
            "def told(flags):\n    return flags\n\n\nflags = tf.app.flags\n"
            "if environ.get('TELL'):\n    flags = told(tf.app.flags)\n"
            "flags.DEFINE_integer('steps', 3, '')\nprint(Session().run(tf.constant(flags.FLAGS.steps)))\n",
        ),
        Example(
            "an optimizer by its name",
            "import tensorflow as tf\n\nx = tf.placeholder(tf.float32, [])\nop = getattr(tf, input())(x)\n",
            left=True,
        ),
        Example(
            "a question that TF 2 answers otherwise",
            "import tensorflow as tf\n\nif hasattr(tf, 'contrib'):\n    sess = tf.Session()\n",
            left=True,
        ),
        Example(
            "a function of TensorFlow replaced",
            "import functools\n\nimport tensorflow as tf\n\n"
            "tf.matmul = functools.partial(tf.matmul, transpose_b=True)\n"
            "y = tf.layers.dense(tf.zeros([1, 2]), 3)\n",
            left=True,
        ),
        Example(
            "a text that is run",
            "import tensorflow as tf\n\ncell = eval('tf.nn.rnn_cell.%sCell' % input())(8)\n",
            left=True,
        ),
        Example(
            "an attribute of something else",
            "import tensorflow\n\n\nclass Held:\n    tf = None\n\n\nHeld.tf = tensorflow\nsess = Held.tf.Session()\n",
            left=True,
        ),
        Example(
            "an element of a tuple",
            "import tensorflow as tf\n\nboth = (tf, 1)\nsess = both[0].Session()\n",
            left=True,
        ),
    ),
)
