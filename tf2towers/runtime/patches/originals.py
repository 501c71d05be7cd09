"""Originals that `verify` runs on TensorFlow 2."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import tensorflow.compat.v1 as _v1  # before this import, `tf.compat.v1` is another object

from tf2towers.runtime.patches.patch import Patch, patch


@patch(
    "originals that disable eager execution alone",
    source="TensorFlow 2: disable_eager_execution alone",
    test="tests/verify/test_stand_ins.py",
)
def variables_of_tf2_stay(changes: Patch, real: Any) -> None:
    """Keeps resource variables, and integers in shapes, for a TF 2 script that disables eager execution only.

    Such a script uses `compat.v1`, and from plain `tensorflow` (`real`) only names that TF 2 has. Before this,
    `verify` has disabled all of TF 2's behaviour, as for every original.
    """
    kept = True

    @changes.around(_v1, "disable_v2_behavior")
    def disable_v2_behavior(plain: Any) -> None:
        nonlocal kept
        kept = False
        plain()

    @changes.around(_v1, "disable_eager_execution")
    def disable_eager_execution(plain: Any) -> None:
        plain()
        caller = Path(sys._getframe(2).f_code.co_filename)
        text = re.sub(r"#.*", "", caller.read_text("utf-8", "replace")) if caller.is_file() else ""
        imported = re.search(r"^[ \t]*import tensorflow(?: as (\w+))?[ \t]*$", text, re.MULTILINE)
        names = re.findall(rf"(?<![\w.]){imported[1] or 'tensorflow'}\.(\w+)", text) if imported else []
        if kept and "compat.v1" in text and all(hasattr(real, name) for name in names):
            _v1.enable_resource_variables()
            _v1.enable_v2_tensorshape()
