"""T2T601: the TF 2 name of every TF1 symbol."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.exact.arguments import fits
from tf2towers.exact.edits import Edit
from tf2towers.exact.file import File
from tf2towers.exact.lookup import Found, find
from tf2towers.exact.removal import removed
from tf2towers.exact.rule import Example, Rule
from tf2towers.names.meanings import Assigned
from tf2towers.names.tables import RuntimeName, read_table


def edits(file: File) -> Iterator[Edit]:
    """A new text for each use of a symbol that has another name now."""
    for node, canonical in file.symbols:
        alias = alias_of(file, node)
        if alias is not None and find(canonical).kind == "runtime":
            if left_through(file, alias[1], canonical):
                continue
            if _is_imported_instead(file, *alias, canonical):
                yield removed(file, alias[0])
                continue
        text = _text(file, node, canonical)
        if text is None or text == file.text.of(node):
            continue
        if file.text.of(node).startswith(_root(node).id):
            yield file.replace(node, text)
        else:  # Python before 3.12 misplaces some of what stands in an f-string
            file.note(node, "T2T626", f"{canonical} stands in a string that this Python cannot take apart")


def alias_of(file: File, node: ast.AST) -> tuple[ast.stmt, str] | None:
    """The statement and the name in `name = tf.something`."""
    parent = file.parent(node)
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1 and parent.value is node:
        target = parent.targets[0]
        if isinstance(target, ast.Name):
            return parent, target.id
    return None


def left_through(file: File, bound: str, canonical: str) -> bool:
    """Whether something is left that a file uses through a name for a module: then the module stays as well."""
    return any(
        find(name).kind == "left"
        for symbol, name in file.symbols
        if name.startswith(canonical + ".") and _root(symbol).id == bound
    )


def is_v1_alias(file: File, root: ast.Name) -> bool:
    """Whether a name was given `tf.compat.v1` by an assignment: what is taken from it is TF1's already."""
    values = [one.value for one in file.meanings.bindings(root) if isinstance(one, Assigned)]
    return bool(values) and all(
        isinstance(value, ast.Attribute)
        and file.text.of(value).endswith("compat.v1")
        and _root(value).id != root.id
        for value in values
    )


def _is_imported_instead(file: File, statement: ast.stmt, bound: str, canonical: str) -> bool:
    """Whether `slim = tf.contrib.slim` becomes an import of that very name from the runtime; asks for it."""
    runtime = find(canonical).runtime
    if runtime is None or runtime.name != bound or not isinstance(file.parent(statement), ast.Module):
        return False
    if len(file.meanings.module.bindings.get(bound, [])) != 1:
        return False
    file.wanted[(runtime.module, bound)] = bound
    return True


def _root(node: ast.AST) -> ast.Name:
    while isinstance(node, ast.Attribute):
        node = node.value
    assert isinstance(node, ast.Name)
    return node


def _text(file: File, node: ast.Name | ast.Attribute, canonical: str) -> str | None:
    """What to write for a use; None to leave it."""
    root = _root(node)
    if canonical == "tf" or is_behaviour(canonical):
        return None
    if canonical == "tf.distribute.MirroredStrategy" and _on_tower_devices(file, node):
        return None
    found = find(canonical)
    base = file.canonical(root)
    if not file.meanings.bindings(root) and base != "tf":
        return _through_star(file, node, found)
    if base == "tf" and is_v1_alias(file, root):
        return _below(file, node, canonical, found, Found("compat", "tf.compat.v1"))
    if base == "tf":
        if found.kind in ("same", "compat") and file.program.plain_is_tf2 and file.is_plain(node):
            return None  # TF 2's own
        if found.kind == "left":
            file.note(node, found.code, found.why)
            return None
        if found.kind in ("same", "compat"):
            return root.id + _of_call(file, node, found)[2:]
        return file.name_of(found)
    if node is root:
        return None  # bound by an import or an alias, which is rewritten where it stands
    assert base is not None
    if base.partition(".")[0] != "tf":
        return _through_module(file, node, found)
    return _below(file, node, canonical, found, find(base))


def _through_module(file: File, node: ast.Attribute, found: Found) -> str | None:
    """What to write for `layers.tf.x`, with a local module `layers`: what is bound there is rewritten there."""
    chain: list[ast.Attribute] = []
    part: ast.expr = node
    while isinstance(part, ast.Attribute):
        chain.append(part)
        part = part.value
    home = next(one for one in reversed(chain) if _is_tensorflows(file.canonical(one)))
    canonical = file.canonical(home)
    assert canonical is not None
    if found.kind == "left":
        file.note(node, found.code, found.why)
        return None
    if canonical == "tf":
        if found.kind not in ("same", "compat"):
            return file.name_of(found)
        return None if file.program.plain_is_tf2 else file.text.of(home) + found.target[2:]
    rest = file.text.of(node)[len(file.text.of(home)) :]
    base = find(canonical)
    if (base.kind, _place(base) + rest) == (found.kind, _place(found)):
        return None
    return file.name_of(found)


def _is_tensorflows(canonical: str | None) -> bool:
    return canonical is not None and canonical.partition(".")[0] == "tf"


def _place(found: Found) -> str:
    return _path(found.runtime) if found.runtime is not None else found.target


def _below(
    file: File, node: ast.Name | ast.Attribute, canonical: str, found: Found, base: Found
) -> str | None:
    """What to write for an attribute of something that is not TensorFlow itself: `slim.conv2d`, `layers.dense`."""
    if found.kind == "left":
        if base.kind != "private" or found.code != "T2T620":
            file.note(node, found.code, found.why)
        return None
    if found.kind == "runtime":
        assert found.runtime is not None
        if base.runtime is not None and found.runtime.module == _path(base.runtime):
            return None
        if base.runtime is not None and _path(found.runtime).startswith(_path(base.runtime) + "."):
            return None
        return file.name_of(found)
    if base.kind in ("runtime", "left") or canonical in _renamed():
        return file.name_of(found)
    return None


def _path(name: RuntimeName) -> str:
    return f"{name.module}.{name.name}"


def _through_star(file: File, node: ast.Name | ast.Attribute, found: Found) -> str | None:
    if found.kind == "left":
        file.note(node, found.code, found.why)
        return None
    if found.kind == "runtime":
        assert found.runtime is not None
        if isinstance(node, ast.Name) and node.id == found.runtime.name:
            file.wanted[(found.runtime.module, node.id)] = node.id
            return None
        return file.name_of(found)
    return None if file.canonical(node) not in _renamed() else file.name_of(found)


def _of_call(file: File, node: ast.Name | ast.Attribute, found: Found) -> str:
    """The target of a symbol; plain TF 2 where the use is a call that builds the very same operations there."""
    parent = file.parent(node)
    if found.plain is not None and isinstance(parent, ast.Call) and parent.func is node:
        if fits(file, found.plain, parent):
            return found.plain.target
    if found.target == "tf.compat.v1.device" and isinstance(parent, ast.Call) and parent.func is node:
        if len(parent.args) == 1 and not parent.keywords and _is_text(parent.args[0]):
            return "tf.device"  # the same but for functions, which only TF1 takes
    return found.target


def _is_text(node: ast.expr) -> bool:
    """Whether an expression certainly is a string or None."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod | ast.Add):
        return _is_text(node.left)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return _is_text(node.func.value)
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, str))
    )


def _renamed() -> frozenset[str]:
    return frozenset(row[0] for row in read_table("renames.tsv"))


def is_behaviour(canonical: str) -> bool:
    """Whether a symbol switches what `graph_mode` sets; T2T604 has those."""
    from tf2towers.exact.rules.t2t604_graph_mode import SWITCHES

    return canonical in SWITCHES


def _on_tower_devices(file: File, node: ast.AST) -> bool:
    """Whether it is the strategy that T2T605 writes."""
    call = file.parent(node)
    if not isinstance(call, ast.Call) or len(call.args) != 1 or not isinstance(call.args[0], ast.Call):
        return False
    return file.canonical(call.args[0].func) == "tf2towers.runtime.tower_devices"


RULE = Rule(
    code="T2T601",
    title="The TF 2 name of every TF1 symbol",
    why="""
    `tf.x` stays where TF 1 and TF 2 have the very same object under it, and becomes that object's TF 2 name where it
    has another. A TF1 function whose TF 2 namesake differs is `tf.compat.v1.x`; where a call builds the same operations
    with both, it is plain TF 2. What TF 2.21 has lost (layers, slim, rnn cells) comes from tf2towers.runtime.
    """,
    edits=edits,
    sources=("tf.compat.v1", "names/data/symbols.tsv", "names/data/plain_calls.tsv"),
    examples=(
        Example(
            "one object, two names",
            "import tensorflow as tf\n\nx = tf.placeholder(tf.float32, [None])\ny = tf.log(tf.reduce_sum(x, 0))\n",
            "import tensorflow as tf\nfrom tf2towers.runtime import graph_mode\n\ngraph_mode()\n\n"
            "x = tf.compat.v1.placeholder(tf.float32, [None])\ny = tf.math.log(tf.reduce_sum(x, 0))\n",
        ),
    ),
)
