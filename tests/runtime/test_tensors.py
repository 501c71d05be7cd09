"""The class of a tensor and the type of an operation, as in TF 1."""

from types import SimpleNamespace

import numpy as np
import pytest

pytestmark = pytest.mark.tensorflow


def test_a_graphs_tensor_is_of_the_class_tensor():
    import tensorflow as tf

    from tf2towers.runtime import class_of

    with tf.Graph().as_default():
        tensor = tf.compat.v1.placeholder(tf.float32, [])
        variable = tf.compat.v1.get_variable("v", [])
        assert type(tensor) is not tf.Tensor  # the reason for the function
        assert class_of(tensor) is tf.Tensor and class_of(variable.value()) is tf.Tensor
        assert class_of(variable) is not tf.Tensor
    assert class_of(np.zeros(1)) is np.ndarray


def test_operations_of_variables_have_their_types_of_tf1():
    import tensorflow as tf

    from tf2towers.runtime import op_type

    with tf.Graph().as_default() as graph:
        variable = tf.compat.v1.get_variable("v", [2], use_resource=True)
        product = variable * 2.0
        optimizer = tf.compat.v1.train.MomentumOptimizer(0.1, 0.9)
        optimizer.minimize(tf.reduce_sum(product))
        types = {operation.name: op_type(operation) for operation in graph.get_operations()}
    assert [name for name, kind in types.items() if "Variable" in kind] == ["v", "v/Momentum"]
    assert types["v/Assign"] == "Assign" and types[product.op.name] == "Mul"
    assert "ApplyMomentum" in types.values()
    assert op_type(SimpleNamespace(type="VarHandleOp")) == "VarHandleOp"


def test_types_where_the_script_has_resource_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """In TF 1.15, too, the operation of a resource variable is a VarHandleOp."""
    import tensorflow as tf

    from tf2towers.runtime import op_type
    from tf2towers.runtime.graph_session import own_resources

    monkeypatch.setattr(own_resources, "switched_on", True)
    with tf.Graph().as_default():
        variable = tf.compat.v1.get_variable("w", [2], use_resource=True)
        assert op_type(variable.op) == "VarHandleOp"
