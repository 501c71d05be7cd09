"""Ops without a float64 kernel whose rounding matters, written as formulas of ops with such a kernel.

`tf.layers.batch_normalization` of images is a FusedBatchNorm. Before it, the true gradient of a bias is 0, and any
computed one is only rounding. A formula takes float64 tensors, and returns the op's first outputs.
"""

from typing import Any, Callable, Dict, List, Optional, Tuple

from .types import FLOAT, WIDE, enum

Formula = Callable[[Any, Any, List[Any]], List[Any]]


def formula_of(op: Any) -> Optional[Formula]:
    """The formula for an op; None where there is none."""
    attributes = op.node_def.attr
    if attributes["T"].type != FLOAT:
        return None
    if op.type.startswith("FusedBatchNorm"):
        if attributes["data_format"].s not in (b"NHWC", b"NCHW"):
            return None
        if "exponential_avg_factor" in attributes and attributes["exponential_avg_factor"].f != 1.0:
            return None
    return FORMULAS.get(op.type)


def as_graph_def(tf: Any, op: Any, formula: Formula) -> Tuple[Any, List[str]]:
    """A formula as a GraphDef with placeholders 'input_0', 'input_1', .. as inputs; and the names of its outputs."""
    graph = tf.Graph()
    with graph.as_default():
        inputs = [
            tf.placeholder(
                tf.float64 if enum(tensor.dtype) in WIDE else tensor.dtype,
                tensor.shape,
                name="input_%d" % place,
            )
            for place, tensor in enumerate(op.inputs)
        ]
        outputs = [tf.identity(tensor) for tensor in formula(tf, op, inputs)]
    return graph.as_graph_def(), [tensor.name for tensor in outputs]


def _batch_norm(tf: Any, op: Any, inputs: List[Any]) -> List[Any]:
    """Returns y, mean, variance (times n / (n - 1)), and the two outputs that the gradient op takes."""
    x, scale, offset, mean, variance = inputs
    axes, spread = _layout(tf, op)
    unbiased = variance
    if op.node_def.attr["is_training"].b:
        mean, variance = _moments(tf, x, axes, spread)
        count = _count(tf, x, axes)
        unbiased = variance * (count / tf.maximum(count - 1.0, 1.0))
    normal = (x - spread(mean)) * spread(tf.rsqrt(variance + op.node_def.attr["epsilon"].f))
    return [normal * spread(scale) + spread(offset), mean, unbiased, mean, variance]


def _batch_norm_gradient(tf: Any, op: Any, inputs: List[Any]) -> List[Any]:
    """Returns the gradients of x, scale and offset."""
    dy, x, scale, mean, variance = inputs[:5]
    offset = tf.zeros_like(scale)
    outputs = _batch_norm(tf, op, [x, scale, offset, mean, variance])
    return list(tf.gradients(outputs[0], [x, scale, offset], dy))


def _layout(tf: Any, op: Any) -> Tuple[List[int], Callable[[Any], Any]]:
    """The axes to average over, and a function that reshapes a vector over channels to broadcast over an image."""
    if op.node_def.attr["data_format"].s == b"NHWC":
        return [0, 1, 2], lambda vector: vector
    return [0, 2, 3], lambda vector: tf.reshape(vector, [1, -1, 1, 1])


def _moments(tf: Any, x: Any, axes: List[int], spread: Callable[[Any], Any]) -> Tuple[Any, Any]:
    mean = tf.reduce_mean(x, axes)
    return mean, tf.reduce_mean(tf.square(x - spread(mean)), axes)


def _count(tf: Any, x: Any, axes: List[int]) -> Any:
    return tf.cast(tf.reduce_prod(tf.gather(tf.shape(x), axes)), x.dtype)


def _response_norm(tf: Any, op: Any, inputs: List[Any]) -> List[Any]:
    """`tf.nn.lrn`: x / (bias + alpha * sum of x ** 2 over the neighbouring channels) ** beta."""
    (x,) = inputs
    return [x * tf.pow(_norm(tf, op, x), -op.node_def.attr["beta"].f)]


def _response_norm_gradient(tf: Any, op: Any, inputs: List[Any]) -> List[Any]:
    dy, x, _ = inputs
    return list(tf.gradients(_response_norm(tf, op, [x]), [x], dy))


def _norm(tf: Any, op: Any, x: Any) -> Any:
    attributes = op.node_def.attr
    return attributes["bias"].f + attributes["alpha"].f * _neighbours(tf, op, tf.square(x))


def _neighbours(tf: Any, op: Any, x: Any) -> Any:
    """Sums over the channels that are at most `depth_radius` apart."""
    radius, channels = op.node_def.attr["depth_radius"].i, tf.shape(x)[-1]
    band = tf.matrix_band_part(tf.ones([channels, channels], x.dtype), radius, radius)
    return tf.reshape(tf.matmul(tf.reshape(x, [-1, channels]), band), tf.shape(x))


FORMULAS: Dict[str, Formula] = {"LRN": _response_norm, "LRNGrad": _response_norm_gradient}
for _version in ("", "V2", "V3"):
    FORMULAS["FusedBatchNorm" + _version] = _batch_norm
    FORMULAS["FusedBatchNormGrad" + _version] = _batch_norm_gradient
