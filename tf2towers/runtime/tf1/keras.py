"""`tf.keras` of TensorFlow 1, as tf_keras has it, with its modules (`tf1.keras.layers`).

All that this package takes from tf_keras comes by way of this module, which looks whether it is the
right one.
"""

import sys
from importlib.metadata import PackageNotFoundError, version

from tf2towers.runtime.patches import keras as patches
from tf2towers.runtime.patches.training import sessions_of_managers_are


def _check_release() -> None:
    """Raises ImportError where tf_keras is not there, or of another release than TensorFlow."""
    tensorflow = version("tensorflow")
    release = ".".join(tensorflow.split(".")[:2])
    try:
        found = version("tf_keras")
    except PackageNotFoundError:
        found = ""
    if ".".join(found.split(".")[:2]) != release:
        there = f"tf_keras {found} is installed" if found else "tf_keras is not installed"
        raise ImportError(
            f"{there}, and TensorFlow {tensorflow} needs tf_keras {release}: pip install 'tf_keras=={release}.*'"
        )


_check_release()

patches.keras_is_tf1s()

import tf_keras.api._v1.keras as _tf_keras  # noqa: E402
from tf_keras.api._v1.keras import *  # noqa: E402, F403 - a face, not a copy
from tf_keras.src import backend as _backend  # noqa: E402
from tf_keras.src.layers.preprocessing import image_preprocessing as image_preprocessing  # noqa: E402

patches.keras_computes_as_tf1()
patches.sequentials_predict_classes()


def _run_on_its_session() -> None:
    from tf2towers.runtime.graph_session.session import Session

    patches.keras_runs_on(_backend, Session)


sessions_of_managers_are.once_applied(_run_on_its_session)  # never in an original that is recorded

for _name, _module in list(sys.modules.items()):
    if _name.startswith(f"{_tf_keras.__name__}."):
        sys.modules[__name__ + _name[len(_tf_keras.__name__) :]] = _module
sys.modules[f"{__name__}.utils.np_utils"] = vars(_tf_keras.utils)["np_utils"] = _tf_keras.utils  # of Keras 2
