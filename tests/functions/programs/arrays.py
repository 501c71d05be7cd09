"""Shapes, slices, sequences, types."""

import numpy as np
import tensorflow as tf
from cases import case, fed, integers, normal


@case
def types():
    return [
        tf.to_float(integers(9, 4)),
        tf.to_double(integers(9, 4)),
        tf.to_int32(normal(4) * 5),
        tf.to_int64(normal(4) * 5),
        tf.to_complex64(normal(2)),
        tf.cast(uniform_bytes(), tf.uint8),
        tf.cast(normal(4), tf.bool),
        tf.saturate_cast(normal(4) * 300, tf.uint8),
        tf.cast(normal(4) * 5, dtype=tf.int8),
        tf.bitcast(normal(4), tf.int32),
        tf.convert_to_tensor([1, 2], preferred_dtype=tf.float32),
        tf.convert_to_tensor(np.array([1.0, 2.0])),
        tf.constant(5.0, shape=[2, 2], verify_shape=False),
        tf.constant([1, 2, 3], shape=[5]),
        tf.constant([[1, 2], [3, 4]], dtype=tf.float16),
        [
            tf.as_dtype("float32").name,
            tf.float32.as_numpy_dtype.__name__,
            tf.float32.is_floating,
            tf.int8.max,
        ],
    ]


def uniform_bytes():
    return tf.constant([0.4, 100.6, 255.0])


@case
def selected():
    values, rows = normal(3, 4), tf.constant([True, False, True])
    return [
        tf.where(values > 0, values, -values),
        tf.where(values > 0),
        tf.where(rows, values, -values),
        tf.where([True, False, True], x=values, y=tf.zeros_like(values)),
        tf.where_v2(values > 0, values, 0.0),
        tf.boolean_mask(values, [True, False, True]),
        tf.boolean_mask(values, values > 0),
        tf.boolean_mask(values, [True, False, True, False], axis=1),
        tf.gather(values, [2, 0]),
        tf.gather(values, [1, 2], axis=1),
        tf.gather(values, tf.constant([[1], [2]]), validate_indices=True, name="named"),
        tf.gather(normal(2, 3, 4), [[0, 1], [2, 2]], axis=1, batch_dims=1),
        tf.gather_nd(values, [[0, 1], [2, 2]]),
        tf.gather_nd(normal(2, 3), [[1], [0]], batch_dims=1),
        tf.batch_gather(values, [[0, 1], [1, 2], [3, 0]]),
        tf.scatter_nd([[1], [3]], [5.0, 6.0], [5]),
        tf.scatter_nd(tf.constant([[1], [1]]), normal(2, 2), tf.constant([3, 2])),
        tf.tensor_scatter_update(values, [[0, 1]], [9.0]),
        tf.tensor_scatter_add(values, [[0, 1], [0, 1]], [9.0, 1.0]),
        tf.tensor_scatter_sub(values, [[0]], [[1.0, 1.0, 1.0, 1.0]]),
        tf.dynamic_partition(normal(5), [0, 1, 0, 1, 1], 2),
        tf.dynamic_stitch([[0, 2], [1, 3]], [[1.0, 2.0], [3.0, 4.0]]),
        tf.parallel_stack([values]),
        tf.contrib.framework.sort(values),
        tf.sort(values, axis=0, direction="DESCENDING"),
        tf.argsort(values, stable=True),
    ]


@case
def shapes():
    values = normal(3, 4)
    return [
        tf.shape(values),
        tf.shape(values, out_type=tf.int64),
        tf.shape_n([values, values]),
        tf.size(values),
        tf.size(values, out_type=tf.int64),
        tf.rank(values),
        tf.expand_dims(values, dim=1),
        tf.expand_dims(values, -1),
        tf.squeeze(normal(1, 3, 1), squeeze_dims=[0]),
        tf.squeeze(normal(1, 3, 1)),
        tf.squeeze(normal(1, 3, 1), axis=-1),
        tf.reshape(values, [-1, 2]),
        tf.tile(values, [1, 2]),
        tf.transpose(values, perm=[1, 0]),
        tf.transpose(normal(2, 3, 4)),
        tf.matrix_transpose(values),
        tf.broadcast_to([1.0, 2.0], [3, 2]),
        tf.broadcast_dynamic_shape(tf.constant([3, 1]), tf.constant([1, 4])),
        str(tf.broadcast_static_shape(tf.TensorShape([3, 1]), tf.TensorShape([1, 4]))),
        tf.roll(values, 1, 0),
        tf.roll(values, [1, -1], [0, 1]),
        tf.reverse(values, [1]),
        tf.reverse_v2(values, axis=[0]),
        tf.reverse_sequence(values, [2, 1, 3], seq_dim=1),
        tf.reverse_sequence(values, [2, 1, 3], seq_axis=1, batch_axis=0),
        tf.ensure_shape(values, [3, None]),
        tf.identity(values),
        tf.identity_n([values, values]),
        tf.contrib.layers.flatten(normal(2, 3, 4)),
    ]


@case
def joined():
    values = normal(3, 4)
    return [
        tf.stack([values, values], 1),
        tf.parallel_stack([values, values]),
        tf.concat([values, values], 1),
        tf.concat(values=[values, values], axis=0),
        tf.concat([values], 0),
        tf.meshgrid([1, 2], [3, 4, 5]),
        tf.meshgrid([1, 2], [3, 4, 5], indexing="ij"),
        tf.pad(values, [[1, 1], [0, 2]]),
        tf.pad(values, [[1, 1], [1, 1]], "REFLECT"),
        tf.pad(values, [[1, 1], [0, 2]], constant_values=3.0),
        tf.pad(values, paddings=[[1, 1], [1, 1]], mode="symmetric"),
        tf.pad(values, [[1, 1], [1, 1]], "CONSTANT", "named", 2),
        tf.split(values, 2, 1),
        tf.split(values, [1, 3], axis=1),
        tf.split(values, [1, -1], axis=1),
        tf.split(value=values, num_or_size_splits=4, axis=1),
        tf.unstack(values),
        tf.unstack(values, axis=1),
        tf.unstack(values, num=4, axis=-1),
    ]


@case
def sliced():
    values, two = normal(3, 4), tf.constant(2)
    return [
        tf.slice(values, [0, 1], [2, -1]),
        tf.strided_slice(values, [0, 1], [2, 4], [1, 2]),
        tf.strided_slice(values, [0, 1], [1, 4], begin_mask=1, shrink_axis_mask=0, end_mask=2),
        values[1:, ::2],
        values[..., tf.newaxis],
        values[-1],
        values[:, ::-1],
        values[tf.constant(1)],
        values[1:two],
        values[:, tf.newaxis, -1],
        values[tf.constant(1), two:],
        values[values > 0],
        fed(np.ones([3, 4], np.float32), [None, 4])[:2, 1],
    ]


@case
def sequences():
    return [
        tf.range(5),
        tf.range(1.0, 3.0, 0.5),
        tf.range(tf.constant(3), limit=tf.constant(9), delta=2),
        tf.range(5, dtype=tf.float32),
        tf.linspace(0.0, 1.0, 5),
        tf.lin_space(0.0, 1.0, 5),
        tf.lin_space(start=tf.constant(0.0), stop=2.0, num=3),
        tf.sequence_mask([1, 3, 2]),
        tf.sequence_mask([1, 3, 2], 4, tf.float32),
        tf.sequence_mask(tf.constant([[1, 2]]), maxlen=tf.constant(3)),
        tf.one_hot([0, 2, -1], 3),
        tf.one_hot([0, 2], 3, on_value=5.0, off_value=-1.0, axis=0),
        tf.one_hot([1], 3, dtype=tf.int32),
        tf.one_hot([1], 3, True, False),
        tf.eye(3),
        tf.eye(2, 3, batch_shape=[2]),
        tf.fill([2], 7),
        tf.zeros([2], tf.int64),
        tf.zeros([2], tf.string),
        tf.ones_like([1, 2]),
        tf.ones([2], tf.bool),
        tf.zeros_like(normal(3, 4), optimize=False),
        tf.zeros_like(normal(3), dtype=tf.int32),
        tf.invert_permutation([1, 0, 2]),
    ]


@case
def diagonals():
    return [
        tf.diag([1.0, 2.0]),
        tf.diag_part([[1.0, 2.0], [3.0, 4.0]]),
        tf.matrix_diag([[1.0, 2.0]]),
        tf.matrix_diag_part(normal(3, 4)),
        tf.matrix_set_diag(normal(3, 3), [1.0, 2.0, 3.0]),
        tf.matrix_set_diag(normal(3, 3), diagonal=[1.0, 2.0, 5.0]),
        tf.matrix_band_part(normal(4, 4), 1, 0),
        tf.linalg.band_part(normal(4, 4), num_lower=-1, num_upper=0),
        tf.linalg.tensor_diag([1.0, 2.0]),
        tf.linalg.tensor_diag_part(normal(2, 2)),
        tf.trace(normal(3, 3)),
        tf.linalg.diag_part(normal(2, 3, 3)),
    ]


@case
def sets():
    return [
        tf.setdiff1d([1, 2, 3, 4], [2, 4]),
        tf.unique([3, 1, 3]),
        tf.unique([3, 1, 3], out_idx=tf.int64),
        tf.unique_with_counts([3, 1, 3]),
        tf.histogram_fixed_width([0.0, 0.5, 1.2], [0.0, 1.0], 4),
        tf.histogram_fixed_width_bins([0.0, 0.5, 1.2], [0.0, 1.0], 4),
        tf.bincount([1, 1, 2]),
        tf.bincount(tf.constant([1, 1, 2]), weights=tf.constant([0.5, 1.0, 2.0]), minlength=5, maxlength=6),
        tf.searchsorted([1, 3, 5], [2, 4]),
        tf.searchsorted([1, 3, 5], [1, 5], side="right"),
        tf.sets.set_intersection(tf.constant([[1, 2]]), tf.constant([[2, 3]])),
        tf.sets.set_union(tf.constant([[1, 2]]), tf.constant([[2, 3]])),
        tf.sets.set_difference(tf.constant([[1, 2]]), tf.constant([[2, 3]]), aminusb=False),
        tf.sets.set_size(tf.SparseTensor([[0, 0], [0, 1]], tf.constant([1, 1]), [1, 2])),
        tf.edit_distance(tf.SparseTensor([[0, 0]], ["a"], [1, 1]), tf.SparseTensor([[0, 0]], ["b"], [1, 1])),
    ]


@case
def masked_by_unknown_shapes():
    values = fed(np.arange(12, dtype=np.float32).reshape(3, 4), [None, None])
    anything = fed(np.arange(6, dtype=np.float32).reshape(2, 3))
    return [
        tf.reshape(values, [-1, 4]),
        tf.reduce_mean(values, 1),
        tf.boolean_mask(values, values[:, 0] > 1),
        tf.expand_dims(anything, 0),
        tf.shape(anything)[0] * 2,
        tf.matmul(values, values, transpose_b=True),
        tf.concat([values, tf.zeros([3, 2])], 1),
        tf.where(tf.greater(values, 5), values, tf.zeros_like(values)),
        tf.reduce_sum(anything),
        tf.transpose(anything),
        tf.unstack(values, 3),
        tf.zeros([tf.shape(values)[0], 2]),
        tf.tile(values, [1, 2]),
        str(anything.get_shape()),
        str(values.get_shape().ndims),
    ]
