"""`tf.contrib.gan.features`: a tensor that depends on classes (van den Oord et al. 2016)."""

from typing import Any

import tensorflow as tf
from tf_slim.layers import layers

v1 = tf.compat.v1


def condition_tensor(tensor: Any, conditioning: Any) -> tf.Tensor:
    """The tensor [batch, ...] with a linear map of `conditioning` added; of known shape."""
    tensor.shape[1:].assert_is_fully_defined()
    added = layers.linear(layers.flatten(conditioning), tensor.shape[1:].num_elements())
    if not added.shape.is_compatible_with(tensor.shape):
        added = tf.reshape(added, [tensor.shape.as_list()[0] or tf.shape(tensor)[0], *tensor.shape[1:]])
    return tensor + added


def condition_tensor_from_onehot(tensor: Any, one_hot_labels: Any, embedding_size: int = 256) -> tf.Tensor:
    """The tensor with a linear map of the embeddings of classes, [batch, classes], added."""
    one_hot_labels.shape.assert_has_rank(2)
    classes = one_hot_labels.shape.as_list()[1]
    if classes is None:
        raise ValueError(f"the number of classes has to be known: {one_hot_labels}")
    embedding = v1.get_variable("embedding", [classes, embedding_size])
    return condition_tensor(tensor, v1.nn.embedding_lookup(embedding, tf.argmax(one_hot_labels, 1)))
