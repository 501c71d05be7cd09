"""T2T618: what SyncReplicasOptimizer needs to take a step at all, in TF 1 as well."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.program import File
from tf2towers.codemod.rule import Example, Rule

_OPTIMIZERS = frozenset({"tf.train.SyncReplicasOptimizer", "tf.train.SyncReplicasOptimizerV2"})
#: names by which a script starts the chief's queue runner
_STARTERS = frozenset({"get_chief_queue_runner", "make_session_run_hook", "sync_optimizer"})


def notes(file: File) -> None:
    """Notes each such optimizer whose queue runner nothing starts."""
    calls = [call for call in file.all(cst.Call) if file.canonical(call.func) in _OPTIMIZERS]
    if not any(word in other.script.text for other in file.program.files for word in _STARTERS):
        for call in calls:
            message = "neither its chief queue runner nor its hook is started here: workers wait for tokens for ever"
            file.note(call, "T2T618", f"{message}, in TF 1 as well", "note")


RULE = Rule(
    code="T2T618",
    title="What SyncReplicasOptimizer needs to take a step",
    does="reports",
    why="""
    The chief's queue runner, or the hook that starts it, makes the update of SyncReplicasOptimizer and gives out the
    workers' tokens. A script that starts neither hangs in TF 1 and after the migration.
    """,
    todo="Pass `opt.make_session_run_hook(is_chief)` to the session's hooks, or start `opt.get_chief_queue_runner()`.",
    notes=notes,
    sources=("tf.compat.v1.train.SyncReplicasOptimizer",),
    examples=(
        Example(
            "one that nothing starts",
            """
                import tensorflow as tf

                opt = tf.train.GradientDescentOptimizer(0.1)
                opt = tf.train.SyncReplicasOptimizer(opt, 2)
                train = opt.minimize(tf.get_variable('v', []))
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import graph_mode

                graph_mode()

                opt = tf.train.GradientDescentOptimizer(0.1)
                opt = tf.train.SyncReplicasOptimizer(opt, 2)
                train = opt.minimize(tf.get_variable('v', []))
                """,
        ),
    ),
)
