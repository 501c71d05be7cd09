"""T2T117: what a worker did behind its graph becomes a function of its index."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T117",
    title="what a worker did behind its graph becomes a function of its index",
    why="""
In TF1 every worker's process ran its own loop. Asynchronous, the coordinator runs all of them, a thread a worker, and
each step is scheduled on a worker; synchronous, every process runs its own. So the session's part of the script becomes
a function of the task's index, and what belongs to one worker alone (its reader, its hooks, what depends on the index)
is made in it.
""",
    sources=("tf.distribute.coordinator.ClusterCoordinator.schedule",),
)
