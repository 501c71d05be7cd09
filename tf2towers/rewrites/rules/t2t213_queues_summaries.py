"""T2T213: how full the queues are."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T213",
    title="what is made with the batches of queues is no summary any more",
    why="""
string_input_producer, shuffle_batch and the like make summaries of how full their queues are
(`shuffle_batch/fraction_over_1000_of_300_full`), which merge_all() wrote with the script's own. The queues have a graph
of their own now, and the script's summaries are all that is written. Where each tower has queues of its own, the
summaries under its scope are written without those of the function that makes its batches (`tf.summary.image('images',
images)` in the tutorial's distorted_inputs). Nothing of the training changes.
""",
    todo="""
Nothing, unless you look at them. They told whether reading was too slow for the training: the time a step takes tells
it, too. Make a summary of the batch in the tower (`tf.summary.image`) to see what it trains on.
""",
    safe=False,
    sources=("tf.compat.v1.train.string_input_producer", "tf.compat.v1.summary.merge_all"),
)
