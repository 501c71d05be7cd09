"""TF1's `tf.layers`, for model code that runs in TF2 under a `VariableStore`.

Every name here stands for the symbol of the same name in `tf.layers` of TensorFlow 1.15: same arguments in the same
order, same variable names, same kernels. They are built on TensorFlow's public API only.
"""

from tf2towers.runtime.layers.base import InputSpec, Layer
from tf2towers.runtime.layers.convolution import Conv1D, Conv2D, Conv3D, conv1d, conv2d, conv3d
from tf2towers.runtime.layers.dense import Dense, dense
from tf2towers.runtime.layers.normalization import BatchNormalization, batch_normalization
from tf2towers.runtime.layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
    average_pooling1d,
    average_pooling2d,
    average_pooling3d,
    max_pooling1d,
    max_pooling2d,
    max_pooling3d,
)
from tf2towers.runtime.layers.separable import (
    SeparableConv1D,
    SeparableConv2D,
    separable_conv1d,
    separable_conv2d,
)
from tf2towers.runtime.layers.shaping import Dropout, Flatten, dropout, flatten
from tf2towers.runtime.layers.transposed import (
    Conv2DTranspose,
    Conv3DTranspose,
    conv2d_transpose,
    conv3d_transpose,
)

__all__ = [
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "BatchNormalization",
    "Conv1D",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "Dense",
    "Dropout",
    "Flatten",
    "InputSpec",
    "Layer",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "SeparableConv1D",
    "SeparableConv2D",
    "average_pooling1d",
    "average_pooling2d",
    "average_pooling3d",
    "batch_normalization",
    "conv1d",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "dense",
    "dropout",
    "flatten",
    "max_pooling1d",
    "max_pooling2d",
    "max_pooling3d",
    "separable_conv1d",
    "separable_conv2d",
]
