"""T2T104: gradients and the update."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T104",
    title="compute_gradients and apply_gradients inside the replica function",
    why="""
compute_gradients becomes tower_gradients: the same symbolic gradients, of this tower. apply_gradients becomes
the runtime's, called once a step: a tf.compat.v1.train optimizer SUMs over the replicas when it applies,
which after a mean would make the update as many times too large as there are towers. The optimizer itself
stays, since Keras's differ from it (momentum after a change of the learning rate, Adam's epsilon).

What stood between averaging and applying, such as clipping, stays there.
""",
    sources=("tf.compat.v1.train.Optimizer", "issues 35333 and 33929"),
)
