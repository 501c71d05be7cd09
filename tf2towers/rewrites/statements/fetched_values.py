"""Is a fetched expression one tensor, or may it be a list of them?"""

from __future__ import annotations

import ast

import libcst as cst

from tf2towers.program.statements.value_kinds import VARIABLES
from tf2towers.program.training import Training

#: TensorFlow functions that return several tensors.
_SEVERAL = frozenset(
    f"tf.{name}"
    for name in (
        "split", "gradients", "trainable_variables", "global_variables", "all_variables", "get_collection",
        "nn.moments", "cond", "map_fn", "scan",
    )
)  # fmt: skip


def is_one_value(fetch: cst.BaseExpression, training: Training) -> bool:
    """Whether `.numpy()` can be asked of what the step returns; False where it may be a list or a dict."""
    return isinstance(fetch, cst.Name) and _is_one_name(fetch.value, training)


def _is_one_name(name: str, training: Training) -> bool:
    if name in training.gathered:
        return False
    for statement in training.single:
        if name in statement.flow.mutates:
            return False
        assign = statement.assign
        if assign is None or name not in statement.flow.binds:
            continue
        plain = [target.target for target in assign.targets if isinstance(target.target, cst.Name)]
        if any(target.value == name for target in plain) and not _is_one_expression(assign.value, training):
            return False
    return True


def _is_one_expression(node: cst.BaseExpression, training: Training) -> bool:
    if isinstance(node, cst.List | cst.Tuple | cst.ListComp | cst.Dict | cst.DictComp | cst.GeneratorExp):
        return False
    if isinstance(node, cst.Call):
        canonical = training.value_kinds.resolver.canonical(node.func)
        if canonical in _SEVERAL:
            return False
        if canonical is not None and not canonical.startswith("tf."):
            found = training.functions.definition(canonical)
            return found is None or not _returns_several(found[1])
        return training.value_kinds.of(node) != VARIABLES
    return True


def _returns_several(definition: ast.AST) -> bool:
    several = (ast.Tuple, ast.List, ast.ListComp, ast.Dict, ast.DictComp)
    return any(
        isinstance(node, ast.Return) and isinstance(node.value, several) for node in ast.walk(definition)
    )
