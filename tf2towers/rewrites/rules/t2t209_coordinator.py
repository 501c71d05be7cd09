"""T2T209: one process runs the loops of all workers."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T209",
    title="one process runs the loops of all workers",
    why="""
Asynchronous training in TF2 has one coordinator. The process of worker 0 runs every worker's loop and prints its log
lines, and reads its input; the other workers only compute. Modules' own objects that a loop uses up (a reader made
outside the function) are shared by the loops: each batch goes to one worker.
""",
    sources=("tf.distribute.coordinator.ClusterCoordinator",),
)
