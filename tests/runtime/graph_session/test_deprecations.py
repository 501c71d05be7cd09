"""What libraries call is not reported to the user of a migrated script; what the script calls is."""

import logging
import warnings

import pytest

pytestmark = pytest.mark.tensorflow

MESSAGE = "From %s: %s (from %s) is deprecated and will be removed %s.\nInstructions for updating:\n%s"


def is_printed(place: str) -> bool:
    """True if TensorFlow's logger prints a deprecation of a call at a place."""
    import tensorflow as tf

    from tf2towers.runtime.graph_session.deprecations import hide_deprecations_of_libraries

    hide_deprecations_of_libraries()
    arguments = (place, "colocate_with", "tensorflow.python", "in a future version", "None.")
    record = logging.LogRecord("tensorflow", logging.WARNING, __file__, 1, MESSAGE, arguments, None)
    return bool(tf.get_logger().filter(record))


def test_calls_of_libraries_are_hidden() -> None:
    import tf_keras

    import tf2towers.runtime

    for module in (tf_keras, tf2towers.runtime):
        assert not is_printed(f"{module.__file__}:12")
    assert is_printed("/home/me/tensorflow/train.py:12")


def test_warnings_about_layers_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    import tensorflow as tf

    monkeypatch.setattr(tf.get_logger(), "filters", [])  # as in a new process
    with warnings.catch_warnings(record=True) as shown:
        is_printed("")
        warnings.warn("`tf.layers.dense` is deprecated and will be removed", UserWarning, stacklevel=1)
        warnings.warn("`layer.apply` is deprecated and will be removed", UserWarning, stacklevel=1)
        warnings.warn("`Model.state_updates` will be removed", UserWarning, stacklevel=1)
        warnings.warn("`model.fit_generator` is deprecated and will", UserWarning, stacklevel=1)
        warnings.warn("the script's own", UserWarning, stacklevel=1)
    assert [str(each.message) for each in shown] == ["the script's own"]
