"""T2T631: something of TensorFlow's that the idiomatic register is not certain of."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from importlib import resources

from tf2towers.certain.arguments import unknown_arguments
from tf2towers.certain.building import SESSIONS, Building
from tf2towers.certain.queues import Queued, queued, tower_functions
from tf2towers.certain.rule import Doubt, Rule
from tf2towers.certain.tower_body import tower_bodies
from tf2towers.certain.worker_example import SUPERVISED, TWO, worker_with
from tf2towers.exact.file import File
from tf2towers.exact.rules.t2t611_libraries import old_names
from tf2towers.exact.rules.t2t615_library_arguments import old_arguments
from tf2towers.exact.rules.t2t616_library_methods import calls_of_lost_methods
from tf2towers.names.meanings import Imported
from tf2towers.names.old_names import todays_name
from tf2towers.source.nodes import root_of

_FLAGS = ("tf.app.flags", "tf.flags")
_VARIABLES = frozenset({"tf.Variable", "tf.get_variable"})

#: what finds the variable `global_step`, whatever its type, or makes one
_GLOBAL_STEPS = frozenset(
    {"tf.train.get_global_step", "tf.train.get_or_create_global_step", "tf.train.create_global_step"}
)
#: what looks for checkpoints: one process does, where towers are
_CHECKPOINTS = frozenset({"tf.train.latest_checkpoint", "tf.train.get_checkpoint_state"})
#: what asks the graph in force, or makes something of it: what another name, or no name, calls later is not seen
_OF_THE_GRAPH = SESSIONS | {
    "tf.global_variables", "tf.trainable_variables", "tf.global_variables_initializer", "tf.get_collection",
    "tf.get_default_graph", "tf.get_variable_scope", "tf.report_uninitialized_variables", "tf.placeholder",
    "tf.train.get_global_step", "tf.train.get_or_create_global_step", "tf.train.Saver", "tf.summary.merge_all",
    "tf.train.ExponentialMovingAverage", "tf.summary.FileWriter",
}  # fmt: skip


def doubts(building: Building) -> Iterator[Doubt]:
    """Every symbol that has no row in the table, or stands where its row does not allow it."""
    towers: set[ast.AST] = {part for _, part in building.bodies} | {
        function for _, function in tower_functions(building)
    }
    loops = bool(building.loops)
    made_once = {
        statement.value.func
        for _, _, body in tower_bodies(building)
        for statement in body.optimizers.values()
        if isinstance(statement.value, ast.Call)
    }
    batches = queued(building)
    yield from _second_global_step(building)
    for file in building.files:
        yield from unknown_arguments(file)
        for place, name in (*old_names(file), *calls_of_lost_methods(file)):
            yield Doubt(file, place, f"{name}, which is no more today")
        for place, what in old_arguments(file):
            yield Doubt(file, place, what)
        for statement in file.imports:
            if not _is_plain(statement):
                yield Doubt(file, statement, "an import that takes TensorFlow apart")
        for node, canonical in file.symbols:
            if not canonical.startswith(_FLAGS) and not _is_imported(file, node):
                yield Doubt(file, node, f"{canonical} by another way than an import of tensorflow")
                continue
            where = _where(todays_name(canonical))
            if where is None:
                yield Doubt(file, node, canonical)
            elif where == "tower" and not any(ancestor in towers for ancestor in file.ancestors(node)):
                yield Doubt(file, node, f"{canonical} outside of the towers")
            elif where == "outside" and loops and node in made_once:
                continue
            elif (
                where == "outside" and loops and any(ancestor in towers for ancestor in file.ancestors(node))
            ):
                yield Doubt(file, node, f"{canonical} in a tower")
            elif where == "input" and not (batches is not None and _is_of_batches(batches, file, node)):
                yield Doubt(file, node, f"{canonical} beside the functions that make the batches")
            elif not loops and todays_name(canonical) in _CHECKPOINTS:
                yield Doubt(file, node, f"{canonical}, which each worker may ask for at another time")
            elif where == "initial" and not _is_initial_value(building, file, node):
                yield Doubt(file, node, f"{canonical} that is not the initial value of a variable")
            elif todays_name(canonical) in _OF_THE_GRAPH and not _is_called(file, node):
                yield Doubt(file, node, f"{canonical} that is not called where it is named")


def _is_of_batches(batches: Queued, file: File, node: ast.AST) -> bool:
    """Whether a symbol stands in what makes the batches of queues, prefetches them or starts the queues."""
    return any(
        around in batches.functions or around in (batches.prefetched, batches.start)
        for around in file.ancestors(node)
    )


def _second_global_step(building: Building) -> Iterator[Doubt]:
    """TensorFlow's own global step, in a program that makes a variable of its name."""
    own = any(
        isinstance(text.value, str) and text.value == "global_step" and _names_a_variable(file, text)
        for file in building.files
        for text in file.all(ast.Constant)
    )
    for file in building.files:
        for node, canonical in file.symbols:
            if own and canonical in _GLOBAL_STEPS:
                yield Doubt(file, node, f"{canonical} beside a variable that is called so")


def _names_a_variable(file: File, text: ast.Constant) -> bool:
    around = file.parent(text)
    call = file.parent(around) if isinstance(around, ast.keyword) else around
    return isinstance(call, ast.Call) and file.canonical(call.func) in _VARIABLES


def _is_plain(statement: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import is of no TensorFlow, or of all of it (or of the MNIST tutorial's helpers)."""
    if isinstance(statement, ast.ImportFrom):
        module = statement.module or ""
        return module.partition(".")[0] != "tensorflow" or module.startswith("tensorflow.examples.")
    named = [alias for alias in statement.names if alias.name.partition(".")[0] == "tensorflow"]
    return all(alias.name in ("tensorflow", "tensorflow.compat.v1") for alias in named)


def _is_imported(file: File, node: ast.AST) -> bool:
    """Whether a symbol's first name is bound by imports of TensorFlow in this file, and by nothing else."""
    name = root_of(node)
    bindings = file.meanings.bindings(name) if isinstance(name, ast.Name) else []
    return bool(bindings) and all(
        isinstance(binding, Imported) and binding.target.partition(".")[0] == "tensorflow"
        for binding in bindings
    )


def _is_called(file: File, node: ast.AST) -> bool:
    """Whether a function of the graph is called where it stands, or a name is made for it."""
    parent = file.parent(node)
    if isinstance(parent, ast.Assign):
        return all(isinstance(target, ast.Name) for target in parent.targets)
    return isinstance(parent, ast.Call) and node is parent.func


def _is_initial_value(building: Building, file: File, node: ast.AST) -> bool:
    """Whether a call stands in the arguments of one that makes a variable, or of a function that hands it on to one."""
    for around in file.ancestors(node):
        if isinstance(around, ast.stmt):
            return _is_kept_for_a_variable(file, around)
        if isinstance(around, ast.Call):
            if file.canonical(around.func) in _VARIABLES:
                return True
            if file.canonical(around.func) is None and node is not around.func:
                return False
    return False


def _is_kept_for_a_variable(file: File, statement: ast.stmt) -> bool:
    """Whether a function's statement, `initial = ...`, gives a name to what only the variable that it returns reads."""
    function = file.parent(statement)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(function, ast.FunctionDef) or not isinstance(target, ast.Name):
        return False
    last = function.body[-1]
    made = last.value if isinstance(last, ast.Return) else None
    named = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == target.id]
    return (
        isinstance(made, ast.Call)
        and file.canonical(made.func) == "tf.Variable"
        and len(named) == 2
        and any(node in (*made.args[:1], *_initial_values(made)) for node in named)
    )


def _initial_values(call: ast.Call) -> list[ast.expr]:
    return [keyword.value for keyword in call.keywords if keyword.arg == "initial_value"]


def _where(canonical: str) -> str | None:
    table = _vocabulary()
    if canonical in table:
        return table[canonical]
    parts = canonical.split(".")
    if canonical.startswith("tf.app.flags."):
        return "anywhere"
    for length in range(len(parts) - 1, 0, -1):
        found = table.get(".".join(parts[:length]) + ".")
        if found is not None:
            return found
    return next(
        (where for stem, where in table.items() if stem[-1] == "_" and canonical.startswith(stem)), None
    )


@cache
def _vocabulary() -> dict[str, str]:
    text = resources.files("tf2towers.certain.data").joinpath("vocabulary.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {symbol: where for symbol, where, *_ in rows}


#: parts of the examples' trainer: towers with an optimizer of their own
_GRADS = (
    "grads: grads.append(own.compute_gradients(loss))\n"
    "average: mean = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*grads)]"
)

RULE = Rule(
    code="T2T631",
    title="TensorFlow that is not certain in idiomatic form",
    why="""
    The idiomatic form runs the training as a function of a batch, once for each tower. What a symbol does when it
    is traced so has to be known: queues, assertions, prints, tables and draws are not what they were in a graph.
    Those that are known are in `certain/data/vocabulary.tsv`; an older release's name of one (`tf.mul`) is known with
    it, where its arguments and what it does are the same.
    """,
    todo="Nothing: the exact form has it as it is. For idiomatic form, write this part without it.",
    doubts=doubts,
    doubtful=(
        "loss: loss = tf.Print(tf.reduce_mean(tf.square(y)), [y])",
        "loss: loss = tf.reduce_mean(tf.square(y + tf.random_normal([2, 1])))",
        "before: x = tf.nn.dropout(x, 0.5)",
        "before: x = tf.train.batch([x], 4)",
        "before: own = tf.get_variable('global_step', []); step = tf.train.get_or_create_global_step()",
        *(
            f"head: import numpy as np; import tensorflow as tf; N = 2; def weight(shape):;     {body}"
            for body in (
                "initial = tf.truncated_normal(shape);     return initial",
                "initial = tf.truncated_normal(shape);     initial = initial * 2;     return tf.Variable(initial)",
                "initial = tf.truncated_normal(shape);     return tf.Variable(0.0, initial)",
                "initial = tf.truncated_normal(shape);     return tf.get_variable('w', initializer=initial)",
            )
        ),
        "before: tf.add_check_numerics_ops()",
        f"{worker_with(TWO, SUPERVISED)}\nend: print(tf.train.latest_checkpoint('logs'))",
        "after: saver = tf.train.Saver(pad_step_number=True)",
        "after: saver = tf.train.Saver({'w': w})",
        "after: saver = tf.train.Saver()\nend: saver.restore(sess, save_path='model')",
        "before: v = tf.Variable(1.0, validate_shape=False)",
        "before: from tensorflow import nn",
        "before: mine = tf; one = mine.constant(1.0)",
        "before: size = np.int(3)",
        "before: lists = {'all': tf.global_variables}",
        "before: kind = isinstance(opt, tf.train.Saver)",
        "before: from collections import Mapping",
        "loss: loss = tf.reduce_mean(tf.batch_matmul(y, y, adj_x=True))",
        *(
            f"losses: tower_losses.append(loss); own = tf.train.{made}\n{grads}; train_op = own.apply_gradients(mean)"
            for made, grads in (
                # another rate in each tower, two steps of one optimizer, its slots looked at, one that may be another
                ("AdamOptimizer(0.1 * (i + 1))", _GRADS),
                (
                    "AdamOptimizer(0.1)",
                    _GRADS.replace("grads.append(", "step = own.minimize(loss); grads.append("),
                ),
                ("AdamOptimizer(0.1)", f"{_GRADS}; slots = own.get_slot_names()"),
                ("AdamOptimizer(0.1)", f"{_GRADS}; own = opt"),
                ("AdamOptimizer(0.1); own._lr = 0.2", _GRADS),
            )
        ),
    ),
    certain=(
        "after: saver = tf.train.Saver(); latest = tf.train.latest_checkpoint('logs')\nend: print(latest)",
        "head: import numpy as np; import tensorflow as tf; N = 2; Begin = tf.global_variables_initializer",
        "loss: loss = tf.reduce_mean(tf.square(tf.mul(y, tf.pack([2.0]))))",
        *(
            f"losses: tower_losses.append(loss); own = tf.train.{made}\n{_GRADS}; train_op = own.apply_gradients(mean)"
            for made in ("AdamOptimizer(0.1)", "MomentumOptimizer(learning_rate=0.1 * N, momentum=0.9)")
        ),
        "loss: loss = tf.reduce_mean(tf.nn.dropout(tf.square(y), 0.5))",
        "variable: w = tf.get_variable('w', initializer=tf.truncated_normal([3, 1], seed=1))",
        f"{worker_with(TWO, SUPERVISED)}\nvariable: w = weight([3, 1])\n"
        "head: import numpy as np; import tensorflow as tf; N = 2; def weight(shape):;     "
        "initial = tf.truncated_normal(shape, stddev=0.1);     return tf.Variable(initial, name='w')",
    ),
)
