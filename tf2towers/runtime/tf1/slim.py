"""`tf.contrib.slim`, with `tf.contrib.layers` and `tf.contrib.framework`, as tf_slim has them.

In TensorFlow 1 these three packages held many names in common. What tf_slim keeps in other places
has its old name here, as an attribute (`slim.utils`, `slim.nets`) and as a module (`from
tf2towers.runtime.tf1.slim.nets import vgg`).
"""

import sys
from types import ModuleType
from typing import Any

import tensorflow as tf
import tf_slim
from tf_slim import *  # noqa: F403 - a face, not a copy
from tf_slim import layers as layers
from tf_slim import nets as nets
from tf_slim.layers import layers as _layers
from tf_slim.layers import utils as utils
from tf_slim.nets import (  # noqa: F401
    alexnet,
    inception,
    inception_v1,
    inception_v2,
    inception_v3,
    overfeat,
    resnet_utils,
    resnet_v1,
    resnet_v2,
    vgg,
)


def __getattr__(name: str) -> Any:
    """A function of `tf.contrib.layers` that tf_slim does not export: `legacy_relu`."""
    return getattr(_layers, name)


def _give_modules_their_names(package: ModuleType, name: str) -> None:
    """Lets `from ...tf1.slim.nets import vgg` find the one module that `slim.nets.vgg` is."""
    for attribute, value in list(vars(package).items()):
        if isinstance(value, ModuleType) and value.__name__.startswith(f"{tf_slim.__name__}."):
            sys.modules[f"{name}.{attribute}"] = value


_give_modules_their_names(sys.modules[__name__], __name__)
_give_modules_their_names(nets, f"{__name__}.nets")


def get_name_scope() -> str:
    """The default graph's name scope in force: `tf.contrib.framework.get_name_scope`."""
    return tf.compat.v1.get_default_graph().get_name_scope()
