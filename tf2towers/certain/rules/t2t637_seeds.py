"""T2T637: random numbers that a seed decides."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import Building, fetches_of, inside
from tf2towers.certain.pipelines import pipeline_functions
from tf2towers.certain.rule import Doubt, Rule
from tf2towers.certain.worker_example import SUPERVISED, TWO, worker_with
from tf2towers.exact.file import File

#: whose seed decides what a variable begins with, which is drawn as ever
_INITIAL = ("initializer", "tf.truncated_normal", "tf.random_normal", "tf.random_uniform")
_INITIALIZERS = "tf.initializers."
#: what decides all draws of a process
_OF_PROCESSES = frozenset({"random.seed", "numpy.random.seed"})


def doubts(building: Building) -> Iterator[Doubt]:
    """The graph's seed; seeds of operations that draw in a step; seeds that shuffle a pipeline which begins again."""
    again = _begins_again(building)
    restarted = pipeline_functions(building)
    for file in building.files:
        for call in file.all(ast.Call):
            canonical = file.canonical(call.func) or ""
            if canonical in ("tf.set_random_seed", "tf.random.set_random_seed"):
                yield Doubt(file, call, "the graph's seed")
            elif canonical in _OF_PROCESSES and building.placed and not building.has_one_worker:
                yield Doubt(file, call, "a seed of draws that each worker makes in a process of its own")
            elif _is_drawn(canonical) and _is_before_the_session(building, file, call):
                yield Doubt(file, call, "values that each worker draws for itself, and builds with")
            elif canonical == "tf.data.Dataset.from_generator" and _draws(building, file, call):
                yield Doubt(
                    file, call, "a pipeline that draws of the process's random numbers, some of them ahead"
                )
            elif canonical.startswith("tf.") and not _is_initial(canonical):
                if any(keyword.arg == "seed" for keyword in call.keywords):
                    yield Doubt(file, call, f"a seed of {canonical}")
            elif (
                again
                and _decides_order(call)
                and not any(ancestor in restarted for ancestor in file.ancestors(call))
            ):
                yield Doubt(file, call, "a decided order of a pipeline that is begun again")


def _draws(building: Building, file: File, call: ast.Call) -> bool:
    """Whether a function that gives a pipeline its rows draws random numbers that others may draw of as well."""
    return any(
        isinstance(node, ast.Call) and _is_drawn(where.canonical(node.func) or "")
        for where, part in building.with_functions([(file, call)])
        for node in ast.walk(part)
    )


def _is_drawn(canonical: str) -> bool:
    """Whether it is a draw of NumPy's or Python's, and not a generator, whose draws come later."""
    module, _, name = canonical.rpartition(".")
    return (
        module in ("random", "numpy.random")
        and not name[:1].isupper()
        and name not in ("seed", "default_rng")
    )


def _is_before_the_session(building: Building, file: File, call: ast.Call) -> bool:
    """Whether several workers' graphs are built with it: they are built once, for all of them."""
    if not building.placed or building.has_one_worker:
        return False
    if (file.function_around(call) or file.tree) not in building.owners:
        return False
    for around in inside(file, call, ast.With, ast.For, ast.While):
        parts = around.items if isinstance(around, ast.With) else [around]
        if any(building.makes_session(file, part) for part in parts):
            return False
    return True


def _is_initial(canonical: str) -> bool:
    return canonical.startswith(_INITIALIZERS) or canonical.endswith(_INITIAL)


def _begins_again(building: Building) -> bool:
    """Whether an iterator's initializer is run in a loop, or in several places."""
    initialized = [
        (file, call)
        for file, call in building.runs
        for fetch in fetches_of(call)
        if isinstance(fetch, ast.Attribute) and fetch.attr == "initializer"
    ]
    return len(initialized) > 1 or any(
        True for file, call in initialized for _ in inside(file, call, ast.For, ast.While, ast.ListComp)
    )


def _decides_order(call: ast.Call) -> bool:
    """Whether it is `dataset.shuffle(buffer_size, seed, reshuffle_each_iteration)` with more than one argument."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "shuffle":
        return False
    return len(call.args) > 1 or any(keyword.arg != "buffer_size" for keyword in call.keywords)


RULE = Rule(
    code="T2T637",
    title="Draws that a seed decides",
    why="""
    A draw in a TF1 session is decided by the graph's seed and the operation's place in the graph, of which a
    function has neither. Where the script sets a seed, it asks for these numbers. A pipeline that its iterator's
    initializer begins again has the same order every time in TF1, and goes on with its draws in TF 2. And the loops of
    all workers run in one process, of whose seed each has a part of the draws; what they build with is drawn once.
    """,
    todo="Nothing: the exact form draws TF1's numbers. For idiomatic form, give the seeds to the initializers alone.",
    doubts=doubts,
    doubtful=(
        "before: tf.set_random_seed(1)",
        worker_with(TWO, f"np.random.seed(1); {SUPERVISED}"),
        worker_with(TWO, f"noise = np.random.rand(3); {SUPERVISED}"),
        "loss: loss = tf.reduce_mean(tf.nn.dropout(tf.square(y), 0.5, seed=3))",
        "head: import numpy as np; import tensorflow as tf; N = 2; def rows():;     yield np.random.rand(3)\n"
        "before: drawn = tf.data.Dataset.from_generator(rows, tf.float32, [3])",
        "inputs: rows = tf.data.Dataset.from_tensor_slices(np.ones((8, 3), np.float32)).shuffle(8, 3).batch(4); "
        "batches = tf.data.make_initializable_iterator(rows); x = batches.get_next(); xs = tf.split(x, N); "
        "opt = tf.train.GradientDescentOptimizer(0.1); grads = []; tower_losses = []; total = 0.0; seen = {}\n"
        "train: sess.run(batches.initializer); print(sess.run([train_op, loss])[1])",
        "inputs: rows = tf.data.Dataset.from_tensor_slices(np.ones((8, 3), np.float32)).shuffle(8, 3).batch(4); "
        "batches = tf.data.make_initializable_iterator(rows); x = batches.get_next(); xs = tf.split(x, N); "
        "opt = tf.train.GradientDescentOptimizer(0.1); grads = []; tower_losses = []; total = 0.0; seen = {}\n"
        "train: sess.run([batches.initializer]); print(sess.run([train_op, loss])[1])",
    ),
    certain=(
        worker_with("['a:2']", f"np.random.seed(1); {SUPERVISED}"),
        "head: import numpy as np; import tensorflow as tf; N = 2; np.random.seed(1)",
        "inputs: rows = tf.data.Dataset.from_tensor_slices(np.ones((8, 3), np.float32)).shuffle(8).batch(4); "
        "batches = tf.data.make_initializable_iterator(rows); x = batches.get_next(); xs = tf.split(x, N); "
        "opt = tf.train.GradientDescentOptimizer(0.1); grads = []; tower_losses = []; total = 0.0; seen = {}\n"
        "train: sess.run(batches.initializer); print(sess.run([train_op, loss])[1])",
        "variable: w = tf.get_variable('w', [3, 1], initializer=tf.glorot_uniform_initializer(seed=4))",
    ),
)
