"""What TensorFlow 1 had and 2 has lost: ways to tf_keras and tf_slim, and our own.

Each module is imported when a script asks for it. The summaries of TF 0.x, and the staging areas of
contrib, are still in TensorFlow's private modules, as they were.
"""

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.patches.private import private

#: name -> where TensorFlow keeps it
_PRIVATE = {
    "StagingArea": "ops.data_flow_ops.StagingArea",
    "audio_summary": "ops.logging_ops.audio_summary",
    "histogram_summary": "ops.logging_ops.histogram_summary",
    "image_summary": "ops.logging_ops.image_summary",
    "scalar_summary": "ops.logging_ops.scalar_summary",
}

#: settings of `tf.contrib.tfprof.model_analyzer`: trainable variables' sizes, and floating point
#: operations
TRAINABLE_VARS_PARAMS_STAT_OPTIONS = (
    tf.compat.v1.profiler.ProfileOptionBuilder.trainable_variables_parameter()
)
FLOAT_OPS_OPTIONS = tf.compat.v1.profiler.ProfileOptionBuilder.float_operation()

#: `tf.logging._logger` of TF 1.12 and older
logger = tf.get_logger()


class ModeKeys:
    """What a model is built for; 'infer' has two names, of contrib.learn and of estimator."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"
    PREDICT = "infer"


class LinearOperatorTriL(tf.linalg.LinearOperatorLowerTriangular):
    """The operator of a lower triangular matrix, as TF 1.3 called it, with its product."""

    def apply(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "apply") -> Any:
        """Returns the product with a matrix."""
        return self.matmul(x, adjoint, adjoint_arg, name)


def batch_and_drop_remainder(batch_size: Any) -> Callable[[tf.data.Dataset], tf.data.Dataset]:
    """Batches of that size, for `dataset.apply(...)`; what is left at the end is dropped."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(batch_size: Any, padded_shapes: Any, padding_values: Any = None) -> Any:
    """The same, of elements that are padded as by `dataset.padded_batch`."""
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, True)


def sloppy_interleave(map_func: Callable[..., Any], cycle_length: int, block_length: int = 1) -> Any:
    """For `dataset.apply(...)`: interleaves what a function makes of the elements, as soon as it is ready."""
    return tf.data.experimental.parallel_interleave(
        map_func,
        cycle_length,
        block_length,
        sloppy=True,
        buffer_output_elements=None,
        prefetch_input_elements=0,
    )


def __getattr__(name: str) -> Any:
    """Returns what TensorFlow keeps in a private module."""
    if name not in _PRIVATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return private(_PRIVATE[name], name)
