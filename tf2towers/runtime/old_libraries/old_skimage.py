"""Measures of two images that scikit-image 0.17 has renamed (measure/simple_metrics.py).

Floats without a `data_range` counted as -1 to 1, of which newer releases warn or which they refuse.
"""

from __future__ import annotations

from typing import Any


def compare_mse(im1: Any, im2: Any) -> Any:
    """The mean of the squared differences."""
    from skimage.metrics import mean_squared_error

    return mean_squared_error(im1, im2)


def compare_nrmse(im_true: Any, im_test: Any, norm_type: str = "euclidean") -> Any:
    """The root of the mean squared error by a norm: 'euclidean', 'min-max' or 'mean'."""
    from skimage.metrics import normalized_root_mse

    return normalized_root_mse(im_true, im_test, normalization=norm_type.lower())


def compare_psnr(im_true: Any, im_test: Any, data_range: Any = None) -> Any:
    """The ratio of the largest signal to the noise, in decibels."""
    from skimage.metrics import peak_signal_noise_ratio

    return peak_signal_noise_ratio(im_true, im_test, data_range=data_range)


def compare_ssim(
    X: Any,
    Y: Any,
    win_size: int | None = None,
    gradient: bool = False,
    data_range: Any = None,
    multichannel: bool = False,
    gaussian_weights: bool = False,
    full: bool = False,
    **kwargs: Any,
) -> Any:
    """The structural similarity, with its gradient and its whole image where these are asked for.

    With `multichannel` the last axis has the channels.
    """
    from skimage.metrics import structural_similarity
    from skimage.util.dtype import dtype_range

    if data_range is None:
        lowest, highest = dtype_range[X.dtype.type]
        data_range = highest - lowest
    return structural_similarity(
        X,
        Y,
        win_size=win_size,
        gradient=gradient,
        data_range=data_range,
        channel_axis=-1 if multichannel else None,
        gaussian_weights=gaussian_weights,
        full=full,
        **kwargs,
    )
