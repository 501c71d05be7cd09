"""Standalone Keras 2 (`import keras`) in a TF1 graph: tf_keras with the names and the seeds that Keras 2.2.4 had there.

What is served, and was measured with Keras 2.2.4 on TensorFlow 1.15, is in tf2towers/codemod/data/standalone_keras.tsv.
"""

from __future__ import annotations

import sys

from tf2towers.runtime.graph_session.patches import layers_are_keras2s
from tf2towers.runtime.tf1 import keras as _keras
from tf2towers.runtime.tf1.keras import *  # noqa: F403 - a face, not a copy

layers_are_keras2s()
objectives = sys.modules[f"{_keras.__name__}.losses"]  # its older name
sys.modules[f"{__name__}.objectives"] = objectives
for _name, _module in list(sys.modules.items()):
    if _name.startswith(f"{_keras.__name__}."):
        sys.modules[__name__ + _name[len(_keras.__name__) :]] = _module
