"""T2T505: workers that do not do the same."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T505",
    title="workers that do not do the same",
    why="""
Asynchronous, the chief's loop may build steps of its own; variables that differ from worker to worker have no
counterpart. Synchronous workers that run different steps would wait for one another for ever.
""",
    todo="""
Take the task's index out of the graph: let every worker run the same training step. Give a function that is called for
every worker the index as an argument.
""",
    sources=("tf.distribute.MultiWorkerMirroredStrategy",),
)
