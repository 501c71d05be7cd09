"""`x.get_shape()[1].value`: a TF2 shape holds plain ints (T2T112)."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m

from tf2towers.program.flow import target_names

_SHAPE = m.Call(func=m.Attribute(attr=m.Name("get_shape"))) | m.Attribute(attr=m.Name("shape"))


def is_dimension_value(node: cst.Attribute, shapes: set[str]) -> bool:
    """Whether a node is `<dimension>.value`, with `shapes` the names that hold shapes."""
    if node.attr.value != "value":
        return False
    if isinstance(node.value, cst.Name):
        return "dim:" + node.value.value in shapes
    if not isinstance(node.value, cst.Subscript):
        return False
    base = node.value.value
    return m.matches(base, _SHAPE) or (isinstance(base, cst.Name) and base.value in shapes)


def shape_names(node: cst.CSTNode) -> set[str]:
    """Names bound to a shape in a function or module, and ('dim:name') those bound to one dimension of a shape."""
    found: set[str] = set()
    for assign in m.findall(node, m.Assign(targets=[m.AssignTarget(target=m.Name())], value=_SHAPE)):
        assert isinstance(assign, cst.Assign)
        found |= target_names(assign.targets[0].target)
    loops = m.findall(node, m.CompFor(target=m.Name(), iter=_SHAPE) | m.For(target=m.Name(), iter=_SHAPE))
    for loop in loops:
        assert isinstance(loop, cst.CompFor | cst.For)
        found |= {"dim:" + name for name in target_names(loop.target)}
    subscripts = m.findall(
        node,
        m.Assign(
            targets=[m.AssignTarget(target=m.Name())],
            value=m.Subscript(value=_SHAPE, slice=[m.SubscriptElement(slice=m.Index())]),
        ),
    )
    for assign in subscripts:
        assert isinstance(assign, cst.Assign)
        found |= {"dim:" + name for name in target_names(assign.targets[0].target)}
    named = {name for name in found if not name.startswith("dim:")}
    for loop in m.findall(
        node, m.CompFor(target=m.Name(), iter=m.Name()) | m.For(target=m.Name(), iter=m.Name())
    ):
        assert isinstance(loop, cst.CompFor | cst.For) and isinstance(loop.iter, cst.Name)
        if loop.iter.value in named:
            found |= {"dim:" + name for name in target_names(loop.target)}
    return found
