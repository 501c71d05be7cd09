"""T2T113: savers and summary writers."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T113",
    title="savers, summary writers and moving averages from the runtime",
    why="""
tf.train.Saver saved the graph's variables through a session. The runtime's Saver writes and reads the same
files under the same TF1 names, optimizer slots included, from the VariableStore. FileWriter takes the
serialised summaries that the steps return. ExponentialMovingAverage keeps its shadow variables where TF1 had
them; TF's own would average over the replicas first.
""",
    sources=(
        "tf.compat.v1.train.Saver",
        "tf.compat.v1.train.ExponentialMovingAverage",
        "issues 26353 and 38997",
    ),
)
