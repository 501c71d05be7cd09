"""Calls that switch how TensorFlow behaves."""

#: Calls that `graph_mode` stands for.
SWITCHES = frozenset(
    {
        "tf.disable_v2_behavior", "tf.disable_eager_execution", "tf.disable_v2_tensorshape",
        "tf.disable_tensor_equality", "tf.disable_resource_variables", "tf.enable_resource_variables",
        "tf.disable_control_flow_v2", "tf.enable_control_flow_v2",
    }
)  # fmt: skip
