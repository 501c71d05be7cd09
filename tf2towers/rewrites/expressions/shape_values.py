"""`x.get_shape()[1].value`: a TF2 shape holds plain ints."""

from __future__ import annotations

import libcst as cst

from tf2towers.program.python_code.data_flow import target_names
from tf2towers.program.python_code.search import assigned_name, find_all


def is_dimension_value(node: cst.Attribute, shapes: set[str]) -> bool:
    """Whether a node is `<dimension>.value`, with `shapes` the names that hold shapes."""
    if node.attr.value != "value":
        return False
    if isinstance(node.value, cst.Name):
        return "dim:" + node.value.value in shapes
    if not isinstance(node.value, cst.Subscript):
        return False
    base = node.value.value
    return _is_shape(base) or (isinstance(base, cst.Name) and base.value in shapes)


def shape_names(node: cst.CSTNode) -> set[str]:
    """Names bound to a shape in a function or module, and ('dim:name') those bound to one dimension of a shape."""
    named: set[str] = set()
    dimensions: set[str] = set()
    for assign in find_all(node, cst.Assign):
        name = assigned_name(assign)
        if name is not None and _is_shape(assign.value):
            named.add(name)
        elif name is not None and isinstance(assign.value, cst.Subscript) and _is_shape(assign.value.value):
            if len(assign.value.slice) == 1 and isinstance(assign.value.slice[0].slice, cst.Index):
                dimensions.add(name)
    loops = [(comprehension.target, comprehension.iter) for comprehension in find_all(node, cst.CompFor)]
    loops += [(loop.target, loop.iter) for loop in find_all(node, cst.For)]
    for target, over in loops:
        if _is_shape(over) or (isinstance(over, cst.Name) and over.value in named):
            dimensions |= target_names(target)
    return named | {"dim:" + name for name in dimensions}


def _is_shape(node: cst.BaseExpression) -> bool:
    """`x.shape` or `x.get_shape()`."""
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Attribute) and node.func.attr.value == "get_shape"
    return isinstance(node, cst.Attribute) and node.attr.value == "shape"
