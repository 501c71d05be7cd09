"""Names for the argument types every layer shares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

Activation = Callable[[tf.Tensor], tf.Tensor] | str | None
"""A function of one tensor, one of Keras's names for one ('relu', ...), or None for no activation."""

Initializer = Any
"""What `tf.compat.v1.get_variable` takes: an initializer, its class, a Keras name ('zeros', ...) or None."""

Regularizer = Callable[[Any], Any] | None
"""A function from a variable to a scalar loss (or None, for no loss)."""

Constraint = Callable[[Any], Any] | None
"""A function from a variable to its projected value."""

Ints = int | Sequence[int]
"""One integer for every spatial dimension, or one for each."""

Training = Any
"""A Python bool (or 0/1), a boolean tensor or a boolean variable."""
