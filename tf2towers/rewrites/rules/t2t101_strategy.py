"""T2T101: the strategy and the store of variables."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T101",
    title="towers become the replicas of a MirroredStrategy",
    why="""
TF1 put one tower on each device and shared the variables by get_variable and reuse. TF2 makes each variable
once, under strategy.scope(), with one copy a device, and runs the tower's function on every device.

The devices are those the loop gave to tf.device. Where the machine has fewer GPUs, tower_devices() takes
logical CPU devices and says so, as allow_soft_placement=True did. A VariableStore stands for the graph's
variables: it keeps their TF1 names, so that checkpoints and 'reuse' go on working.
""",
    sources=("tf.distribute.MirroredStrategy", "tf.compat.v1.get_variable", "issues 35226 and 36392"),
)
