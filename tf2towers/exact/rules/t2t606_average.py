"""T2T606: a function that is the plain mean over the towers becomes one all-reduce."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.exact.edits import Edit
from tf2towers.exact.file import File
from tf2towers.exact.functions.means import is_plain_mean
from tf2towers.exact.removal import removed
from tf2towers.exact.rule import Example, Rule


def edits(file: File) -> Iterator[Edit]:
    """`all_reduce_mean` for each call of such a function; a function of this file goes when nothing uses it."""
    calls: dict[ast.AST, int] = {}
    imported: dict[str, int] = {}
    for call in file.all(ast.Call):
        name = file.canonical(call.func)
        if name is None or name.startswith(("tf.", "builtins.")) or len(call.args) != 1 or call.keywords:
            continue
        if isinstance(call.args[0], ast.Starred):
            continue
        found = file.program.defined(file, name)
        if found is None:
            continue
        home, function = found
        if not isinstance(function, ast.FunctionDef) or not is_plain_mean(home, function):
            continue
        yield file.replace(call.func, file.need("all_reduce_mean"))
        if home is file:
            calls[function] = calls.get(function, 0) + 1
        elif isinstance(call.func, ast.Name):
            imported[call.func.id] = imported.get(call.func.id, 0) + 1
    for function, count in calls.items():
        assert isinstance(function, ast.FunctionDef)
        if _uses(file, function.name) == count and not _used_elsewhere(file, function.name):
            yield removed(file, function)
    for name, count in imported.items():
        if _uses(file, name) == count:
            yield from _no_longer_imported(file, name)


def _no_longer_imported(file: File, name: str) -> Iterator[Edit]:
    """The name goes from its import where the import is of other names too: the module is imported all the same."""
    for node in file.tree.body:
        if not isinstance(node, ast.ImportFrom) or len(node.names) < 2:
            continue
        for place, alias in enumerate(node.names):
            if (alias.asname or alias.name) != name:
                continue
            if place:
                yield Edit(file.text.end(node.names[place - 1]), file.text.end(alias), "")
            else:
                yield Edit(file.text.start(alias), file.text.start(node.names[1]), "")


def _uses(file: File, name: str) -> int:
    """How often a name is used in a file; a string with the name in it counts as well."""
    names = sum(use.id == name for use in file.all(ast.Name))
    strings = sum(constant.value == name for constant in file.all(ast.Constant))
    return names + strings


def _used_elsewhere(file: File, name: str) -> bool:
    """Whether another file of the program may use a function of this one."""
    for other in file.program.files:
        if other is file:
            continue
        if any(attribute.attr == name for attribute in other.all(ast.Attribute)):
            return True
        if any(alias.name in (name, "*") for node in other.all(ast.ImportFrom) for alias in node.names):
            return True
    return not file.main and bool(file.program.others)


_MEAN = """def average(tower_grads):
    result = []
    for pairs in zip(*tower_grads):
        grads = []
        for g, _ in pairs:
            grads.append(tf.expand_dims(g, 0))
        mean = tf.reduce_mean(tf.concat(grads, 0), 0)
        result.append((mean, pairs[0][1]))
    return result


"""

RULE = Rule(
    code="T2T606",
    title="The mean over the towers is one all-reduce",
    why="""
    A function that takes the towers' lists of (gradient, variable) and certainly does nothing but the mean of each
    gradient, in the order of the towers, becomes `all_reduce_mean`, which means the same and is one all-reduce on the
    towers' devices. Any other function stays: the runtime finds a plain mean in the graph by itself.
    """,
    edits=edits,
    sources=("tf.raw_ops.CollectiveReduceV2",),
    examples=(
        Example(
            "the classic function",
            "import tensorflow as tf\n\n\n" + _MEAN + "\nopt = tf.train.GradientDescentOptimizer(0.1)\n"
            "train_op = opt.apply_gradients(average(tower_grads))\n",
            "import tensorflow.compat.v1 as tf\n"
            "from tf2towers.runtime import all_reduce_mean, graph_mode\n\ngraph_mode()\n\n\n"
            "opt = tf.train.GradientDescentOptimizer(0.1)\n"
            "train_op = opt.apply_gradients(all_reduce_mean(tower_grads))\n",
        ),
    ),
)
