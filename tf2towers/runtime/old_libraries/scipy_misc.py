"""The images of `scipy.misc` (before SciPy 1.2): arrays read, written, resized by Pillow.

Arrays are [height, width], or have 3 or 4 channels in one dimension; other dtypes than uint8 are
scaled to 0..255.
"""

from typing import Any

import numpy as np

try:
    from PIL import Image
except ImportError as error:
    raise ImportError("scipy.misc's images need Pillow: pip install pillow") from error

_RESAMPLING = {
    "nearest": Image.Resampling.NEAREST,
    "lanczos": Image.Resampling.LANCZOS,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
    "cubic": Image.Resampling.BICUBIC,
}


def bytescale(
    data: np.ndarray, cmin: Any = None, cmax: Any = None, high: int = 255, low: int = 0
) -> np.ndarray:
    """Scales values to `low` .. `high`, as uint8 of the same shape; uint8 stays as it is.

    Raises:
        ValueError: the limits are not in order, or not within 0 and 255.
    """
    if data.dtype == np.uint8:
        return data
    if not 0 <= low <= high <= 255:
        raise ValueError(f"low ({low}) and high ({high}) are not in order within 0 and 255")
    least = data.min() if cmin is None else cmin
    span = float((data.max() if cmax is None else cmax) - least)
    if span < 0:
        raise ValueError(f"cmax ({cmax}) is below cmin ({cmin})")
    scaled = (data - least) * (float(high - low) / (span or 1.0)) + low
    return (scaled.clip(low, high) + 0.5).astype(np.uint8)


def toimage(
    arr: Any,
    high: int = 255,
    low: int = 0,
    cmin: Any = None,
    cmax: Any = None,
    pal: Any = None,
    mode: str | None = None,
    channel_axis: int | None = None,
) -> Image.Image:
    """An array as Pillow's image: L, F, I or P of two dimensions, RGB or the like of three.

    Raises:
        ValueError: no mode of Pillow fits the array.
    """
    data = np.asarray(arr)
    if data.ndim == 2 and not np.iscomplexobj(data):
        return _gray(data, high, low, cmin, cmax, pal, mode)
    axis = channel_axis
    if axis is None:
        axis = next((data.shape.index(size) for size in (3, 4) if size in data.shape), 0)
    modes = {3: ("RGB", "YCbCr"), 4: ("RGBA", "CMYK")}.get(data.shape[axis], ()) if data.ndim == 3 else ()
    mode = mode or (*modes, "")[0]
    if mode not in modes or np.iscomplexobj(data):
        raise ValueError(f"mode {mode} does not fit an array of {data.dtype}, of shape {data.shape}")
    pixels = np.moveaxis(bytescale(data, cmin, cmax, high, low), axis, 2)
    return Image.frombytes(mode, (pixels.shape[1], pixels.shape[0]), pixels.tobytes())


def _gray(
    data: np.ndarray, high: int, low: int, cmin: Any, cmax: Any, pal: Any, mode: str | None
) -> Image.Image:
    size = (data.shape[1], data.shape[0])
    if mode == "F":
        return Image.frombytes("F", size, data.astype(np.float32).tobytes())
    if mode == "I":
        least, most = data.min() if cmin is None else cmin, data.max() if cmax is None else cmax
        scaled = (data * 1.0 - least) * (high - low) / (most - least) + low
        return Image.frombytes("I", size, scaled.astype(np.uint32).tobytes())
    if mode not in (None, "L", "P"):
        raise ValueError(f"mode {mode} does not fit an array of two dimensions")
    image = Image.frombytes("L", size, bytescale(data, cmin, cmax, high, low).tobytes())
    if pal is not None:
        image.putpalette(np.asarray(pal, np.uint8).tobytes())
    elif mode == "P":
        image.putpalette(np.repeat(np.arange(256, dtype=np.uint8), 3).tobytes())
    return image


def fromimage(im: Image.Image, flatten: bool = False, mode: str | None = None) -> np.ndarray:
    """Pillow's image as an array: [height, width] or [.., channels]; `flatten`: gray, float32.

    Raises:
        TypeError: `im` is not an image of Pillow.
    """
    if not isinstance(im, Image.Image):
        raise TypeError(f"not an image of Pillow: {type(im)}")
    if mode is not None:
        im = im.convert(mode) if mode != im.mode else im
    elif im.mode == "P":
        im = im.convert("RGBA" if "transparency" in im.info else "RGB")
    if flatten:
        im = im.convert("F")
    elif im.mode == "1":
        im = im.convert("L")
    return np.array(im)


def imread(name: Any, flatten: bool = False, mode: str | None = None) -> np.ndarray:
    """Reads an image file, by name or as a file object, into an array: see `fromimage`."""
    return fromimage(Image.open(name), flatten, mode)


def imsave(name: Any, arr: Any, format: str | None = None) -> None:  # noqa: A002
    """Writes an array, channels last, as an image file, whose suffix says the format."""
    toimage(arr, channel_axis=2).save(name, format)


def imresize(arr: Any, size: Any, interp: str = "bilinear", mode: str | None = None) -> np.ndarray:
    """Resizes an array to uint8; `size`: (height, width), a fraction or a percentage (int)."""
    image = toimage(arr, mode=mode)
    if np.issubdtype(type(size), np.signedinteger):
        wanted = tuple((np.array(image.size) * (size / 100.0)).astype(int))
    elif np.issubdtype(type(size), np.floating):
        wanted = tuple((np.array(image.size) * size).astype(int))
    else:
        wanted = (size[1], size[0])
    return fromimage(image.resize(wanted, resample=_RESAMPLING[interp]))


def imrotate(arr: Any, angle: float, interp: str = "bilinear") -> np.ndarray:
    """Rotates an array counter-clockwise by degrees; the result is uint8, of the same size."""
    return fromimage(toimage(arr).rotate(angle, resample=_RESAMPLING[interp]))
