"""Embeddings of half precision, looked up by sparse ids: sums in whole precision, as TensorFlow 1.15 had them."""

from __future__ import annotations

from functools import wraps
from typing import Any

import tensorflow as tf
from tensorflow.python.ops import embedding_ops


def sums_of_half_embeddings_are_float32() -> None:
    """Lets `tf.nn.embedding_lookup_sparse` of float16 or bfloat16 give float32, as in TF1.

    There the rows were cast and combined in that; TF 2 rounds what comes of it, or adds up in half precision.
    """
    plain = embedding_ops.embedding_lookup_sparse_impl
    if hasattr(plain, "__wrapped__"):
        return

    @wraps(plain)
    def of_float32(
        params: Any,
        segment_ids: Any,
        sp_weights: Any,
        ids: Any,
        combiner: str,
        ignore_weights: bool,
        max_norm: float | None,
        allow_fast_lookup: bool,
        partition_strategy: str,
        name: str | None,
    ) -> Any:
        if tf.as_dtype(getattr(params[0], "dtype", tf.float32)) in (tf.float16, tf.bfloat16):
            ids, places = tf.unique(ids)
            rows = tf.compat.v1.nn.embedding_lookup(params, ids, partition_strategy, max_norm=max_norm)
            params, ids, max_norm = [tf.cast(rows, tf.float32)], places, None
        given = segment_ids, sp_weights, ids, combiner, ignore_weights, max_norm
        return plain(params, *given, allow_fast_lookup, partition_strategy, name)

    embedding_ops.embedding_lookup_sparse_impl = of_float32
