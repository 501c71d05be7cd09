"""Runs an original TF1 script on TensorFlow 2: `tensorflow` is `tf.compat.v1`, with substitutes for removed names.

`install()` is called first in a fresh process; the script then runs unedited, with its `tf.layers` and `tf.contrib`.
The substitutes are listed in codemod/symbols.tsv, as for migrated scripts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from tf2towers.verify.stand_ins.libraries import complete_libraries
from tf2towers.verify.stand_ins.modules import (
    KerasFinder,
    StandInFinder,
    Tensorflow1,
    complete,
    modules_by_name,
    take_old_arguments,
)
from tf2towers.verify.stand_ins.objects import Objects


def install(place_towers: Callable[[Any], object] | None = None, *, v2_behavior: bool = False) -> None:
    """Prepares a fresh process for an original TF1 script, which `runpy` then runs.

    `import tensorflow as tf`, `import tensorflow.compat.v1 as tf`, `from tensorflow.contrib import slim` and similar
    imports then find TF1's names; TF2 behaviour is off. Since the whole process sees this module, code that needs
    TensorFlow 2 has to be imported before, as the runtime is here.

    `tf.layers`, the cells and Keras are tf_keras's, slim is tf_slim's, as for migrated scripts.

    Args:
        place_towers: called with TF1's module; makes ops that are placed on GPU i run on a machine without GPUs
            (`tf2towers.verify.recorder.placement.install`).
        v2_behavior: whether the script ran on TF 2 and disabled eager execution only. Its variables are resources, and
            the sizes in a shape integers or None. `migrate` finds it out: it writes `graph_mode(v2_behavior=True)`.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    import tensorflow as real

    if isinstance(real, Tensorflow1):
        return
    from tf2towers.runtime.patches.register import FOR_ORIGINALS

    v1 = real.compat.v1
    v1.disable_v2_behavior()
    if v2_behavior:
        v1.enable_resource_variables()
        v1.enable_v2_tensorshape()
    v1.logging.set_verbosity(v1.logging.ERROR)
    objects = Objects(real)
    complete(objects)
    for patch in FOR_ORIGINALS:
        patch.apply_or_guard()
    complete_libraries()
    take_old_arguments(objects)
    if place_towers is not None:
        place_towers(v1)
    sys.modules.update(modules_by_name(real))
    for flag in v1.flags.FLAGS:  # absl's 'log_dir' and 'v' came with TF 1.13
        v1.flags.FLAGS[flag].allow_override = True
    sys.meta_path.append(StandInFinder(objects))
    if "keras" not in sys.modules:  # TensorFlow's own Keras is tf_keras here
        sys.meta_path.insert(0, KerasFinder())
    sys.modules["tensorflow"] = Tensorflow1(objects)
