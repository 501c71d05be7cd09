"""`tf.contrib.slim.summaries` of TensorFlow 1.15: summaries named after what they are of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorflow as tf

_v1 = tf.compat.v1


def _name(tensor: Any, name: str | None, prefix: str | None, postfix: str | None = None) -> str:
    return "/".join(part for part in (prefix, name or tensor.op.name, postfix) if part)


def _printed(summary: Any, tensor: Any, name: str) -> Any:
    printed = _v1.Print(summary, [tensor], name)
    _v1.add_to_collection(_v1.GraphKeys.SUMMARIES, printed)
    return printed


def add_histogram_summary(tensor: Any, name: str | None = None, prefix: str | None = None) -> Any:
    """A histogram of a tensor."""
    return _v1.summary.histogram(_name(tensor, name, prefix), tensor)


def add_image_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """Images; printed as they are computed, if so asked."""
    name = _name(tensor, name, prefix)
    summary = _v1.summary.image(name=name, tensor=tensor, collections=[] if print_summary else None)
    return _printed(summary, tensor, name) if print_summary else summary


def add_scalar_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """A number; printed as it is computed, if so asked."""
    name = _name(tensor, name, prefix)
    summary = _v1.summary.scalar(name=name, tensor=tensor, collections=[] if print_summary else None)
    return _printed(summary, tensor, name) if print_summary else summary


def add_zero_fraction_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """How many of a tensor's values are zero."""
    name = _name(tensor, name, prefix, "Fraction_of_Zero_Values")
    return add_scalar_summary(tf.nn.zero_fraction(tensor), name, print_summary=print_summary)


def add_histogram_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[Any]:
    """A histogram of each."""
    return [add_histogram_summary(tensor, prefix=prefix) for tensor in tensors]


def add_image_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[Any]:
    """Images of each."""
    return [add_image_summary(tensor, prefix=prefix) for tensor in tensors]


def add_scalar_summaries(
    tensors: Iterable[Any], prefix: str | None = None, print_summary: bool = False
) -> list[Any]:
    """A number for each."""
    return [add_scalar_summary(tensor, prefix=prefix, print_summary=print_summary) for tensor in tensors]


def add_zero_fraction_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[Any]:
    """The zeros of each."""
    return [add_zero_fraction_summary(tensor, prefix=prefix) for tensor in tensors]
