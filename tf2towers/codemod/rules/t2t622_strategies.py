"""T2T622: a distribution strategy of the script's own."""

from __future__ import annotations

from tf2towers.codemod.rule import Example, Rule

RULE = Rule(
    code="T2T622",
    title="A distribution strategy of the script's own",
    does="refuses",
    why="""
    tf.distribute and tf.contrib.distribute in a TF1 graph have semantics of their own (scopes, per-replica values,
    scaled gradients), which the runtime's sessions do not have.
    """,
    todo="Migrate this script by hand: it has a strategy already, and needs no towers.",
    examples=(
        Example(
            "a strategy's scope",
            "import tensorflow as tf\n\nstrategy = tf.distribute.MirroredStrategy()\nwith strategy.scope():\n"
            "    v = tf.get_variable('v', [])\n",
            left=True,
        ),
    ),
)
