"""T2T213: how full the queues are."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T213",
    title="how full the queues are is no summary any more",
    why="""
string_input_producer, shuffle_batch and the like make summaries of how full their queues are
(`shuffle_batch/fraction_over_1000_of_300_full`), which merge_all() wrote with the script's own. The queues have a graph
of their own now, and the script's summaries are all that is written. Nothing of the training changes.
""",
    todo="""
Nothing: they told whether reading was too slow for the training. The time a step takes tells it, too.
""",
    safe=False,
    sources=("tf.compat.v1.train.string_input_producer", "tf.compat.v1.summary.merge_all"),
)
