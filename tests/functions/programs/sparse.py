"""Sparse tensors."""

import numpy as np
import tensorflow as tf
from cases import case, cases, normal


def sparse():
    return tf.SparseTensor([[0, 1], [1, 0], [2, 2]], normal(3), [3, 4])


@case
def parts():
    tensor = tf.SparseTensor(indices=[[0, 1]], values=normal(1), dense_shape=[2, 3])
    slices = tf.IndexedSlices(normal(3, 2), tf.constant([0, 1, 2]), tf.constant([4, 2]))
    return [
        tensor,
        tensor.indices,
        tensor.values,
        tensor.dense_shape,
        str(tensor.get_shape()),
        str(tensor.shape),
        tensor.dtype.name,
        tensor.op.type,
        slices,
        tf.convert_to_tensor(slices),
        tf.sparse_mask(slices, [1]),
        slices.dense_shape,
        tf.shape(tensor),
        tf.size(tensor),
        tf.cast(tensor, tf.int32),
        tf.square(tensor),
        tf.convert_to_tensor_or_sparse_tensor(tensor),
        tf.convert_to_tensor_or_indexed_slices(slices),
        tf.negative(tensor),
        tf.scalar_mul(2.0, slices),
        tf.SparseTensorValue(np.array([[0, 1]]), np.array([1.0]), np.array([2, 3])).indices.tolist(),
    ]


TABLE = {
    "dense_and_sparse": lambda: [
        tf.sparse_tensor_to_dense(sparse()),
        tf.sparse_tensor_to_dense(sparse(), default_value=-1.0),
        tf.sparse_to_dense([[0, 1], [2, 0]], [3, 2], [1.0, 2.0]),
        tf.sparse_to_dense([1, 2], [4], 1.0, default_value=0.5),
        tf.sparse_to_dense(
            sparse_indices=[2, 1], output_shape=[4], sparse_values=1.0, validate_indices=False
        ),
        tf.sparse_tensor_dense_matmul(sparse(), normal(4, 2)),
        tf.sparse_tensor_dense_matmul(sparse(), normal(3, 2), adjoint_a=True),
        tf.sparse.matmul(sparse(), normal(4, 2)),
        tf.sparse_reduce_sum(sparse(), 1),
        tf.sparse_reduce_sum(sparse(), axis=0, keep_dims=True),
        tf.sparse_reduce_sum(sp_input=sparse(), reduction_axes=[1]),
        tf.sparse_reduce_sum_sparse(sparse(), 1),
        tf.sparse_reduce_max(sparse()),
        tf.sparse_reduce_max_sparse(sparse(), 0),
        tf.sparse_to_indicator(tf.SparseTensor([[0, 0]], tf.constant([1], tf.int64), [1, 1]), 3),
    ],
    "changed": lambda: [
        tf.sparse_add(sparse(), sparse()),
        tf.sparse_add(sparse(), sparse(), thresh=0.5),
        tf.sparse_add(sparse(), normal(3, 4)),
        tf.sparse_concat(1, [sparse(), sparse()]),
        tf.sparse_concat(axis=0, sp_inputs=[sparse(), sparse()]),
        tf.sparse_concat(0, [sparse(), sparse()], expand_nonconcat_dim=True),
        tf.sparse_retain(sparse(), [True, False, True]),
        tf.sparse_slice(sparse(), [0, 0], [2, 3]),
        tf.sparse_transpose(sparse()),
        tf.sparse_transpose(sparse(), [1, 0]),
        tf.sparse_reshape(sparse(), [4, 3]),
        tf.sparse_softmax(sparse()),
        tf.sparse_maximum(sparse(), sparse()),
        tf.sparse_minimum(sparse(), sparse()),
        tf.sparse_fill_empty_rows(sparse(), 0.0),
        tf.sparse_split(sp_input=sparse(), num_split=2, axis=1),
        tf.sparse_reorder(tf.SparseTensor([[1, 0], [0, 1]], tf.constant([1.0, 2.0]), [2, 2])),
        tf.sparse_reset_shape(sparse()),
        tf.sparse_reset_shape(sparse(), [4, 5]),
        tf.sparse_merge(
            tf.SparseTensor([[0, 0]], tf.constant([1], tf.int64), [1, 1]),
            tf.SparseTensor([[0, 0]], [2.0], [1, 1]),
            3,
        ),
        tf.sparse.expand_dims(sparse(), 0),
        tf.sparse.eye(2, 3),
        tf.sparse.cross([tf.constant([["a"]]), tf.constant([["b"]])]),
        tf.sparse.cross_hashed([tf.constant([["a"]]), tf.constant([["b"]])], num_buckets=7),
        sparse() * 2.0,
        sparse() / 2.0,
        sparse() * normal(3, 4),
    ],
    "serialized": lambda: [
        tf.deserialize_many_sparse(tf.serialize_many_sparse(sparse()), tf.float32),
        tf.shape(tf.serialize_sparse(sparse())),
        tf.sparse_placeholder(tf.float32, [2, 3]).values.dtype.name,
        tf.sparse_placeholder(tf.float32, name="named").indices.name,
        str(tf.sparse_placeholder(tf.float32, [None, 3]).get_shape()),
    ],
}
cases(__name__, TABLE)
