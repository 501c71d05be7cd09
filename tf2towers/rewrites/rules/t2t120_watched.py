"""T2T120: tensors that hooks log or check."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T120",
    title="tensors that hooks log or check",
    why="""
LoggingTensorHook, NanTensorHook and hooks of the script's own fetched tensors of the graph in the session calls of the
training. The step hands them out by name instead, `watch(loss=loss)`, and the hook asks by that name, as it could ask
TF1 for a tensor by name.
""",
    sources=("tf.compat.v1.train.LoggingTensorHook", "tf.compat.v1.train.NanTensorHook"),
)
