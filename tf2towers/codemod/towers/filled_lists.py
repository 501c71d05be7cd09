"""Lists that only a tower loop fills, and what certainly fails if such a list is empty: then the loop has a round."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.program import File
from tf2towers.codemod.towers.gathered import is_after, made_empty
from tf2towers.codemod.towers.means import find_definition, gives_an_item_a_variable

#: functions that fail for an empty list, wherever it is among their arguments
_NEED_AN_ITEM = frozenset({"tf.add_n", "tf.concat", "tf.accumulate_n"})


def find_filled_lists(file: File, loop: cst.For) -> set[str]:
    """The names of the loop's function that are bound once, to `[]`, and that only the loop appends to."""
    scope = file.meanings.scope(loop)
    found: dict[str, bool] = {}
    for name in file.all(cst.Name):
        if file.meanings.home_of(name) is not scope:
            continue
        around = file.parent(name)
        if not file.is_read(name):
            fits = name.value not in found and made_empty(file, name) is not None
        elif isinstance(around, cst.Attribute):
            fits = around.attr.value == "append" and loop in file.ancestors(name)
        else:
            fits = _only_reads(file, name, around)
        found[name.value] = fits and found.get(name.value, True)
    return {name for name, fits in found.items() if fits}


def _only_reads(file: File, name: cst.Name, around: cst.CSTNode) -> bool:
    """True if a use of a list leaves it as it is, and gives it no other name."""
    if isinstance(around, cst.Call):
        canonical = file.canonical(around.func) or ""
        return around.func is not name and (
            canonical.startswith(("tf.", "builtins.")) or _gives_an_item_a_variable(file, around)
        )
    return isinstance(around, cst.Subscript) and around.value is name and file.is_read(around)


def needs_an_item(file: File, node: cst.CSTNode, lists: set[str], loop: cst.For) -> bool:
    """True if evaluating a node is certainly an error if one of the lists is empty."""
    match node:
        case cst.Subscript(value=cst.Name(value=name)) if name in lists:
            index = nodes.index_of(node)
            index = index.expression if isinstance(index, cst.UnaryOperation) else index
            return isinstance(index, cst.Integer)
        case cst.Call(func=func, args=given) if file.canonical(func) in _NEED_AN_ITEM:
            return any(nodes.is_name(each.value) and each.value.value in lists for each in given)
        case cst.Call(
            func=cst.Attribute(attr=cst.Name(value="apply_gradients"), value=optimizer), args=[first, *_]
        ):
            if not nodes.is_plain(first) or not _is_optimizer(file, optimizer):
                return False
            return _is_empty_with(file, first.value, lists, loop)
    return False


def _is_empty_with(file: File, value: cst.BaseExpression, lists: set[str], loop: cst.For) -> bool:
    """True if a value is an empty list if one of the lists is empty: the average of a list of gradients."""
    match _held_after(file, value, loop):
        case cst.Call(args=[cst.Arg(value=cst.Name(value=name))]) as call if name in lists:
            return _gives_an_item_a_variable(file, call)
    return False


def _held_after(file: File, value: cst.BaseExpression, loop: cst.For) -> cst.BaseExpression:
    """What a name holds where it is read, if one statement alone binds it outside the loop, after the loop."""
    if not nodes.is_name(value):
        return value
    home = file.meanings.home_of(value)
    inside = set(nodes.walk(loop))
    bound = [
        file.parent(name)
        for name in file.all(cst.Name)
        if name.value == value.value
        and not file.is_read(name)
        and name not in inside
        and file.meanings.home_of(name) is home
    ]
    match bound:
        case [cst.Assign(targets=[_], value=held) as statement]:
            if is_after(file, loop, statement) and is_after(file, statement, value):
                return held
    return value


def _gives_an_item_a_variable(file: File, call: cst.Call) -> bool:
    match find_definition(file, call.func):
        case home, cst.FunctionDef() as function:
            return gives_an_item_a_variable(home, function)
    return False


def _is_optimizer(file: File, node: cst.BaseExpression) -> bool:
    """True if a name or an attribute certainly holds one of TensorFlow's optimizers."""
    if isinstance(node, cst.Attribute):
        values = [
            statement.value
            for other in file.program.all_files
            for statement in other.all(cst.Assign)
            for target in nodes.targets(statement)
            if isinstance(target, cst.Attribute) and target.attr.value == node.attr.value
        ]
    else:
        values = [getattr(binding, "value", node) for binding in file.meanings.bindings(node)]
    made = [file.canonical(value.func) or "" if isinstance(value, cst.Call) else "" for value in values]
    return bool(made) and all(name.startswith("tf.train.") and name.endswith("Optimizer") for name in made)
