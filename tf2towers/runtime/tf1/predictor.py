"""`tf.contrib.predictor` of a SavedModel: a session of its own that is called with arrays.

Written from its documentation, and from what TensorFlow 1.15 did.
"""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from tf2towers.runtime.graph_session.session import Session


class SavedModelPredictor:
    """A loaded model: `predictor({"x": array})` returns the arrays of its outputs, by their names.

    Attributes:
        graph, session: those of the model.
        feed_tensors, fetch_tensors: name -> tensor.
    """

    def __init__(
        self,
        export_dir: str,
        signature_def_key: str | None = None,
        signature_def: Any = None,
        input_names: dict[str, str] | None = None,
        output_names: dict[str, str] | None = None,
        tags: str | None = None,
        graph: tf.Graph | None = None,
        config: Any = None,
    ) -> None:
        """Loads the model.

        Args:
            export_dir: the folder of the SavedModel.
            signature_def_key: the name of the signature; `serving_default` by default.
            signature_def: the signature itself.
            input_names, output_names: name -> name of a tensor, in the place of a signature.
            tags: of the graph in the model, with commas between them; `serve` by default.
            graph: the graph to load it into; a new one by default.
            config: of the session.

        Raises:
            ValueError: the model lacks the signature, or several things say which one it is.
        """
        if (input_names is None) != (output_names is None):
            raise ValueError("input_names and output_names must both be specified or both be unspecified.")
        if sum(given is not None for given in (signature_def_key, signature_def, input_names)) > 1:
            raise ValueError(
                "You must specify at most one of signature_def_key OR signature_def OR"
                "(input_names AND output_names)."
            )
        self.graph = graph or tf.Graph()
        with self.graph.as_default():
            self.session = Session(config=config)
            loaded = tf.saved_model.loader.load(self.session, (tags or "serve").split(","), export_dir)
        if input_names is None or output_names is None:
            found = signature_def or _signature(loaded, signature_def_key or "serving_default")
            input_names = {name: info.name for name, info in found.inputs.items()}
            output_names = {name: info.name for name, info in found.outputs.items()}
        self.feed_tensors = self._tensors(input_names)
        self.fetch_tensors = self._tensors(output_names)

    def _tensors(self, names: dict[str, str]) -> dict[str, tf.Tensor]:
        return {key: self.graph.get_tensor_by_name(name) for key, name in names.items()}

    def __call__(self, input_dict: dict[str, Any]) -> dict[str, Any]:
        """The outputs for some inputs; those that are left out, or None, are not fed.

        Raises:
            ValueError: a name is no input's.
        """
        if unexpected := input_dict.keys() - self.feed_tensors.keys():
            expected = set(self.feed_tensors)
            raise ValueError(f"Got unexpected keys in input_dict: {unexpected}\nexpected: {expected}")
        given = {key: value for key, value in input_dict.items() if value is not None}
        feeds = {self.feed_tensors[key]: value for key, value in given.items()}
        found: dict[str, Any] = self.session.run(self.fetch_tensors, feeds)
        return found


def _signature(loaded: Any, key: str) -> Any:
    """A signature of a loaded model."""
    for name in (key, f"default_input_alternative:{key}"):
        if name in loaded.signature_def:
            return loaded.signature_def[name]
    available = list(loaded.signature_def)
    raise ValueError(f'Got signature_def_key "{key}". Available signatures are {available}.')


from_saved_model = SavedModelPredictor
