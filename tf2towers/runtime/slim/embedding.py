"""Rows of a table in place of symbols (`tf.contrib.layers.embed_sequence`)."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.autograph import unconverted
from tf2towers.runtime.slim.variables import model_variable

v1 = tf.compat.v1


@unconverted
def embed_sequence(
    ids: tf.Tensor,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> tf.Tensor:
    """`tf.contrib.layers.embed_sequence`: integer (batch, length) -> (batch, length, embed_dim); `embeddings`.

    Raises:
        ValueError: the sizes are missing and the table is not a reused one.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            "Must specify vocab size and embedding dimension when not reusing. "
            f"Got vocab_size={vocab_size} and embed_dim={embed_dim}"
        )
    with v1.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        embeddings = model_variable(
            "embeddings",
            shape=None if embed_dim is None or (reuse and vocab_size is None) else [vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        if not unique:
            return v1.nn.embedding_lookup(embeddings, ids)
        with v1.name_scope(None, "EmbeddingLookupUnique", [ids]):
            ids = tf.convert_to_tensor(ids)
            different, places = tf.unique(tf.reshape(ids, [-1]))
            rows = tf.gather(v1.nn.embedding_lookup(embeddings, different), places)
            outputs = tf.reshape(rows, tf.concat([tf.shape(ids), tf.shape(rows)[1:]], 0))
            outputs.set_shape(ids.shape.concatenate(rows.shape[1:]))
            return outputs
