"""T2T642: an optimizer, a schedule or a moving average that is given something computed in the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import Building
from tf2towers.certain.rule import Doubt, Rule
from tf2towers.exact.file import File
from tf2towers.names.meanings import Assigned, Opaque
from tf2towers.names.old_names import todays_name

_SCHEDULES = frozenset(
    f"tf.train.{name}"
    for name in (
        "cosine_decay", "exponential_decay", "inverse_time_decay", "natural_exp_decay", "piecewise_constant",
        "polynomial_decay",
    )
)  # fmt: skip
#: whose rate is no function, even in TF 2
_OF_ONE_RATE = frozenset(
    f"tf.train.{name}Optimizer" for name in ("Ftrl", "ProximalAdagrad", "ProximalGradientDescent")
)
_VARIABLES = frozenset(
    {"tf.Variable", "tf.get_variable", "tf.train.get_global_step", "tf.train.get_or_create_global_step"}
)
_AVERAGE = "tf.train.ExponentialMovingAverage"
#: is given an optimizer, and no rate
_SYNCHRONOUS = "tf.train.SyncReplicasOptimizer"


def doubts(building: Building) -> Iterator[Doubt]:
    """The arguments of what is made once and read at every step."""
    for file in building.files:
        for call in file.all(ast.Call):
            made = todays_name(file.canonical(call.func) or "")
            is_optimizer = (
                made.startswith("tf.train.") and made.endswith("Optimizer") and made != _SYNCHRONOUS
            )
            if not is_optimizer and made not in _SCHEDULES and made != _AVERAGE:
                continue
            for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
                known: frozenset[str] = _VARIABLES
                if is_optimizer and argument is _rate_of(call) and made not in _OF_ONE_RATE:
                    known = _VARIABLES | _SCHEDULES | {"tf.placeholder"}
                if not _is_certain(file, argument, known):
                    yield Doubt(file, argument, f"`{file.text.of(argument)}` is computed once for {made}")


def _rate_of(call: ast.Call) -> ast.expr | None:
    """The learning rate that an optimizer is given."""
    named = [keyword.value for keyword in call.keywords if keyword.arg == "learning_rate"]
    return named[0] if named else call.args[0] if call.args else None


def _is_certain(file: File, argument: ast.expr, known: frozenset[str]) -> bool:
    """Whether an argument has nothing of TensorFlow in it, or is, as a whole, one of the things known."""
    if isinstance(argument, ast.Call) and file.canonical(argument.func) in known - {"tf.placeholder"}:
        return True
    if isinstance(argument, ast.Name):
        values = list(_values(file, argument))
        if any(isinstance(value, ast.AugAssign) for value in values):
            known = frozenset()
        return all(
            (isinstance(value, ast.Call) and file.canonical(value.func) in known)
            or _is_plain(file, value, frozenset())
            for value in values
        )
    return _is_plain(file, argument, frozenset())


def _is_plain(file: File, node: ast.AST | None, seen: frozenset[str]) -> bool:
    """Whether an expression has no symbol of TensorFlow that computes, and no name that stands for one."""
    if node is None:
        return False
    for symbol, canonical in file.symbols:
        if not canonical.startswith(_PLAIN) and any(part is symbol for part in ast.walk(node)):
            return False
    for name in ast.walk(node):
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load) and name.id not in seen:
            values = _values(file, name)
            if not all(_is_plain(file, value, seen | {name.id}) for value in values):
                return False
    return True


#: what gives Python's own values, or names of types
_PLAIN = (
    "tf.app.", "tf.flags.", "tf.float", "tf.int", "tf.uint", "tf.bool", "tf.string", "tf.AUTO_REUSE",
    "tf.GraphKeys.", "tf.examples.", "tf.gfile.",
)  # fmt: skip


def _values(file: File, name: ast.Name) -> Iterator[ast.AST | None]:
    """What a name is bound to: a value, what a loop goes over, a statement; None where it is not seen.

    Parameters are left out: no caller has anything of the graph to give (T2T641).
    """
    for binding in file.meanings.bindings(name):
        if isinstance(binding, Assigned):
            yield binding.value
        elif isinstance(binding, Opaque) and not isinstance(binding.node, ast.arg):
            statement = file.statement(binding.node)
            if isinstance(statement, ast.For):
                yield statement.iter
            else:
                yield statement if not hasattr(statement, "body") else None


RULE = Rule(
    code="T2T642",
    title="A learning rate, or a schedule's argument, that is computed in the graph",
    why="""
    In idiomatic form an optimizer, a schedule and a moving average are made once, before any step: what they are
    given is computed once. A number, a variable, a schedule or a placeholder keeps its meaning as it is. A rate that
    TensorFlow computes from one (a schedule with a lowest value, a share of what is fed) would be the first step's
    for ever, or an error.
    """,
    todo="Nothing: the exact form computes it at every step. For idiomatic form, give the optimizer the schedule.",
    doubts=doubts,
    doubtful=(
        "before: count = tf.train.get_or_create_global_step(); lr = tf.train.exponential_decay(0.1, count, 2, 0.5); "
        "other = tf.train.FtrlOptimizer(lr)",
        "before: count = tf.train.get_or_create_global_step(); lr = tf.train.exponential_decay(0.1, count, 2, 0.5); "
        "other = tf.train.GradientDescentOptimizer(tf.maximum(lr, 0.01))",
        "before: count = tf.train.get_or_create_global_step(); lr = tf.train.exponential_decay(0.1, count, 2, 0.5); "
        "lr = tf.maximum(lr, 0.01); other = tf.train.GradientDescentOptimizer(lr)",
        "before: count = tf.train.get_or_create_global_step(); lr = tf.train.exponential_decay(0.1, count, 2, 0.5); "
        "other = tf.train.GradientDescentOptimizer(0.5 * lr)",
        "before: count = tf.train.get_or_create_global_step(); lr = tf.train.exponential_decay(0.1, count, 2, 0.5); "
        "lr *= 0.5; other = tf.train.GradientDescentOptimizer(lr)",
        "before: count = tf.train.get_or_create_global_step(); "
        "other = tf.train.GradientDescentOptimizer(0.1 / (tf.cast(count, tf.float32) + 1.0))",
        "before: count = tf.train.get_or_create_global_step(); "
        "other = tf.train.GradientDescentOptimizer(tf.train.exponential_decay(0.1, count * 2, 2, 0.5))",
        "before: rate = tf.placeholder(tf.float32, []); other = tf.train.GradientDescentOptimizer(rate * 0.5)",
    ),
    certain=(
        "before: RATE = 0.1; other = tf.train.GradientDescentOptimizer(RATE * N)",
        "before: count = tf.train.get_or_create_global_step(); lr = tf.train.exponential_decay(0.1, count, 2, 0.5); "
        "other = tf.train.MomentumOptimizer(lr, 0.9)",
        "before: rate = tf.placeholder(tf.float32, []); other = tf.train.GradientDescentOptimizer(rate)",
    ),
)
