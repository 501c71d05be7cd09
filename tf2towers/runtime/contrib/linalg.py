"""`tf.contrib.linalg` as it was before TF 1.4, where it became `tf.linalg`."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


class LinearOperatorTriL(tf.linalg.LinearOperatorLowerTriangular):
    """`tf.linalg.LinearOperatorLowerTriangular`, whose `matmul` was called `apply`."""

    def __init__(
        self,
        tril: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        name: str = "LinearOperatorTriL",
    ) -> None:
        super().__init__(tril, is_non_singular, is_self_adjoint, is_positive_definite, name=name)

    def apply(self, x: Any, adjoint: bool = False, name: str = "apply") -> tf.Tensor:
        """The matrix times `x`."""
        return self.matmul(x, adjoint=adjoint, name=name)
