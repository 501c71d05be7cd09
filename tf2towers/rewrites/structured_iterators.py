"""`Iterator.from_structure` with one dataset: an initializable iterator of that dataset, said another way (T2T108)."""

from __future__ import annotations

import libcst as cst

from tf2towers.names.symbols import Names
from tf2towers.program.find import assigned_name, find_all, method_of
from tf2towers.program.flow import names_in

_STRUCTURED = "tf.data.Iterator.from_structure"


def plain_iterators(module: cst.Module, names: Names) -> cst.Module | None:
    """The module with `dataset.make_initializable_iterator()` for each such iterator; None where there is none."""
    replaced: dict[cst.CSTNode, cst.BaseExpression] = {}
    for assign in find_all(module, cst.Assign):
        name = assigned_name(assign)
        made = assign.value
        if name is None or not isinstance(made, cst.Call) or names.canonical(made.func) != _STRUCTURED:
            continue
        starts = [call for call in find_all(module, cst.Call) if method_of(call, name) == "make_initializer"]
        dataset = starts[0].args[0].value if len(starts) == 1 and len(starts[0].args) == 1 else None
        if not isinstance(dataset, cst.Name) or dataset.value not in set().union(
            *(names_in(a.value) for a in made.args)
        ):
            continue
        replaced[made] = cst.parse_expression(f"{dataset.value}.make_initializable_iterator()")
        replaced[starts[0]] = cst.parse_expression(f"{name}.initializer")
    if not replaced:
        return None
    changed = module.visit(_Replace(replaced))
    assert isinstance(changed, cst.Module)
    return changed


class _Replace(cst.CSTTransformer):
    def __init__(self, replaced: dict[cst.CSTNode, cst.BaseExpression]) -> None:
        self._replaced = replaced

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        return self._replaced.get(original_node, updated_node)
