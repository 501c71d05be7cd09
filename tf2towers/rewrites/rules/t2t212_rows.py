"""T2T212: gradients of rows, averaged by synchronous workers."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T212",
    title="gradients of rows, averaged by synchronous workers",
    why="""
What looks up rows of a variable (tf.nn.embedding_lookup, tf.gather) has a gradient for these rows alone. SyncReplicas-
Optimizer averaged each row over the workers that had it in their batch. Here the gradients are averaged densely: a row
that one of four workers had gets a quarter of that worker's gradient, and optimizers with slots move those of all rows.
With the same rows in every batch nothing changes; else rare rows learn more slowly. A larger learning rate for these
variables, or a sum in place of the mean, is a way to make up for it.
""",
    sources=("tf.compat.v1.SparseConditionalAccumulator.take_indexed_slices_grad", "docs/semantics.md"),
)
