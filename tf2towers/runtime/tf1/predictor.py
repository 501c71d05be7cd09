"""`tf.contrib.predictor`: functions that predict, of a SavedModel or of an Estimator.

Written from its documentation, and from what TensorFlow 1.15 did.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tf2towers.runtime.patches.training import sessions_of_managers_are

_SERVING = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY


class _Predictor:
    """Called with a dictionary of inputs, it gives the dictionary of outputs.

    Args:
        graph: has the model.
        session: has its variables.
        inputs, outputs: the names of the model's inputs and outputs, and of their tensors.

    Attributes:
        feed_tensors, fetch_tensors: the tensors by the names of inputs and outputs.
        session_class: runs the model of a file.
    """

    session_class: Any = tf.Session

    def __init__(
        self, graph: tf.Graph, session: Any, inputs: Mapping[str, str], outputs: Mapping[str, str]
    ) -> None:
        self.graph, self.session = graph, session
        self.feed_tensors = {name: graph.get_tensor_by_name(tensor) for name, tensor in inputs.items()}
        self.fetch_tensors = {name: graph.get_tensor_by_name(tensor) for name, tensor in outputs.items()}

    def __call__(self, input_dict: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs; an input that is None, or is not given, is not fed.

        Raises:
            ValueError: the model has no input of such a name.
        """
        if unexpected := input_dict.keys() - self.feed_tensors.keys():
            expected = set(self.feed_tensors)
            raise ValueError(f"Got unexpected keys in input_dict: {unexpected}\nexpected: {expected}")
        feeds = {
            tensor: input_dict[name]
            for name, tensor in self.feed_tensors.items()
            if input_dict.get(name) is not None
        }
        return self.session.run(self.fetch_tensors, feeds)


def from_saved_model(
    export_dir: str,
    signature_def_key: str | None = None,
    signature_def: Any = None,
    input_names: Mapping[str, str] | None = None,
    output_names: Mapping[str, str] | None = None,
    tags: str | None = None,
    graph: tf.Graph | None = None,
    config: Any = None,
) -> _Predictor:
    """The predictor of a SavedModel.

    Args:
        export_dir: its folder.
        signature_def_key: the name of one of its signatures, by default the one for serving.
        signature_def: a signature instead.
        input_names, output_names: the names of tensors instead.
        tags: of the graph in it, with commas between them.
        graph: takes the model; a new one by default.
        config: of the session.

    Raises:
        ValueError: there is no such signature, or more than one way to find the tensors is given.
    """
    if (input_names is None) != (output_names is None):
        raise ValueError("input_names and output_names must both be specified or both be unspecified.")
    if sum(given is not None for given in (signature_def_key, signature_def, input_names)) > 1:
        raise ValueError(
            "You must specify at most one of signature_def_key OR signature_def OR"
            "(input_names AND output_names)."
        )
    graph = graph or tf.Graph()
    with graph.as_default():
        session = _Predictor.session_class(config=config)
        loaded = tf.saved_model.loader.load(session, (tags or "serve").split(","), export_dir)
    if input_names is not None and output_names is not None:
        return _Predictor(graph, session, input_names, output_names)
    return _of_signature(graph, session, signature_def or _signature(loaded, signature_def_key or _SERVING))


def from_estimator(
    estimator: Any,
    serving_input_receiver_fn: Callable[[], Any],
    output_key: str | None = None,
    graph: tf.Graph | None = None,
    config: Any = None,
) -> _Predictor:
    """The predictor of an Estimator's last checkpoint.

    Args:
        estimator: a `tf.estimator.Estimator`.
        serving_input_receiver_fn: makes the inputs.
        output_key: the name of one of the model's export outputs, by default the one for serving.
        graph: takes the model; a new one by default.
        config: of the session.

    Raises:
        KeyError: the model has no such output.
    """
    graph = graph or tf.Graph()
    with graph.as_default():
        receiver = serving_input_receiver_fn()
        spec = estimator.model_fn(receiver.features, None, "infer", estimator.config)
        key = _SERVING if output_key is None else output_key
        if key not in spec.export_outputs:
            raise KeyError(f"output_key {key!r} is none of {sorted(spec.export_outputs)}")
        signature = spec.export_outputs[key].as_signature_def(receiver.receiver_tensors)
        creator = tf.train.ChiefSessionCreator(config=config, checkpoint_dir=estimator.model_dir)
        return _of_signature(graph, tf.train.MonitoredSession(creator), signature)


def _signature(loaded: Any, key: str) -> Any:
    """A signature of a loaded model, which `tf.contrib.learn` may have given a longer name."""
    for name in (key, f"default_input_alternative:{key}"):
        if name in loaded.signature_def:
            return loaded.signature_def[name]
    available = list(loaded.signature_def)
    raise ValueError(f'Got signature_def_key "{key}". Available signatures are {available}.')


def _of_signature(graph: tf.Graph, session: Any, signature: Any) -> _Predictor:
    inputs, outputs = (
        {name: info.name for name, info in infos.items()} for infos in (signature.inputs, signature.outputs)
    )
    return _Predictor(graph, session, inputs, outputs)


def _run_on_its_session() -> None:
    from tf2towers.runtime.graph_session.session import Session

    _Predictor.session_class = Session


sessions_of_managers_are.once_applied(_run_on_its_session)  # never in an original that is recorded
