# Each tower goes through the operations that only compute, one family a function; what they give is trained on.
import numpy as np
import tensorflow as tf

NUM_TOWERS = 2
FEATURES = 6


def total(*values):
    return tf.add_n([tf.reduce_sum(tf.cast(value, tf.float32)) for value in values])


def of_every_element(x):
    positive = tf.abs(x) + 0.1
    inside = tf.clip_by_value(x, -0.9, 0.9)
    return total(
        tf.sin(x), tf.cos(x), tf.tan(inside), tf.asin(inside), tf.acos(inside), tf.atan(x), tf.sinh(x), tf.cosh(x),
        tf.asinh(x), tf.acosh(positive + 1.0), tf.atanh(inside), tf.log1p(positive), tf.expm1(inside), tf.erf(x),
        tf.erfc(x), tf.lgamma(positive), tf.digamma(positive), tf.reciprocal(positive), tf.log_sigmoid(x),
        tf.nn.selu(x), tf.nn.softsign(x), tf.math.softplus(x), tf.math.sigmoid(x), tf.math.tanh(x), tf.math.exp(inside),
        tf.math.log(positive), tf.math.sqrt(positive), tf.math.rsqrt(positive), tf.math.square(x), tf.math.abs(x),
        tf.math.sin(x), tf.math.cos(x), tf.math.pow(positive, 1.5), tf.nn.crelu(x))


def without_gradient(x):
    whole = tf.cast(tf.abs(x) * 10.0, tf.int32) + 1
    return total(
        tf.floor(x), tf.ceil(x), tf.round(x), tf.rint(x), tf.sign(x), tf.is_nan(x), tf.is_inf(x), tf.is_finite(x),
        tf.logical_and(x > 0, x < 1), tf.logical_or(x > 1, x < -1), tf.logical_not(x > 0), tf.logical_xor(x > 0, x > 1),
        tf.not_equal(whole, 3), tf.less_equal(x, 0.5), tf.greater_equal(x, 0.5), tf.floormod(whole, 3),
        tf.floordiv(whole, 3), tf.truediv(whole, 3), tf.argmin(x, 1), tf.reduce_all(x > -9, 1), tf.reduce_any(x > 1, 1),
        tf.count_nonzero(whole), tf.size(x), tf.rank(x), tf.cumsum(whole, 1), tf.bitcast(whole, tf.int32),
        tf.math.argmax(x, 1), tf.math.equal(whole, 2), tf.math.floor(x), tf.math.logical_not(x > 0),
        tf.to_double(x), tf.cast(x, tf.float16), tf.cast(whole, tf.int8), tf.cast(whole, tf.int16),
        tf.cast(whole, tf.uint16), tf.nn.top_k(x, 2)[1], tf.sequence_mask([1, 2, 3], 4), tf.invert_permutation([1, 0, 2]),
        tf.searchsorted([1.0, 2.0], [1.5]), tf.zeros_like(x), tf.fill([2, 2], 3.0), tf.linspace(0.0, 1.0, 4),
        tf.eye(3), tf.where(x > 1.0), tf.unique([1, 1, 2])[0], tf.setdiff1d([1, 2, 3], [2])[0], tf.to_bfloat16(x))


def over_axes(x):
    return total(
        tf.reduce_prod(x * 0.1 + 1.0, 1), tf.reduce_logsumexp(x, 1), tf.cumsum(x, 1), tf.cumprod(x * 0.1 + 1.0, 1),
        tf.math.reduce_sum(x, 1), tf.math.reduce_mean(x, 0), tf.math.reduce_max(x, 1), tf.math.reduce_min(x, 1),
        tf.math.reduce_std(x, 1), tf.math.reduce_variance(x, 1), tf.nn.top_k(x, 2)[0], tf.accumulate_n([x, x * 2.0]),
        tf.squared_difference(x, 1.0), tf.global_norm([x, x * 2.0]), tf.clip_by_average_norm(x, 0.5),
        tf.clip_by_global_norm([x, x * 2.0], 1.5)[0][1], tf.segment_sum(x, [0, 0, 1, 1]),
        tf.segment_mean(x, [0, 0, 1, 1]), tf.segment_max(x, [0, 0, 1, 1]), tf.unsorted_segment_sum(x, [1, 0, 1, 0], 2),
        tf.sort(x), tf.math.add_n([x, x]), tf.math.multiply(x, 2.0), tf.math.subtract(x, 2.0), tf.math.divide(x, 2.0),
        tf.math.add(x, 2.0), tf.math.maximum(x, 0.0), tf.math.minimum(x, 0.0), tf.math.l2_normalize(x, 1),
        tf.math.squared_difference(x, 2.0), tf.math.negative(x), tf.nn.weighted_moments(x, [0], tf.abs(x))[1],
        tf.nn.normalize_moments(4.0, tf.reduce_sum(x, 0), tf.reduce_sum(x * x, 0), None)[1])


def of_matrices(x):
    square = tf.matmul(x, x, transpose_b=True) + 9.0 * tf.eye(4)
    return total(
        tf.tensordot(x, x, [[1], [1]]), tf.einsum('ij,kj->ik', x, x), tf.trace(square), tf.diag_part(square),
        tf.diag([1.0, 2.0]), tf.matrix_diag(x), tf.matrix_diag_part(square), tf.matrix_band_part(square, 1, 0),
        tf.matrix_inverse(square), tf.matrix_determinant(square), tf.cholesky(square), tf.matrix_solve(square, x),
        tf.matrix_transpose(x), tf.cross(x[:, :3], x[:, 3:]), tf.linalg.matmul(x, x, transpose_b=True),
        tf.linalg.tensor_diag([1.0, 2.0]), tf.linalg.norm(x), tf.linalg.diag_part(square), tf.linalg.inv(square),
        tf.linalg.trace(square), tf.matrix_set_diag(square, x[:, 0]), tf.nn.relu_layer(x, tf.ones([6, 2]), tf.zeros([2])))


def of_another_shape(x):
    parts = tf.unstack(x, axis=1)
    return total(
        parts[0] * parts[1], tf.reverse(x, [1]) * x, tf.gather_nd(x, [[0, 1], [2, 3]]), tf.boolean_mask(x, x[:, 0] > -9.0),
        tf.scatter_nd([[1], [3]], x[:2], [5, 6]), tf.meshgrid(x[0], x[1])[0], tf.broadcast_to(x[0], [3, 6]),
        tf.roll(x, 1, 0) * x, tf.reverse_sequence(x, [1, 2, 3, 4], 1) * x, tf.dynamic_partition(x, [0, 1, 0, 1], 2)[1],
        tf.dynamic_stitch([[0, 2], [1, 3]], [x[:2], x[2:]]) * x, tf.shape_n([x, x])[0],
        tf.manip.roll(x, 1, 0), tf.repeat(x, 2, 0), tf.expand_dims(x, 0), tf.tile(x, [2, 1]), tf.batch_gather(x, [[0], [1], [2], [3]]),
        tf.space_to_depth(tf.reshape(x, [1, 4, 6, 1]), 2), tf.depth_to_space(tf.reshape(x, [1, 1, 6, 4]), 2),
        tf.space_to_batch_nd(tf.reshape(x, [1, 4, 6, 1]), [2, 2], [[0, 0], [0, 0]]))


def of_images(x):
    image = tf.reshape(x, [1, 4, 6, 1])
    volume = tf.reshape(x, [1, 2, 3, 4, 1])
    signal = tf.reshape(x, [4, 6, 1])
    kernel = tf.ones([2, 2, 1, 2]) * 0.3
    return total(
        tf.nn.conv2d_transpose(image, tf.ones([2, 2, 3, 1]) * 0.2, [1, 8, 12, 3], [1, 2, 2, 1]),
        tf.nn.atrous_conv2d(image, kernel, 2, 'SAME'), tf.nn.conv1d(signal, tf.ones([2, 1, 2]), 1, 'SAME'),
        tf.nn.conv3d(volume, tf.ones([2, 2, 2, 1, 1]), [1, 1, 1, 1, 1], 'SAME'),
        tf.nn.max_pool3d(volume, [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], 'SAME'),
        tf.nn.avg_pool3d(volume, [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], 'SAME'),
        tf.nn.separable_conv2d(image, kernel, tf.ones([1, 1, 2, 1]), [1, 1, 1, 1], 'SAME'),
        tf.nn.pool(image, [2, 2], 'AVG', 'SAME'), tf.nn.convolution(image, kernel, 'SAME'),
        tf.nn.bias_add(image, [0.5]), tf.nn.space_to_batch(image, [[0, 0], [0, 0]], 2),
        tf.image.resize_bilinear(image, [8, 12]), tf.image.resize_nearest_neighbor(image, [8, 12]),
        tf.image.resize_bicubic(image, [8, 12]), tf.image.flip_left_right(image), tf.image.flip_up_down(image),
        tf.image.transpose_image(image), tf.image.rot90(image), tf.image.central_crop(image[0], 0.5),
        tf.image.pad_to_bounding_box(image, 1, 1, 6, 8), tf.image.crop_to_bounding_box(image, 1, 1, 2, 2),
        tf.image.resize_image_with_crop_or_pad(image, 6, 4), tf.image.per_image_standardization(image),
        tf.image.adjust_brightness(image, 0.1), tf.stop_gradient(tf.image.adjust_contrast(image, 1.2)), tf.image.total_variation(image),
        tf.image.grayscale_to_rgb(image), tf.image.rgb_to_grayscale(tf.tile(image, [1, 1, 1, 3])),
        tf.extract_image_patches(image, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], 'VALID'),
        tf.image.extract_image_patches(image, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], 'VALID'),
        tf.image.convert_image_dtype(tf.cast(image, tf.uint8), tf.float32), tf.image.psnr(image, image * 0.5, 1.0))


def losses_of(x):
    probabilities = tf.nn.softmax(x)
    return total(
        tf.nn.log_poisson_loss(tf.abs(x), x), tf.nn.weighted_cross_entropy_with_logits(probabilities, x, 2.0),
        tf.log(probabilities), tf.nn.log_softmax(x), tf.confusion_matrix([0, 1], [1, 1], 2), tf.edit_distance(
            tf.SparseTensor([[0, 0]], [1], [1, 2]), tf.SparseTensor([[0, 0]], [2], [1, 2])),
        tf.nn.in_top_k(x, [0, 1, 2, 3], 2), tf.nn.embedding_lookup(x, [0, 2]), tf.sparse_tensor_to_dense(
            tf.SparseTensor([[0, 1]], [2.0], [2, 2])), tf.sparse_reduce_sum(tf.SparseTensor([[0, 1]], [2.0], [2, 2])))


def tower_loss(x, w):
    h = x * w
    with tf.name_scope('losses'):
        return (of_every_element(h) + without_gradient(h) + over_axes(h) + of_matrices(h) + of_another_shape(h)
                + of_images(h) + losses_of(h)) * 1e-4


x = tf.placeholder(tf.float32, [8, FEATURES])
global_step = tf.train.get_or_create_global_step()
opt = tf.train.GradientDescentOptimizer(tf.train.polynomial_decay(0.01, global_step, 10))
tower_grads = []
tower_losses = []
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(NUM_TOWERS):
        with tf.device('/gpu:%d' % i):
            with tf.name_scope('tower_%d' % i):
                w = tf.get_variable('w', [FEATURES], initializer=tf.random_uniform_initializer(0.5, 1.5, seed=7))
                loss = tower_loss(tf.split(x, NUM_TOWERS)[i], w)
                tf.get_variable_scope().reuse_variables()
                tower_losses.append(loss)
                tower_grads.append(opt.compute_gradients(loss))
grads = []
for pairs in zip(*tower_grads):
    grads.append((tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]))
train_op = opt.apply_gradients(grads, global_step=global_step)
mean_loss = tf.reduce_mean(tf.stack(tower_losses), 0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    rng = np.random.RandomState(5)
    for step in range(4):
        _, value = sess.run([train_op, mean_loss], {x: rng.randn(8, FEATURES)})
        print('%d %.9g' % (step, value))
    print(' '.join('%.9g' % value for value in sess.run(w)))
