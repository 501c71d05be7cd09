"""tf_slim."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
import tensorflow.compat.v1 as _v1  # before this import, `tf.compat.v1` is another object

from tf2towers.runtime.patches.patch import Patch, patch


@patch("tf_slim", source="tf_slim 1.1.0, of 2020: its imports", test="tests/runtime/tf1/test_cases.py")
def tf_slim_finds_its_names(changes: Patch) -> None:
    """Restores the names that tf_slim 1.1.0 uses of TensorFlow's private modules, if moved.

    tf_slim looks for normalization layers in `tf_keras.legacy_tf_layers.normalization`, which
    tf_keras keeps in `src`; here they come from `tf2towers.runtime.tf1.layers`.
    """
    array_ops = changes.private("ops.array_ops")
    control_flow_ops = changes.private("ops.control_flow_ops")
    ops = changes.private("framework.ops")
    variable_scope = changes.private("ops.variable_scope")
    normalization = changes.private("layers.normalization")
    lazy_loader = changes.private("util.lazy_loader.LazyLoader")
    moved: dict[Any, dict[str, Any]] = {
        ops: {"IndexedSlices": tf.IndexedSlices, "Tensor": tf.Tensor},
        array_ops: {"stack": _v1.stack, "unstack": _v1.unstack},
        control_flow_ops: {
            "Assert": _v1.Assert, "case": _v1.case, "cond": _v1.cond, "while_loop": _v1.while_loop
        },
        variable_scope: {"variable": _v1.Variable},
    }  # fmt: skip
    for module, names in moved.items():
        for name, value in names.items():
            if not hasattr(module, name):
                changes.set(module, name, value)
    home = "tf2towers.runtime.tf1.layers"
    changes.set(normalization, "normalization", lazy_loader("normalization", vars(normalization), home))
