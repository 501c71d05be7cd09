"""What is asked of NumPy 1 and SciPy 1.1, and of the runtime in their place; runs on Python 3.6 as well."""

import tempfile

import numpy as np


def images(misc):
    """Name -> [shape, dtype, sum, some elements] of what scipy.misc's functions make."""
    draw = np.random.RandomState(0)
    color = draw.randint(0, 256, (9, 7, 3)).astype(np.uint8)
    gray = draw.randn(6, 8).astype(np.float32)
    path = tempfile.mkdtemp() + "/image.png"
    misc.imsave(path, color)
    made = {
        "read": misc.imread(path),
        "read flat": misc.imread(path, flatten=True),
        "read gray": misc.imread(path, mode="L"),
        "bytes": misc.bytescale(gray),
        "bytes within": misc.bytescale(gray, cmin=-1.0, cmax=1.0, high=200, low=20),
        "constant": misc.bytescale(np.zeros((2, 2))),
        "half": misc.imresize(color, 0.5),
        "per cent": misc.imresize(color, 150),
        "size": misc.imresize(color, (5, 11), interp="bicubic"),
        "nearest": misc.imresize(gray, (12, 4), "nearest"),
        "floats": misc.imresize(gray, (12, 4), mode="F"),
        "turned": misc.imrotate(color, 90),
        "channels first": misc.fromimage(misc.toimage(color.transpose(2, 0, 1))),
        "limits": misc.fromimage(misc.toimage(gray, cmin=0.0, cmax=1.0)),
        "RGBA": misc.fromimage(misc.toimage(draw.rand(4, 5, 4))),
        "palette": misc.fromimage(misc.toimage(gray, mode="P")),
    }
    misc.imsave(path, gray)
    made["gray file"] = misc.imread(path)
    return {name: shown(value) for name, value in made.items()}


def arrays(numpy):
    """Name -> what NumPy's functions make."""
    made = {
        "bytes": numpy.fromstring(b"\x01\x02\x03\x04", dtype=np.uint8),
        "floats": numpy.fromstring(np.arange(3.0).tobytes()),
        "count": numpy.fromstring(b"\x01\x02\x03\x04", np.uint16, 1),
        "nothing": numpy.fromstring(b"", np.uint8),
        "text": numpy.fromstring("abc", np.uint8),
        "numbers": numpy.fromstring("1 2 3", dtype=int, sep=" "),
        "area": np.array(numpy.trapz([1.0, 2.0, 4.0], dx=0.5)),
        "cast": numpy.cast[np.float32]([1, 2]),
        "cast by name": numpy.cast["int8"](np.array([1.5])),
        "one": np.array(numpy.asscalar(np.array([7]))),
        "least": np.array(numpy.NINF),
    }
    return {name: shown(value) for name, value in made.items()}


def shown(value):
    """An array as numbers that JSON has."""
    flat = np.ravel(value)
    return [list(value.shape), str(value.dtype), float(flat.sum()), [float(number) for number in flat[:12]]]
