"""T2T207: towers with parts of different sizes."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T207",
    title="the mean over towers of different sizes counts small parts more",
    why="""
The towers take parts of different sizes, and their mean losses and gradients count alike, whatever their
size: an image of a small part weighs more than one of a large part. The migrated program does the same, bit
for bit.
""",
    todo="""
Where every image was to count alike, weight each tower's loss by its share of the batch.
""",
    sources=("tf.split", "issues 36153 and 61231"),
)
