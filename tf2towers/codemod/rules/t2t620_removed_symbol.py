"""T2T620: a symbol that TF 2.21 has no counterpart for."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.nodes import Symbol, argument, literal
from tf2towers.codemod.reached import find_unreached_context, note_site
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.tf1_signs import is_estimator_of_tf2, resets_a_server

_ESTIMATOR = (
    "may be TF 2's, which is not supported; `import tensorflow.compat.v1 as tf` says that it is TF 1's"
)


class RemovedSymbol(Rule):
    """A symbol without counterpart in TF 2.21

    Parts of tf.contrib and others ended with TensorFlow 1, and TF 2's own Estimators with TF 2.15. Neither TF 2.21 nor
    tf2towers.runtime has them. Nor do they have an argument of an old release that a function no longer takes. The call
    is left as it is; the rest of the script is migrated.

    It is only a note where nothing leads there: in a function that nothing names.
    """

    does = "refuses"
    programs = frozenset({"tf1", "migrated", "other"})
    todo = """
    Replace it as the message says, or keep a copy of its source beside the script, and migrate again.
    """
    examples = (
        Example(
            "a part of contrib",
            """
                import tensorflow as tf

                x = tf.placeholder(tf.float32, [1, 2, 3])
                y = tf.contrib.image.sparse_image_warp(x, x, x)
                """,
            left=True,
        ),
        Example(
            "an Estimator in a script that may be written for TF 2",
            """
                import tensorflow as tf

                trainer = tf.estimator.Estimator(print)
                """,
            left=True,
        ),
        Example(
            "a method that reached into other processes",
            """
                import tensorflow as tf

                server = tf.train.Server({'ps': ['localhost:2222']})
                tf.Session.reset(server.target)
                """,
            left=True,
        ),
    )

    def visit_Symbol(self, node: Symbol, canonical: str) -> None:
        """Notes TF 2's Estimators; T2T601 and T2T602 note a TF1 program's symbols, T2T603 its arguments."""
        if is_estimator_of_tf2(self.file, node, canonical):
            note_site(self.file, node, self.code, f"{canonical} {_ESTIMATOR}")
        if canonical == "tf.train.import_meta_graph" and self.file.program.is_tf1:
            message = (
                "the session runs a .meta file that the migrated trainer wrote, and none of TensorFlow 1: for that "
                "one build the model by its code, and restore the checkpoint"
            )
            self.note(node, message, "note")

    def visit_Attribute(self, node: cst.Attribute) -> None:
        """Notes what ended the sessions of others."""
        if resets_a_server(self.file, node) and find_unreached_context(self.file, node) is None:
            message = (
                f"{self.file.canonical(node)} of a server ended the sessions of all processes, and its variables: "
                "take it out, close the sessions, and run the initializers in the next one"
            )
            self.note(node, message)

    def visit_Call(self, node: cst.Call) -> None:
        """Notes an Estimator that trains on TPUs, or may do so: it is served without them."""
        canonical = self.file.called(node)
        if not (canonical.startswith("tf.") and canonical.endswith(".TPUEstimator")):
            return
        uses = argument(node, 4, "use_tpu")
        if literal(uses) is True or (uses is None and not any(given.star for given in node.args)):
            message = "TPUEstimator trains on CPUs and GPUs alone: give it use_tpu=False"
            note_site(self.file, node, self.code, message)
        elif literal(uses) is not False:
            self.note(
                node, "TPUEstimator trains on CPUs and GPUs; with use_tpu it ends with an error", "note"
            )
