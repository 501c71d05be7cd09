"""T2T644: a variable, an optimizer, a saver or the like is used in a way that is not known."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import SESSIONS, Building
from tf2towers.certain.first_checkpoint import saved_untrained
from tf2towers.certain.rule import Doubt, Rule
from tf2towers.exact.file import File
from tf2towers.names.meanings import Assigned
from tf2towers.names.old_names import todays_name

_VARIABLE = frozenset(
    {
        "assign",
        "assign_add",
        "assign_sub",
        "get_shape",
        "initializer",
        "name",
        "op",
        "shape",
        "value",
        "read_value",
    }
)
_OPTIMIZER = frozenset(
    {
        "apply_gradients", "chief_init_op", "compute_gradients", "get_chief_queue_runner", "get_init_tokens_op",
        "local_step_init_op", "make_session_run_hook", "minimize", "ready_for_local_init_op",
    }
)  # fmt: skip
#: functions of Python's own that put things together
_TOGETHER = frozenset({"builtins.enumerate", "builtins.len", "builtins.list", "builtins.zip"})
#: what is made, and what it may be asked for
_KNOWN = {
    **dict.fromkeys(
        SESSIONS - {"tf.train.Supervisor", "tf.train.SessionManager"},
        frozenset({"close", "graph", "run", "should_stop"}),
    ),
    "tf.Variable": _VARIABLE,
    "tf.get_variable": _VARIABLE,
    "tf.train.get_or_create_global_step": _VARIABLE,
    "tf.train.get_global_step": _VARIABLE,
    "tf.train.Saver": frozenset({"last_checkpoints", "restore", "save"}),
    "tf.summary.FileWriter": frozenset({"add_graph", "add_summary", "close", "flush"}),
    "tf.train.ExponentialMovingAverage": frozenset({"apply", "average"}),
    "tf.get_default_graph": frozenset({"as_default"}),
    "tf.Graph": frozenset({"as_default"}),
}
#: what a pipeline of TensorFlow 1 could be asked for, whose words are others
_OF_PIPELINES = frozenset({"output_classes", "output_shapes", "output_types"})
#: the file of the graph, which a saver of functions has not to write
_GRAPH_FILE = ".meta"
#: comparisons that in TensorFlow 2 compare a variable's value
_EQUAL = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
#: what stands between a value and what it is given to
_BETWEEN = (
    ast.Tuple,
    ast.List,
    ast.ListComp,
    ast.comprehension,
    ast.keyword,
    ast.Starred,
    ast.BinOp,
    ast.UnaryOp,
)


def doubts(building: Building) -> Iterator[Doubt]:
    """Uses of names that are set to such things, but for those that are known."""
    for file in building.files:
        for name in file.all(ast.Name):
            asked = _made(file, name) if isinstance(name.ctx, ast.Load) else None
            if asked is not None and not _is_known(file, name, asked):
                yield Doubt(file, name, f"a use of `{name.id}` that is not known")
        for attribute in file.all(ast.Attribute):
            made = attribute.value
            if attribute.attr in _OF_PIPELINES and file.canonical(attribute) is None:
                yield Doubt(file, attribute, f"`{file.text.of(attribute)}` of a pipeline")
            elif isinstance(made, ast.Call) and file.canonical(made.func) in (
                "tf.get_default_graph",
                "tf.Graph",
            ):
                if attribute.attr != "as_default":
                    yield Doubt(file, attribute, "the graph is asked for what it has")
        for text in file.all(ast.Constant):
            if isinstance(text.value, str) and text.value.strip().endswith(_GRAPH_FILE):
                yield Doubt(file, text, "the file of the graph, which is not saved")
    for file, call in saved_untrained(building):
        yield Doubt(file, call, "a checkpoint before the first step, which makes the variables")


def _made(file: File, name: ast.Name, seen: frozenset[str] = frozenset()) -> frozenset[str] | None:
    """What a name, or one that it is another name for, may be asked for; None where it stands for something else."""
    for binding in file.meanings.bindings(name):
        value = binding.value if isinstance(binding, Assigned) else None
        if isinstance(value, ast.Name) and value.id not in seen:
            found = _made(file, value, seen | {name.id})
            if found is not None:
                return found
        made = todays_name(file.canonical(value.func) or "") if isinstance(value, ast.Call) else ""
        if made.startswith("tf.train.") and made.endswith("Optimizer") and "Sync" not in made:
            return _OPTIMIZER
        if made in _KNOWN:
            return _KNOWN[made]
    return None


def _is_known(file: File, name: ast.Name, asked: frozenset[str]) -> bool:
    """Whether it is asked for what is known, given to TensorFlow or a function, or computed with."""
    around = file.parent(name)
    if isinstance(around, ast.Attribute):
        return around.attr in asked and isinstance(around.ctx, ast.Load)
    if isinstance(around, ast.Compare):
        return asked is not _VARIABLE or not any(isinstance(sign, _EQUAL) for sign in around.ops)
    if isinstance(around, ast.Dict | ast.Return | ast.withitem | ast.Subscript | ast.BinOp | ast.UnaryOp):
        return True
    if isinstance(around, ast.If | ast.IfExp | ast.BoolOp):
        return asked is not _VARIABLE
    while isinstance(around, _BETWEEN):
        around = file.parent(around)
    if isinstance(around, ast.Call):
        called = file.canonical(around.func) or ""
        return called in _TOGETHER or not called.startswith("builtins.")
    return isinstance(around, ast.Assign)


#: lines of the examples' trainer
_SAVER = "after: saver = tf.train.Saver()"
_KEEP = (
    "head: import numpy as np; import tensorflow as tf; N = 2; SESSION = None; def keep(saver):;     "
    "saver.save(SESSION, 'model')"
)

RULE = Rule(
    code="T2T644",
    title="A variable, an optimizer or a saver is used in a way that is not known",
    why="""
    A variable of a strategy, an optimizer, a saver and a writer of the idiomatic form are other objects than TF1's:
    their methods that are known are kept. What they print, an attribute that is set, and any other method may be
    something else. A checkpoint has the variables that have been made: those of the model, and of the optimizer, the
    first training step makes.
    """,
    todo="Use the usual methods, leave their attributes as they are, and print what a session returns of a variable.",
    doubts=doubts,
    doubtful=(
        f"{_SAVER}\nsession: sess = tf.Session(); sess.run(tf.global_variables_initializer()); "
        "saver.save(sess, 'model'); rng = np.random.RandomState(0); for step in range(3):;     batch = rng.randn(4, 3)",
        f"{_SAVER}\ntrain: saver.save(sess, 'model'); print(sess.run([train_op, loss], {{x: batch}})[1])",
        f"{_SAVER}\ntrain: sess.run(loss, {{x: batch}}); saver.save(sess, 'model'); sess.run(train_op, {{x: batch}})",
        f"{_SAVER}\n{_KEEP}\ntrain: keep(saver); print(sess.run([train_op, loss], {{x: batch}})[1])",
        "end: print(w)",
        "before: assert opt != None; step = tf.Variable(0); found = step == None",
        "end: opt._learning_rate = 0.0",
        "after: saver = tf.train.Saver()\nend: print(saver.as_saver_def())",
        "end: w.load(np.ones((3, 1)), sess)",
        "end: print(len(tf.get_default_graph().get_operations()))",
        "before: graph = tf.get_default_graph()\nend: print(graph.version)",
        "before: rows = tf.data.Dataset.from_tensor_slices(np.ones((4, 3))); print(rows.output_shapes)",
        "after: saver = tf.train.Saver()\nend: import os; print(os.path.isfile(saver.save(sess, 'model') + '.meta'))",
    ),
    certain=(
        f"{_SAVER}\nend: saver.save(sess, 'model')",
        f"{_SAVER}\n{_KEEP}\ntrain: print(sess.run([train_op, loss], {{x: batch}})[1]); keep(saver)",
        "after: saver = tf.train.Saver(); best = saver if N else None",
        "end: print(sess.run(w))",
        "end: writer = tf.summary.FileWriter('logs', tf.get_default_graph()); writer.close()",
        "before: count = tf.Variable(0.0); twice = count * 2.0; known = count is not None",
    ),
)
