"""T2T645: a moving average of something else than variables, or than what a tower alone computed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import Building
from tf2towers.certain.queues import tower_functions
from tf2towers.certain.rule import Doubt, Rule
from tf2towers.exact.file import File
from tf2towers.exact.tower_loops import Loop
from tf2towers.names.meanings import Assigned
from tf2towers.names.old_names import todays_name
from tf2towers.source.nodes import root_of

_LISTS = frozenset({"tf.trainable_variables", "tf.global_variables", "tf.model_variables"})
_MAKERS = frozenset({"tf.Variable", "tf.get_variable"})


def doubts(building: Building) -> Iterator[Doubt]:
    """Every `average.apply(values)`, but for variables, and for values of a tower whose names are its own."""
    if not building.loops:
        return
    functions: set[ast.AST] = {function for _, function in tower_functions(building)}
    inside = {part for _, part in building.bodies} | functions
    are_named = all(_is_named_by_tower(file, loop) for file, loop in building.loops)
    for file in building.files:
        for call in file.all(ast.Call):
            if not isinstance(call.func, ast.Attribute) or call.func.attr != "apply":
                continue
            root = root_of(call.func)
            if file.canonical(call.func) is not None or (file.canonical(root) or "").startswith("tf.data."):
                continue
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            if all(_are_variables(building, file, value) for value in given):
                continue
            is_tower = any(around in inside for around in file.ancestors(call))
            if not is_tower:
                yield Doubt(file, call, "a moving average behind the towers, of no variable")
            elif not are_named:
                yield Doubt(file, call, "a moving average in a tower without a name scope of its own")
            elif not all(_is_computed_here(building, file, value, inside) for value in given):
                yield Doubt(file, call, "a moving average of what the tower was given")


def _is_named_by_tower(file: File, loop: Loop) -> bool:
    """Whether all that a loop builds is in `tf.name_scope` of the tower's number or name."""
    targets = {name.id for name in ast.walk(loop.target) if isinstance(name, ast.Name)}
    body: list[ast.stmt] = getattr(loop.statement, "body", [])
    while len(body) == 1 and isinstance(block := body[0], ast.With):
        for item in block.items:
            scope = item.context_expr
            if isinstance(scope, ast.Call) and file.canonical(scope.func) == "tf.name_scope":
                if any(isinstance(node, ast.Name) and node.id in targets for node in ast.walk(scope)):
                    return True
        body = block.body
    return False


def _are_variables(building: Building, file: File, value: ast.expr) -> bool:
    """Whether an expression is a list of variables: all of them, or some by their names."""
    if isinstance(value, ast.List | ast.Tuple):
        return bool(value.elts) and all(_are_variables(building, file, part) for part in value.elts)
    if isinstance(value, ast.BinOp):
        return all(_are_variables(building, file, part) for part in (value.left, value.right))
    if isinstance(value, ast.Name):
        bindings = file.meanings.bindings(value)
        return bool(bindings) and all(
            isinstance(binding, Assigned)
            and not isinstance(binding.value, ast.Name)
            and _are_variables(building, file, binding.value)
            for binding in bindings
        )
    made = todays_name(file.canonical(value.func) or "") if isinstance(value, ast.Call) else ""
    return made in _LISTS | _MAKERS


def _is_computed_here(building: Building, file: File, value: ast.expr, inside: set[ast.AST]) -> bool:
    """Whether every name in an expression stands for what the tower computed: nothing from outside, no parameter."""
    for name in ast.walk(value):
        if not isinstance(name, ast.Name) or file.canonical(name) is not None:
            continue
        bindings = file.meanings.bindings(name)
        if not bindings or not all(
            isinstance(binding, Assigned)
            and any(around in inside for around in file.ancestors(binding.value))
            for binding in bindings
        ):
            return False
    return True


_EMA = "before: own = tf.train.ExponentialMovingAverage(0.9)"

RULE = Rule(
    code="T2T645",
    title="A moving average that is neither the weights' nor a tower's own",
    why="""
    A moving average of a tensor is a variable by the tensor's name. What is computed behind the towers has the same
    name in each replica, as has a tower's value where no name scope tells the towers apart: both would update one
    variable, twice a step.
    """,
    todo="Nothing: the exact form has it. For idiomatic form, average variables, or losses in a name scope.",
    doubts=doubts,
    doubtful=(
        f"{_EMA}\nafter: follow = own.apply([tf.add_n(tower_losses)])",
        f"{_EMA}\nafter: mean_loss = tf.add_n(tower_losses) / N; follow = own.apply([mean_loss])",
        f"{_EMA}\nafter: follow = own.apply(tower_losses)",
        f"{_EMA}\nafter: follow = own.apply([loss])",
        f"{_EMA}\nlosses: follow = own.apply([x]); tower_losses.append(loss)",
        *(
            f"{_EMA}\nlosses: follow = own.apply([loss]); tower_losses.append(loss)\n"
            f"loop: for i in range(N):;     with tf.device('/gpu:%d' % i){scope}:;"
            "         with tf.variable_scope('model', reuse=i > 0):"
            for scope in ("", ", tf.name_scope('tower')")
        ),
    ),
    certain=(
        f"{_EMA}\nafter: follow = own.apply(tf.trainable_variables())",
        f"{_EMA}\nafter: follow = own.apply([w])",
        f"{_EMA}\nafter: kept = tf.trainable_variables(); follow = own.apply(kept)",
        f"{_EMA}\nlosses: follow = own.apply([loss]); tower_losses.append(loss)",
    ),
)
