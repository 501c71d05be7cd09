"""Mistakes that people make in a migration, seeded into a migrated script: `make soundness` asks `verify` to find each.

A mistake that does not change what the script prints is none: a tower left out of two equal ones.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable, Iterator

from mutations import Source

#: a place where a mistake can be made, and what then stands there
Place = tuple[ast.AST, ast.AST]


def _binary(source: Source, kind: type[ast.operator]) -> Iterator[ast.BinOp]:
    yield from (node for node in source.all(ast.BinOp) if isinstance(node.op, kind))


def _called(source: Source, *names: str) -> Iterator[ast.Call]:
    for node in source.all(ast.Call):
        if ast.unparse(node.func).rpartition(".")[2] in names:
            yield node


def _replaced(node: ast.Call, function: str) -> ast.Call:
    changed = copy.deepcopy(node)
    assert isinstance(changed.func, ast.Attribute)
    changed.func.attr = function
    return changed


def sum_for_mean(source: Source) -> Iterator[Place]:
    for node in _binary(source, ast.Div):
        left = node.left
        if (isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add)) or "add_n" in ast.unparse(left):
            yield node, left
    for node in _called(source, "reduce_mean"):
        if len(node.args) > 1 and isinstance(node.func, ast.Attribute):
            yield node, _replaced(node, "reduce_sum")
    for node in source.all(ast.Constant):
        if node.value == "MEAN":
            yield node, ast.Constant("SUM")


def a_tower_left_out(source: Source) -> Iterator[Place]:
    for node in _binary(source, ast.Add):
        if isinstance(node.left, ast.Name | ast.Subscript) and isinstance(node.right, type(node.left)):
            yield node, ast.BinOp(node.left, ast.Add(), node.left)
    for node in _called(source, "stack", "concat", "add_n"):
        if node.args and isinstance(node.args[0], ast.ListComp | ast.Name):
            changed = copy.deepcopy(node)
            first = ast.unparse(node.args[0])
            changed.args[0] = ast.parse(f"[list({first})[0]] * len(list({first}))", mode="eval").body
            yield node, changed


def clipping_moved(source: Source) -> Iterator[Place]:
    """Each tower's gradient is clipped, not the mean; where there is no mean in the call, it is not clipped."""
    for node in _called(source, "clip_by_value", "clip_by_norm"):
        mean = node.args[0] if node.args else None
        if isinstance(mean, ast.BinOp) and isinstance(mean.left, ast.BinOp):
            parts = []
            for part in (mean.left.left, mean.left.right):
                parts.append(copy.deepcopy(node))
                parts[-1].args[0] = part
            yield node, ast.BinOp(ast.BinOp(parts[0], mean.left.op, parts[1]), mean.op, mean.right)
        elif mean is not None:
            yield node, mean


def a_lost_regulariser(source: Source) -> Iterator[Place]:
    for node in source.all(ast.Call):
        kept = [keyword for keyword in node.keywords if "regularizer" not in (keyword.arg or "")]
        if len(kept) < len(node.keywords):
            changed = copy.deepcopy(node)
            changed.keywords = kept
            yield node, changed
    for node in _called(source, "l2_loss"):
        yield node, ast.parse(f"0.0 * {ast.unparse(node)}", mode="eval").body


def averages_of_one_tower(source: Source) -> Iterator[Place]:
    for node in _called(source, "get_collection"):
        if node.args and "UPDATE_OPS" in ast.unparse(node.args[0]):
            yield node, ast.parse(f"{ast.unparse(node)}[:1]", mode="eval").body


def a_wrong_seed(source: Source) -> Iterator[Place]:
    for keyword in source.all(ast.keyword):
        if keyword.arg in ("seed", "op_seed") and isinstance(keyword.value, ast.Constant):
            if isinstance(keyword.value.value, int):
                yield keyword, ast.keyword(keyword.arg, ast.Constant(keyword.value.value + 1))


_ALL = (
    sum_for_mean,
    a_tower_left_out,
    clipping_moved,
    a_lost_regulariser,
    averages_of_one_tower,
    a_wrong_seed,
)
MISTAKES: dict[str, Callable[[Source], Iterator[Place]]] = {each.__name__: each for each in _ALL}


def mistaken(text: str, rng: random.Random) -> tuple[str, str] | None:
    """The name of a mistake that can be made in a script, and the script with it; None where none can."""
    source = Source(text)
    possible = {name: list(places(source)) for name, places in MISTAKES.items()}
    possible = {name: places for name, places in possible.items() if places}
    if not possible:
        return None
    name = rng.choice(sorted(possible))
    node, changed = rng.choice(possible[name])

    class Replaced(ast.NodeTransformer):
        def visit(self, visited: ast.AST) -> ast.AST:
            return changed if visited is node else self.generic_visit(visited)

    return name, ast.unparse(ast.fix_missing_locations(Replaced().visit(source.tree))) + "\n"
