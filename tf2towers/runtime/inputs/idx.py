"""Files in the idx format of MNIST: a header of sizes, then one byte a value."""

from __future__ import annotations

import gzip
import io
import math
import zlib
from typing import Any

import numpy as np


def name_of(f: Any) -> str:
    """What messages call the file object `f`."""
    return str(getattr(f, "name", "the file"))


def read_idx(f: Any, magic: int, what: str, dimensions: int) -> tuple[list[int], np.ndarray]:
    """The sizes in an idx file's header, and the bytes after it, uint8 [product of the sizes].

    Args:
        f: a binary file object, gzipped or not.
        magic: the number the file must start with.
        what: "image" or "label", for the message.
        dimensions: how many sizes the header has.

    Raises:
        ValueError: another magic number, a damaged gzip stream, or too few bytes. What follows the last value is
            ignored, as in TF1.
    """
    name = name_of(f)
    print("Extracting", name)  # as TF1 did
    content = _unpacked(f.read(), name)
    header = 4 + 4 * dimensions
    if len(content) < header:
        raise ValueError(f"{name} is truncated: {len(content)} bytes, the header alone has {header}")
    found, *sizes = (int(number) for number in np.frombuffer(content, ">u4", count=1 + dimensions))
    if found != magic:
        raise ValueError(f"Invalid magic number {found} in MNIST {what} file: {name} (expected {magic})")
    expected, present = math.prod(sizes), len(content) - header
    if present < expected:
        raise ValueError(
            f"{name} is truncated: its header announces {' x '.join(map(str, sizes))} = {expected} bytes after the "
            f"first {header}, {present} are there"
        )
    return sizes, np.frombuffer(content, np.uint8, count=expected, offset=header)


def _unpacked(content: bytes, name: str) -> bytes:
    if content[:2] != b"\x1f\x8b":  # not gzipped
        return content
    whole = bytearray()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            while block := stream.read1(1 << 20):
                whole += block
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(
            f"{name} is damaged or truncated: of its {len(content)} bytes, only {len(whole)} bytes could be unpacked "
            f"({error})"
        ) from error
    return bytes(whole)
