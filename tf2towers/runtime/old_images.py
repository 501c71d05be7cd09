"""`tf.image.resize_images` as TensorFlow 0.x called it, too: height and width were two arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf


def resize_images(images: Any, *arguments: Any, **options: Any) -> Any:
    """TF1's function for (images, size, method, align_corners) and for (images, height, width, method, align_corners).

    Which one it is, the second argument says: a height is a number, a size is a list.
    """
    if "new_height" in options or "new_width" in options:
        sizes = [options.pop(name) for name in ("new_height", "new_width") if name in options]
        sizes = [*arguments[: 2 - len(sizes)], *sizes]
        arguments = (sizes, *arguments[2:])
    elif len(arguments) > 1 and _is_number(arguments[0]):
        arguments = ([*arguments[:2]], *arguments[2:])
    return tf.compat.v1.image.resize_images(images, *arguments, **options)


def _is_number(value: Any) -> bool:
    if isinstance(value, int | np.integer | tf.compat.v1.Dimension):
        return True
    shape = getattr(value, "shape", None)
    return shape is not None and tf.TensorShape(shape).rank == 0
