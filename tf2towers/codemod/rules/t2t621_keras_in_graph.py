"""T2T621: Keras inside a TF1 graph: the table of symbols decides what tf_keras serves."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.meanings import Imported
from tf2towers.codemod.nodes import Symbol, imported, last_name, literal, root_of, walk
from tf2towers.codemod.program import File, found_once
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.standalone_keras import keras_imports, serves_standalone, takes_data

#: losses, metrics and an optimizer with another result in tf_keras
_OTHERWISE = frozenset({
    "adagrad", "Adagrad", "cosine", "cosine_proximity", "cosine_similarity", "sparse_top_k_categorical_accuracy",
})  # fmt: skip


@found_once
def _is_of_tf_keras(file: File) -> bool:
    """True if a TF1 program has tf_keras: standalone Keras, where it is served, has all of the names."""
    names = (name for each in file.imports for _, name in imported(each))
    standalone = any(name.partition(".")[0] == "keras" for name in names)
    return file.program.is_tf1 and not (standalone and serves_standalone(file))


def _texts_given(file: File, call: cst.Call) -> set[object]:
    """The texts of a call, with those that a name in it may have: of the file, or of the program."""
    given = [*walk(*(each.value for each in call.args), but=(cst.Call,))]
    symbols = [(part, file.canonical(part) or "") for part in given if isinstance(part, Symbol)]
    held = [part for part, name in symbols if not name.startswith("tf")]
    made = [file.meanings.bindings(part) for part in held]  # nothing for `self.loss`
    far = any(not each or any(isinstance(one, Imported) for one in each) for each in made)
    files = file.program.all_files if far else [file] if held else []
    return set(map(literal, given)).union(*(other.tree.texts for other in files))


class KerasInGraph(Rule):
    """Keras inside a TF1 graph

    tf.keras in TF 2.21 is Keras 3, whose layers are not those of a TF1 graph. TF 1.15's Keras is the package tf_keras,
    under the same names. It becomes tf2towers.runtime's `keras`: layers and models on tensors, and models that train by
    themselves, on the runtime's session.

    What tf_keras lacks is left: `multi_gpu_model`, and most of what was called experimental. So is what has another
    result there, as `cosine_proximity`, whose sign is another.

    Standalone Keras (`import keras`) becomes tf2towers.runtime.tf1.standalone_keras where a program takes nothing of it
    but what was measured to be the same as in Keras 2.2.4. Layers are numbered from 1, seeds are drawn from NumPy,
    models train by its optimizers, losses and order of the rows.

    All else is left (T2T625); its data sets, `pad_sequences` and `to_categorical` are supported in any program.
    """

    does = "refuses"
    modules = True
    todo = "Write it without that function, or write the model for Keras 3."
    sources = ("tables/keras.tsv",)
    examples = (
        Example(
            "a Keras layer on a placeholder",
            """
                import tensorflow as tf

                x = tf.placeholder(tf.float32, [None, 4])
                y = tf.keras.layers.Dense(2)(x)
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import graph_mode, keras

                graph_mode()

                x = tf.placeholder(tf.float32, [None, 4])
                y = keras.layers.Dense(2)(x)
                """,
        ),
        Example(
            "towers made by Keras",
            """
                import tensorflow as tf

                x = tf.placeholder(tf.float32, [None, 4])
                model = tf.keras.utils.multi_gpu_model(tf.keras.Sequential(), 2)
                """,
            left=True,
        ),
    )

    def visit_Import(self, node: cst.Import) -> None:
        """Keras is taken from the runtime where that serves all that the program takes."""
        if "keras" in self.file.script.text and serves_standalone(self.file):
            self.change(keras_imports(self.file, node))

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        """`from keras.datasets import mnist` is taken from the runtime's Keras, and so are layers that are served."""
        if "keras" in self.file.script.text and takes_data(self.file, node):
            self.replace(root_of(node.module or node), "tf2towers.runtime.tf1.keras")
        elif "keras" in self.file.script.text and serves_standalone(self.file):
            self.change(keras_imports(self.file, node))

    def visit_Call(self, node: cst.Call) -> None:
        """Notes where Keras may be given a text that means something else in tf_keras: `compile(loss='cosine')`."""
        file = self.file
        name, whole = last_name(node.func), file.canonical(node.func) or ""
        by_text = name in ("get", "deserialize") and whole.startswith("tf.keras.")
        if by_text or (name == "compile" and whole != "re.compile"):
            for text in sorted(_OTHERWISE & _texts_given(file, node)) if _is_of_tf_keras(file) else ():
                self.note(node, f"{text!r} has another result in tf_keras, if it is given here")
