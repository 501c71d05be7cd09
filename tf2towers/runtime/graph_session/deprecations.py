"""Deprecations that a migrated script cannot do anything about are not printed.

TensorFlow warns where tf_keras, tf_slim or the runtime call what is old, and tf_keras warns at each
of TensorFlow 1's layers, to which `migrate` sends the script. What the script itself calls is still
reported.
"""

from __future__ import annotations

import logging
import warnings
from pathlib import Path

import tensorflow as tf

_PACKAGES = Path(tf.__file__).parents[1]
#: the folders of code that is not the user's
_NOT_THE_SCRIPTS = (
    *(f"{_PACKAGES / name}/" for name in ("tensorflow", "tf_keras", "tf_slim", "keras")),
    f"{Path(__file__).parents[2]}/",
)
#: how tf_keras begins its warning about a layer or a cell of TensorFlow 1, and TensorFlow that
#: about tf_slim's calls
_OF_LAYERS = r"`(tf\.(layers|nn\.rnn_cell)\.\w+|layer\.apply)` is deprecated"
#: ... and about what its own models do, and their methods for generators, which are TensorFlow 1's
#: as well
_OF_MODELS = r"`Model\.state_updates`|`[mM]odel\.(fit|evaluate|predict)_generator` is deprecated"


class _NotTheScripts(logging.Filter):
    """Lets all records pass, except deprecations of calls that libraries make.

    TensorFlow's message is "From %s: ... is deprecated ..." (`tensorflow.python.util.deprecation`):
    its first argument is the file and line of the call.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """True if a record is printed."""
        is_deprecation = str(record.msg).startswith("From %s: ") or "is deprecated" in str(record.msg)
        if not (is_deprecation and isinstance(record.args, tuple) and record.args):
            return True
        return not str(record.args[0]).startswith(_NOT_THE_SCRIPTS)


def hide_deprecations_of_libraries() -> None:
    """Prints no deprecation of a call by a library from now on; a second call does nothing."""
    logger = tf.get_logger()
    if not any(isinstance(each, _NotTheScripts) for each in logger.filters):
        logger.addFilter(_NotTheScripts())
        for message in (_OF_LAYERS, _OF_MODELS):
            warnings.filterwarnings("ignore", message, UserWarning)
