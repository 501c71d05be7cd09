"""T2T618: what SyncReplicasOptimizer needs to take a step at all, in TF 1 as well."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.rule import Example, Rule

_OPTIMIZERS = frozenset({"tf.train.SyncReplicasOptimizer", "tf.train.SyncReplicasOptimizerV2"})
#: names by which a script starts the chief's queue runner
_STARTERS = frozenset({"get_chief_queue_runner", "make_session_run_hook", "sync_optimizer"})


class SyncReplicas(Rule):
    """What SyncReplicasOptimizer needs to take a step

    The chief's queue runner, or the hook that starts it, makes the update of SyncReplicasOptimizer and gives out the
    workers' tokens. A script that starts neither hangs in TF 1 and after the migration.
    """

    does = "reports"
    todo = """
    Pass `opt.make_session_run_hook(is_chief)` to the session's hooks, or start `opt.get_chief_queue_runner()`.
    """
    sources = ("tf.compat.v1.train.SyncReplicasOptimizer",)
    examples = (
        Example(
            "one that nothing starts",
            """
                import tensorflow as tf

                opt = tf.train.GradientDescentOptimizer(0.1)
                opt = tf.train.SyncReplicasOptimizer(opt, 2)
                train = opt.minimize(tf.get_variable('v', []))
                """,
        ),
    )

    def applies(self) -> bool:
        """True if the program never names what starts the queue runner."""
        texts = [each.script.text for each in self.file.program.files]
        return not any(word in text for word in _STARTERS for text in texts)

    def visit_Call(self, node: cst.Call) -> None:
        """Notes each such optimizer."""
        if self.file.canonical(node.func) in _OPTIMIZERS:
            message = "neither its chief queue runner nor its hook is started here: workers wait for tokens for ever"
            self.note(node, f"{message}, in TF 1 as well", "note")
