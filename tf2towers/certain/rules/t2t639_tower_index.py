"""T2T639: a tower that uses its number for more than taking its part of the batch."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import Building
from tf2towers.certain.placements import is_of_placement
from tf2towers.certain.queues import tower_functions
from tf2towers.certain.rule import Doubt, Rule
from tf2towers.certain.tower_body import tower_bodies
from tf2towers.exact.file import File
from tf2towers.source.nodes import Function

#: what may depend on a tower's number: where it is, how its operations are named, what of a collection is its own
_MAY = frozenset({"tf.device", "tf.name_scope", "tf.get_collection"})


def doubts(building: Building) -> Iterator[Doubt]:
    """Uses of the loop's target, and of the towers' name scopes, for anything else."""
    for file, loop, body in tower_bodies(building):
        targets = {name.id for name in ast.walk(loop.target) if isinstance(name, ast.Name)}
        scopes = _scopes(file, loop.statement)
        inside = loop.iterable
        tests = {part for block in body.of_first_tower for part in ast.walk(block.test)}
        for node in ast.walk(loop.statement):
            if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
                continue
            if node in tests or any(ancestor is inside for ancestor in file.ancestors(node)):
                continue
            if node.id in targets and not _may(building, file, node, slices=True):
                yield Doubt(file, node, f"`{node.id}` decides more than a tower's part of the batch")
            elif (
                node.id in scopes
                and not _may(building, file, node, slices=False)
                and not _handed_on(building, file, node)
            ):
                yield Doubt(file, node, f"`{node.id}` decides more than a tower's collections")


def _scopes(file: File, statement: ast.stmt) -> set[str]:
    return {
        item.optional_vars.id
        for block in ast.walk(statement)
        if isinstance(block, ast.With)
        for item in block.items
        if isinstance(item.optional_vars, ast.Name)
        and isinstance(item.context_expr, ast.Call)
        and file.canonical(item.context_expr.func) == "tf.name_scope"
    }


def _may(building: Building, file: File, node: ast.AST, *, slices: bool) -> bool:
    """Whether a name stands in a place where it says which part, which device, which name."""
    for around in file.ancestors(node):
        if isinstance(around, ast.stmt) and not isinstance(around, ast.With):
            return False
        if isinstance(around, ast.Call) and not _is_text(around):
            return file.canonical(around.func) in _MAY or is_of_placement(building, file, around)
        if isinstance(around, ast.keyword) and around.arg == "reuse":
            return True
        if isinstance(around, ast.keyword) and around.arg == "name" and _names_an_operation(file, around):
            return True
        if slices and isinstance(around, ast.Subscript) and node is around.slice:
            named = file.parent(around)
            is_named = isinstance(named, ast.Attribute) and named.attr in ("name", "op")
            if not is_named and _holds_values(building, file, around.value):
                return True
        node = around
    return False


def _holds_values(building: Building, file: File, indexed: ast.expr) -> bool:
    """Whether what is indexed are tensors or numbers, and no names or functions."""
    made = building.value_of(file, indexed) or indexed
    if isinstance(made, ast.List | ast.Tuple):
        return all(_holds_values(building, file, element) for element in made.elts)
    if isinstance(made, ast.ListComp):
        return _holds_values(building, file, made.elt)
    if isinstance(made, ast.Subscript):
        return _holds_values(building, file, made.value)
    if isinstance(made, ast.Constant):
        return isinstance(made.value, int | float)
    return isinstance(made, ast.Call) and (file.canonical(made.func) or "").startswith("tf.")


def _names_an_operation(file: File, keyword: ast.keyword) -> bool:
    """Whether a `name=` is the name of an operation, and not of a variable."""
    call = file.parent(keyword)
    canonical = file.canonical(call.func) if isinstance(call, ast.Call) else None
    return canonical is not None and canonical.startswith(("tf.reduce_", "tf.math.", "tf.add", "tf.multiply"))


def _is_text(call: ast.Call) -> bool:
    """Whether it is `'tower_{}'.format(i)`: what that is for is said by what takes it, a device or a name scope."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "format"


def _handed_on(building: Building, file: File, node: ast.Name) -> bool:
    """Whether a scope is an argument of a function that reads collections by it, and nothing else."""
    call = file.parent(node)
    if not isinstance(call, ast.Call) or node not in call.args:
        return False
    function = building.function_called(file, call)
    if function is None or any(isinstance(argument, ast.Starred) for argument in call.args):
        return False
    names = [parameter.arg for parameter in function.args.args]
    place = call.args.index(node)
    return place < len(names) and _reads_collections(building, function, names[place])


def _reads_collections(building: Building, function: Function, name: str) -> bool:
    home = next(file for file, tower_function in tower_functions(building) if tower_function is function)
    uses = [
        use
        for use in ast.walk(function)
        if isinstance(use, ast.Name) and use.id == name and isinstance(use.ctx, ast.Load)
    ]
    return all(
        isinstance(parent := home.parent(use), ast.Call)
        and home.canonical(parent.func) == "tf.get_collection"
        for use in uses
    )


RULE = Rule(
    code="T2T639",
    title="A tower that does more with its number than take its part of the batch",
    why="""
    In idiomatic form every tower is the same function on the same variables. A number that decides how a variable
    is named, what is computed or what a function is told makes towers that differ.
    """,
    todo="Use the number for the device, for name scopes, and to index or slice the batch.",
    doubts=doubts,
    doubtful=(
        "grads: grads.append(opt.compute_gradients(loss * (i + 1)))",
        "variable: w = tf.get_variable('w_%d' % i, [3, 1], initializer=tf.ones_initializer())",
        "variable: w = tf.get_variable('w_{}'.format(i), [3, 1], initializer=tf.ones_initializer())",
        "variable: w = tf.get_variable(NAMES[i], [3, 1], initializer=tf.ones_initializer())\n"
        "before: NAMES = ['a', 'b']",
        "variable: w = tf.get_variable(scope + 'w', [3, 1], initializer=tf.ones_initializer())",
        "variable: w = tf.get_variable(xs[i].op.name, [3, 1], initializer=tf.ones_initializer())",
    ),
    certain=("loss: loss = tf.reduce_mean(tf.square(y)) + 0.0 * RATES[i]\nbefore: RATES = [1.0, 2.0]",),
)
