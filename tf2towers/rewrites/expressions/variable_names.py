"""Which names hold variables: their `.op.name` has to change, since a TF2 variable has no op of its own."""

from __future__ import annotations

import libcst as cst

from tf2towers.program.python_code.data_flow import target_names
from tf2towers.program.python_code.search import assigned_name, find_all


def variable_op_name(node: cst.Attribute) -> str | None:
    """`v` of the expression `v.op.name`."""
    if (
        node.attr.value != "name"
        or not isinstance(node.value, cst.Attribute)
        or node.value.attr.value != "op"
    ):
        return None
    return node.value.value.value if isinstance(node.value.value, cst.Name) else None


def variable_targets(loop: cst.For | cst.CompFor) -> set[str]:
    """Names a loop may bind to variables: those of `for grad, var in ...`, or over `tf.trainable_variables()`."""
    if isinstance(loop.target, cst.Tuple):  # a gradient's `.op.name` is its name up to the colon, too
        return target_names(loop.target)
    if isinstance(loop.target, cst.Name):
        words = {name.value for name in find_all(loop.iter, cst.Name)}
        if any("var" in word.lower() for word in words):
            return {loop.target.value}
    return set()


def variable_names(function: cst.FunctionDef) -> set[str]:
    """Parameters called like variables, and names assigned from `get_variable` or a helper named after it."""
    found = {
        parameter.name.value
        for parameter in function.params.params
        if parameter.name.value in ("var", "variable", "v")
    }
    for assign in find_all(function.body, cst.Assign):
        if assigned_name(assign) is None or not isinstance(assign.value, cst.Call):
            continue
        func = assign.value.func
        called = func.attr.value if isinstance(func, cst.Attribute) else getattr(func, "value", "")
        if isinstance(called, str) and "variable" in called.lower():
            found |= target_names(assign.targets[0].target)
    return found
