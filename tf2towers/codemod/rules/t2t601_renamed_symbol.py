"""T2T601: names that `tensorflow.compat.v1` lacks."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.changes import Removal
from tf2towers.codemod.dead_code import can_drop_import
from tf2towers.codemod.meanings import Imported
from tf2towers.codemod.names import first_name, imports_made_by
from tf2towers.codemod.nodes import Symbol
from tf2towers.codemod.program import File
from tf2towers.codemod.reached import find_unreached_context, note_site
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import (
    RUNTIME,
    SWITCHES,
    Found,
    find_replacement,
    import_home,
    is_another_object,
    is_gone_private,
    is_of_old_release,
    public_spelling,
)
from tf2towers.codemod.tf1_signs import (
    builds_towers,
    is_estimator_of_tf2,
    is_for_estimators,
    resets_a_server,
)


def _left_through(file: File, bound: str, canonical: str) -> bool:
    """True if a symbol that is used through a module's name is left: then the module's assignment stays as well."""
    return any(
        find_replacement(name).kind == "left"
        for symbol, name in file.names.spelled_symbols
        if name.startswith(canonical + ".") and first_name(symbol).value == bound
    )


def _is_imported_instead(file: File, statement: cst.Assign, bound: str, canonical: str) -> bool:
    """True if `slim = tf.contrib.slim` becomes an import of the same name from the runtime; adds that import."""
    runtime = find_replacement(canonical).runtime
    at_top = isinstance(file.parent(statement), cst.Module)
    if runtime is None or runtime.name != bound or not at_top:
        return False
    if len(file.meanings.at_top(bound)) != 1 or import_home(runtime.module) != RUNTIME:
        return False
    # `estimator = tf.estimator.Estimator(...)` in a function
    if file.meanings.is_bound_inside(bound):
        return False
    file.decided.wanted[RUNTIME, bound] = bound
    return True


def _replacement_text(file: File, node: Symbol, canonical: str) -> str | None:
    """The new text for a use; None if it stays."""
    root = first_name(node)
    others = (_is_switch, is_estimator_of_tf2, is_for_estimators, builds_towers)
    if canonical == "tf" or any(is_other(file, node, canonical) for is_other in others):
        return None
    found = find_replacement(canonical)
    base = file.names.spelled(root)
    if base == "tf":
        return _tensorflow_text(file, node, root, canonical)
    if not file.meanings.bindings(root):
        return _text_through_star(file, node, found)
    if not isinstance(node, cst.Attribute):
        return None  # bound by an import or an alias, which is rewritten there
    assert base is not None
    if base.partition(".")[0] != "tf":
        return _text_through_module(file, node, found)
    return _attribute_text(file, node, found, base)


def _tensorflow_text(file: File, node: Symbol, home: cst.BaseExpression, canonical: str) -> str | None:
    """The new text for `tf.x`; None if it stays, because `tf` becomes `tensorflow.compat.v1`, which has it."""
    found = find_replacement(canonical)
    head, rest = file.text.of(home), file.text.of(node)[len(file.text.of(home)) :]
    is_v1 = file.names.is_v1(home)
    says_v1 = rest.startswith(".compat.v1.")
    of_v1 = is_v1 or says_v1
    if found.kind == "left":
        note_site(file, node, found.code, found.why)
        return None
    if found.kind in ("v1", "tf2") and file.program.plain_is_tf2 and not of_v1:
        return None  # TF 2's own
    if found.kind == "tf2" and not is_v1:
        return None
    if found.kind != "v1":
        return file.decided.name_of(found)
    is_private = rest.startswith((".python.", ".compat.v1.python."))
    is_same = found.target == canonical and not is_private
    if is_same if of_v1 else found.target.startswith("tf.compat"):
        return None
    return f"{head}{'' if is_v1 and not says_v1 else '.compat.v1'}{found.target[2:]}"


def _text_through_module(file: File, node: cst.Attribute, found: Found) -> str | None:
    """The new text for `layers.tf.x`, where `layers` is a local module, whose own names are rewritten there."""
    chain: list[cst.Attribute] = []
    part: cst.BaseExpression = node
    while isinstance(part, cst.Attribute):
        chain.append(part)
        part = part.value
    spelled = ((part, file.names.spelled(part) or "") for part in reversed(chain))
    home = next(part for part, name in spelled if name.partition(".")[0] == "tf")
    base, canonical = file.names.spelled(home), file.names.spelled(node)
    assert base is not None and canonical is not None
    if base == "tf":
        return _tensorflow_text(file, node, home, canonical)
    return None if home is node else _attribute_text(file, node, found, base)


def _attribute_text(file: File, node: Symbol, found: Found, home: str) -> str | None:
    """The new text for an attribute of an object that is not TensorFlow itself: `slim.conv2d`, `layers.dense`.

    `home` is the canonical name of the object.
    """
    if (moved := _moved_class_text(file, node)) is not None:
        return moved
    base, spelled = find_replacement(home), file.names.spelled(node) or ""
    is_gone = is_gone_private(spelled)
    if found.kind == "left":
        if base.kind != "private" or found.code != "T2T620" or is_gone:
            note_site(file, node, found.code, found.why)
        return _whole_name_text(file, node) if base.kind == "left" else None
    if found.kind == "runtime":
        return None if _leads_to(spelled, home) else file.decided.name_of(found)
    module, _, name = found.target.rpartition(".")
    if isinstance(node, cst.Attribute) and (found.kind, module) == (base.kind, base.target):
        if is_gone or (base.kind == "v1" and file.names.spelled(node.value) == home):
            return f"{file.text.of(node.value)}.{name}"
    moves = is_gone or base.kind in ("runtime", "left") or _is_renamed(spelled)
    is_another = found.kind == "v1" and is_another_object(spelled)
    # a public module now, without `nest.flatten_up_to`
    is_private = base.kind == "v1" and found.kind == "private"
    return file.decided.name_of(found) if moves or is_another or is_private else None


def _leads_to(spelled: str, home: str) -> bool:
    """True if the names after an object lead to the replacement in what the object becomes: `slim.nets.vgg`.

    Not `rnn.rnn_cell.BasicLSTMCell`, another spelling of a name that the runtime's module has itself.
    """
    base, found = find_replacement(home).runtime, find_replacement(spelled).runtime
    if base is None or found is None:
        return False
    start, target = f"{'.'.join(base)}.", ".".join(found)
    if not f"{target}.".startswith(start):
        return False
    # tf_slim has TF 1's public modules
    is_whole = base.name == "slim" and ".python." not in spelled
    return target[len(start) :] == spelled[len(home) + 1 :] or is_whole


def _moved_class_text(file: File, node: Symbol) -> str | None:
    """`ops.Tensor.__add__`, whose class is no longer in that module; None where all before the last name is there."""
    if not (isinstance(node, cst.Attribute) and isinstance(node.value, cst.Attribute)):
        return None
    spelled = file.names.spelled(node.value) or ""
    if not is_gone_private(spelled):
        above = _moved_class_text(file, node.value)
        return None if above is None else f"{above}.{node.attr.value}"
    if (found := find_replacement(spelled)).kind != "v1":
        return None
    return f"{file.decided.name_of(found)}.{node.attr.value}"


def _whole_name_text(file: File, node: Symbol) -> str | None:
    """The new text for an unreached use whose import is removed (T2T602): `tf.contrib.tpu.x`, which raises there."""
    names, canonical = file.names.top_names(), file.names.spelled(node)
    if not names or canonical is None or find_unreached_context(file, node) is None:
        return None
    is_dropped = _is_import_dropped(file, first_name(node))
    return names[0] + canonical[2:] if is_dropped else None


def _is_import_dropped(file: File, name: cst.Name) -> bool:
    bindings = file.meanings.bindings(name)
    if not bindings or not all(isinstance(binding, Imported) for binding in bindings):
        return False
    return all(
        made.left is not None and can_drop_import(file, binding.statement, made)
        for binding in bindings
        if isinstance(binding, Imported)
        for made in imports_made_by(file.names.keeps_plain, binding.statement)
        if made.alias is binding.alias
    )


def _text_through_star(file: File, node: Symbol, found: Found) -> str | None:
    if found.kind == "left":
        note_site(file, node, found.code, found.why)
        return None
    runtime = found.runtime
    if runtime is not None and isinstance(node, cst.Name) and node.value == runtime.name:
        file.decided.wanted[import_home(runtime.module), node.value] = node.value
        return None
    moves = runtime is not None or _is_renamed(file.names.spelled(node) or "")
    return file.decided.name_of(found) if moves else None


def _is_renamed(canonical: str) -> bool:
    """True if it is a name of an old release that `tensorflow.compat.v1` lacks."""
    return is_of_old_release(canonical) and find_replacement(canonical) != Found("v1", canonical)


def _is_switch(file: File, node: cst.CSTNode, canonical: str) -> bool:
    """True if a symbol switches a mode that `graph_mode` sets: T2T604 edits its calls, `compat.v1` has its names."""
    call = file.parent(node)
    is_called = isinstance(call, cst.Call) and isinstance(file.parent(call), cst.Expr)
    return canonical in SWITCHES or (is_called and public_spelling(canonical) in SWITCHES)


class RenamedSymbol(Rule):
    """Names that `tensorflow.compat.v1` lacks

    The import line says `tensorflow.compat.v1`, and every symbol that it has under the script's name stays as it is. A
    name of an old release, or of contrib, becomes the one of TF 2.21. What TF 2.21 has lost (layers, slim, rnn cells)
    and what runs graphs (sessions) comes from tf2towers.runtime. A `try` that chose between two releases' names goes,
    where its `except` has become the same as its body.
    """

    sources = ("tf.compat.v1", "codemod/symbols.tsv")
    examples = (
        Example(
            "a name of an old release",
            """
                import tensorflow as tf

                x = tf.placeholder(tf.float32, [None])
                y = tf.mul(tf.log(x), x)
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import graph_mode

                graph_mode()

                x = tf.placeholder(tf.float32, [None])
                y = tf.multiply(tf.log(x), x)
                """,
        ),
    )

    def visit_Module(self, node: cst.Module) -> None:
        """A new text for each use of a symbol that has another name now."""
        file = self.file
        done: set[cst.CSTNode] = set()
        # first: these say under what names modules are imported
        for use, canonical in file.names.spelled_symbols:
            if (alias := file.tree.alias_of(use)) is None:
                continue
            statement, name = alias
            is_runtime = find_replacement(canonical).kind == "runtime"
            if is_runtime and _left_through(file, name, canonical):
                done.add(use)
            elif _is_imported_instead(file, statement, name, canonical):
                self.changes.append(Removal(statement))
                done.add(use)
        for use, canonical in file.names.spelled_symbols:
            if use in done or resets_a_server(file, use):
                continue
            text = _replacement_text(file, use, canonical)
            if text is None or text == file.text.of(use):
                continue
            if file.is_read(use):
                self.replace(use, text)
            else:
                message = f"the script assigns to {canonical} here, whose replacement is {text}"
                file.note(use, "T2T626", message)
