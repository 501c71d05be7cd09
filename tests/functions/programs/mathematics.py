"""Sums, arithmetic, functions, linear algebra, segments, signals."""

import numpy as np
import tensorflow as tf
from cases import case, cases, given, integers, normal, uniform


@case
def places():
    values = normal(3, 4)
    return [
        tf.argmax(values, 1),
        tf.argmin(values, dimension=0),
        tf.argmax(values, 1, output_type=tf.int32),
        tf.argmax(values, dimension=-1),
        tf.arg_max(values, 1),
        tf.arg_min(values, 1),
        tf.argmax(values),
    ]


@case
def functions():
    values, positive = normal(4), uniform(4) + 0.1
    return [
        tf.exp(values),
        tf.log(positive),
        tf.log1p(positive),
        tf.expm1(values),
        tf.sigmoid(values),
        tf.log_sigmoid(values),
        tf.tanh(values),
        tf.sin(values),
        tf.cos(values),
        tf.tan(values),
        tf.asin(positive * 0.5),
        tf.acos(positive * 0.5),
        tf.atan(values),
        tf.sinh(values),
        tf.cosh(values),
        tf.asinh(values),
        tf.acosh(positive + 1.0),
        tf.atanh(positive * 0.5),
        tf.atan2(values, positive),
        tf.sqrt(positive),
        tf.rsqrt(positive),
        tf.square(values),
        tf.squared_difference(values, 1.0),
        tf.math.xlogy(positive, positive),
        tf.math.xdivy(positive, positive),
        tf.cumsum(values, exclusive=True),
        tf.cumsum(values, reverse=True),
        tf.cumprod(values, reverse=True),
        tf.math.cumulative_logsumexp(values),
        tf.math.polyval([values, 2.0, positive], 0.5),
        tf.nn.softplus(values),
    ]


@case
def special_functions():
    positive = uniform(4) + 0.1
    return [
        tf.lbeta([1.0, 2.0]),
        tf.lgamma(positive),
        tf.digamma(positive),
        tf.polygamma([1.0, 1.0, 2.0, 2.0], positive),
        tf.zeta(positive + 1.0, [1.0, 1.0, 2.0, 2.0]),
        tf.igamma(positive, positive),
        tf.igammac(positive, [2.0, 2.0, 1.0, 1.0]),
        tf.betainc(positive, [2.0, 2.0, 1.0, 1.0], uniform(4)),
        tf.erf(positive),
        tf.erfc(positive),
        tf.math.bessel_i0(positive),
        tf.math.bessel_i1(positive),
        tf.math.bessel_i0e(positive),
        tf.math.bessel_i1e(positive),
        tf.math.lbeta(uniform(3, 2) + 0.1),
    ]


@case
def complex_numbers():
    values = tf.complex(normal(4), normal(4))
    return [
        tf.real(values),
        tf.imag(values),
        tf.abs(values),
        tf.angle(values),
        tf.conj(values),
        tf.fft(values),
        tf.ifft(values),
        tf.fft2d(tf.complex(normal(2, 2), normal(2, 2))),
        tf.ifft3d(tf.complex(normal(2, 2, 2), normal(2, 2, 2))),
        tf.spectral.rfft(normal(4)),
        tf.spectral.irfft(tf.complex(normal(3), normal(3))),
        tf.spectral.rfft2d(normal(2, 4)),
        tf.spectral.dct(normal(2, 4)),
        tf.spectral.idct(normal(2, 4), norm="ortho"),
        tf.signal.fftshift(normal(4)),
        tf.signal.ifftshift(normal(2, 4), axes=1),
    ]


@case
def matrices():
    square, symmetric = normal(3, 3), normal(3, 3)
    symmetric = symmetric + tf.transpose(symmetric)
    positive = tf.matmul(square, square, transpose_b=True) + tf.eye(3)
    triangle = tf.matrix_band_part(square, -1, 0) + 2 * tf.eye(3)
    return [
        tf.matrix_inverse(positive),
        tf.matrix_inverse(positive, adjoint=True),
        tf.matrix_determinant(positive),
        tf.linalg.slogdet(positive),
        tf.linalg.logdet(positive),
        tf.cholesky(positive),
        tf.cholesky_solve(tf.cholesky(positive), normal(3, 2)),
        tf.matrix_solve(positive, normal(3, 2)),
        tf.matrix_triangular_solve(triangle, normal(3, 2)),
        tf.matrix_triangular_solve(triangle, normal(3, 2), lower=True, adjoint=True),
        tf.matrix_solve_ls(normal(4, 3), normal(4, 2)),
        tf.matrix_solve_ls(normal(4, 3), normal(4, 2), 0.1, fast=False),
        tf.svd(square, compute_uv=False),
        tf.svd(square)[0],
        tf.self_adjoint_eigvals(symmetric),
        tf.self_adjoint_eig(symmetric)[0],
        tf.qr(normal(4, 3))[1] ** 2,
        tf.linalg.expm(square * 0.1),
        tf.linalg.logm(tf.complex(positive, tf.zeros([3, 3]))),
        tf.linalg.sqrtm(positive),
        tf.linalg.lu(positive),
        tf.linalg.tridiagonal_solve(uniform(3, 4) + 1.0, normal(4)),
        tf.linalg.tridiagonal_matmul(uniform(3, 4), normal(4, 2)),
        tf.linalg.adjoint(square),
        tf.linalg.lstsq(normal(4, 3), normal(4, 1)),
        tf.linalg.global_norm([square]),
        tf.linalg.LinearOperatorFullMatrix(positive).solve(normal(3, 2)),
        tf.linalg.LinearOperatorDiag(uniform(3) + 1.0).log_abs_determinant(),
        tf.linalg.LinearOperatorLowerTriangular(triangle).matmul(normal(3, 2)),
    ]


@case
def sums_over_no_rows():
    """A batch without ids."""
    values, nothing = normal(300, 4), given(np.zeros(0, np.int32))
    return [
        tf.reduce_sum(values) + tf.reduce_sum(tf.sparse_segment_sum(values, nothing, nothing)),
        tf.reduce_sum(tf.sparse_segment_sum(values, nothing, nothing, num_segments=2)),
    ]


TABLE = {
    "reductions": lambda values=(normal, 3, 4): [
        tf.reduce_sum(values, 1, keep_dims=True),
        tf.reduce_sum(values, (0, 1)),
        tf.reduce_mean(values, reduction_indices=[0]),
        tf.reduce_max(values, axis=-1),
        tf.reduce_max(values, tf.constant(0)),
        tf.reduce_all(values > 0),
        tf.reduce_any(values > 0, 1),
        tf.reduce_logsumexp(values, 0),
        tf.reduce_prod(values, keepdims=True),
        tf.reduce_min(integers(9, 3, 2)),
        tf.reduce_mean(integers(9, 3, 2)),
        tf.count_nonzero(tf.nn.relu(values)),
        tf.count_nonzero(values > 0, axis=1, keep_dims=True, dtype=tf.int32),
        tf.count_nonzero(input_tensor=values, reduction_indices=[0]),
        tf.math.reduce_euclidean_norm(values, 1),
        tf.math.reduce_variance(values, 0),
        tf.math.reduce_std(values, 0, keepdims=True),
        tf.reduce_sum(values, []),
        tf.reduce_sum(tf.zeros([0, 3]), 0),
        tf.reduce_mean(tf.zeros([0])),
    ],
    "arithmetic": lambda whole=(integers, 9, 4): [
        tf.div(whole, 2),
        tf.div(-whole, 2),
        tf.div(normal(4), 2.0),
        whole / 2,
        whole // 2,
        tf.mod(whole, 3),
        tf.mod(-normal(4), 1.5),
        tf.floordiv(-whole, 2),
        tf.truncatediv(-whole, 2),
        tf.truncatemod(-whole, 2),
        tf.floormod(-whole, 2),
        tf.realdiv(normal(4), 3.0),
        tf.truediv(whole, 2),
        tf.floor_div(whole, 2),
        whole % 4,
        -whole % 4,
        normal(4) ** 2,
        2 ** normal(4),
        tf.pow(whole, 2),
        abs(normal(4)),
        tf.divide(whole, 2),
        tf.to_float(whole) / 3,
        tf.scalar_mul(2.0, normal(3)),
        tf.multiply(normal(2, 1), normal(1, 3)),
        tf.subtract(1.0, normal(2)),
        tf.negative(normal(2)),
        tf.reciprocal(normal(3)),
        tf.maximum(normal(3), 0.1),
        tf.minimum(normal(3), normal(1)),
        tf.math.multiply_no_nan(normal(3), [0.0, 1.0, 0.0]),
        tf.div_no_nan(normal(3), [0.0, 1.0, 2.0]),
        tf.logical_and(whole > 3, whole < 7),
        tf.logical_xor(whole > 3, whole < 7),
        tf.logical_not(whole > 3),
        tf.bitwise.bitwise_and(whole, 3),
        tf.bitwise.left_shift(whole, 1),
        tf.bitwise.invert(whole),
        tf.less_equal(whole, 3),
    ],
    "quotient_of_numbers": lambda: tf.divide(7, 2),
    "operators": lambda values=(normal, 3): [
        values + 1,
        1 - values,
        -values,
        values > 0,
        values >= values,
        (values > 0) & (values < 1),
        (values > 0) | (values < -1),
        ~(values > 0),
        2.0 / values,
        values * [1.0, 2.0, 3.0],
        normal(2, 3) @ normal(3, 2),
        values // 0.5,
        5.0 % values,
        np.float32(2.0) * values,
        [1.0, 2.0, 3.0] - values,
        True ^ (values > 0),
        abs(-values),
    ],
    "rounding": lambda: [
        tf.round([0.5, 1.5, 2.5, -0.5]),
        tf.rint([0.5, 1.5, 2.5]),
        tf.ceil([0.2]),
        tf.floor([-0.2]),
        tf.sign([-2.0, 0.0]),
        tf.is_nan([1.0, np.nan]),
        tf.is_inf([np.inf]),
        tf.is_finite([1.0]),
        tf.math.nextafter(tf.constant(1.0, tf.float64), tf.constant(2.0, tf.float64)),
        tf.round(integers(4, 2)),
    ],
    "products": lambda: [
        tf.matmul(normal(3, 4), normal(4, 2)),
        tf.matmul(normal(3, 4), normal(3, 4), transpose_b=True),
        tf.matmul(normal(4, 3), normal(4, 2), True),
        tf.matmul(normal(2, 3, 4), normal(2, 4, 3)),
        tf.matmul(normal(3, 4), normal(4, 2), a_is_sparse=True),
        tf.linalg.matvec(normal(3, 4), normal(4)),
        tf.sparse_matmul(normal(3, 4), normal(4, 2)),
        tf.einsum("ij,jk->ik", normal(3, 4), normal(4, 2)),
        tf.einsum("bij,bjk->bik", normal(2, 3, 4), normal(2, 4, 3)),
        tf.einsum("ijk,k->ij", normal(2, 3, 4), normal(4)),
        tf.einsum("ij,j", normal(2, 3), normal(3)),
        tf.tensordot(normal(2, 3, 4), normal(4, 5), 1),
        tf.tensordot(normal(2, 3, 4), normal(2, 4, 3), [[2], [1]]),
        tf.tensordot(normal(2, 3), normal(3, 2), axes=[[1, 0], [0, 1]]),
        tf.cross(normal(2, 3), normal(2, 3)),
        tf.norm(normal(3, 4)),
        tf.norm(normal(3, 4), ord=1, axis=1),
        tf.norm(normal(3, 4), ord=np.inf, axis=0),
        tf.norm(normal(3, 4), axis=[0, 1], keep_dims=True),
        tf.norm(normal(3, 4), "fro", [0, 1], False, "named"),
        tf.linalg.l2_normalize(normal(3, 4), 1),
    ],
    "segments": lambda values=(normal, 3, 4), places=(tf.constant, [1, 0, 1]): [
        tf.segment_sum(values, [0, 0, 1]),
        tf.segment_mean(values, [0, 1, 1]),
        tf.segment_max(values, [0, 1, 1]),
        tf.segment_min(values, [0, 1, 1]),
        tf.segment_prod(values, [0, 1, 1]),
        tf.unsorted_segment_sum(values, places, 2),
        tf.unsorted_segment_mean(values, places, 3),
        tf.unsorted_segment_max(values, places, 3),
        tf.unsorted_segment_min(values, places, 2),
        tf.unsorted_segment_prod(values, places, num_segments=3),
        tf.unsorted_segment_sqrt_n(values, places, 2),
        tf.sparse_segment_sum(values, [0, 2], [0, 0]),
        tf.sparse_segment_sum(values, [0, 2], [0, 2], num_segments=4),
        tf.sparse_segment_mean(values, [0, 2], [0, 0]),
        tf.sparse_segment_sqrt_n(values, [0, 2], [0, 0]),
    ],
    "signals": lambda: [
        tf.signal.stft(normal(1, 64), 16, 8),
        tf.signal.stft(normal(60), 16, 8, 32, pad_end=True),
        tf.signal.frame(normal(20), 6, 3),
        tf.signal.frame(normal(20), 6, 4, pad_end=True, pad_value=1.0),
        tf.signal.mfccs_from_log_mel_spectrograms(normal(2, 20)),
        tf.signal.linear_to_mel_weight_matrix(8, 17, 16000.0),
        tf.signal.hann_window(8),
        tf.signal.hamming_window(8, periodic=False),
        tf.signal.dct(normal(8), norm="ortho"),
        tf.signal.overlap_and_add(normal(4, 6), 3),
        tf.signal.inverse_stft(tf.signal.stft(normal(64), 16, 8), 16, 8),
        tf.contrib.signal.stft(normal(64), 16, 8),
        tf.contrib.signal.frame(normal(20), 6, 3),
        tf.audio.decode_wav(tf.audio.encode_wav(normal(8, 1) * 0.1, 100)),
    ],
}
cases(__name__, TABLE)
