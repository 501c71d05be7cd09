"""T2T620: a symbol that TF 2.21 has no counterpart for."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.nodes import argument, literal
from tf2towers.codemod.program import File
from tf2towers.codemod.reached import find_unreached_context, note_site
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.tf1_signs import is_estimator_of_tf2, resets_a_server

_ESTIMATOR = "may be TF 2's, which is not served; `import tensorflow.compat.v1 as tf` says that it is TF 1's"


def notes(file: File) -> None:
    """Notes what ended the sessions of others, and TF 2's Estimators.

    T2T601 and T2T602 note a TF1 program's symbols, T2T603 its arguments.
    """
    for node, canonical in file.symbols:
        if is_estimator_of_tf2(file, node, canonical):
            note_site(file, node, "T2T620", f"{canonical} {_ESTIMATOR}", why=_ESTIMATOR)
        if canonical == "tf.train.import_meta_graph" and file.program.is_tf1:
            message = (
                "the session runs a .meta file that the migrated trainer wrote, and none of TensorFlow 1: for that "
                "one build the model by its code, and restore the checkpoint"
            )
            file.note(node, "T2T620", message, "note")
    for call in file.all(cst.Call):
        if (file.canonical(call.func) or "").endswith("TPUEstimator"):
            _note_tpu(file, call)
    for node in file.all(cst.Attribute):
        if resets_a_server(file, node) and find_unreached_context(file, node, "") is None:
            message = (
                f"{file.canonical(node)} of a server ended the sessions of all processes, and its variables: take "
                "it out, close the sessions, and run the initializers in the next one"
            )
            file.note(node, "T2T620", message)


def _note_tpu(file: File, call: cst.Call) -> None:
    """Notes an Estimator that trains on TPUs, or may do so: it is served without them."""
    uses = argument(call, 4, "use_tpu")
    if literal(uses) is True or (uses is None and not any(given.star for given in call.args)):
        note_site(file, call, "T2T620", "TPUEstimator trains on CPUs and GPUs alone: give it use_tpu=False")
    elif literal(uses) is not False:
        message = "TPUEstimator trains on CPUs and GPUs; with use_tpu it ends with an error"
        file.note(call, "T2T620", message, "note")


RULE = Rule(
    code="T2T620",
    title="A symbol without counterpart in TF 2.21",
    does="refuses",
    programs=frozenset({"tf1", "migrated", "other"}),
    why="""
    Parts of tf.contrib and others ended with TensorFlow 1, and TF 2's own Estimators with TF 2.15. Neither TF 2.21 nor
    tf2towers.runtime has them. Nor do they have an argument of an old release that a function no longer takes. The site
    is left as it is; the rest of the script is migrated.

    It is only a note where nothing leads there: in a function that nothing names, and under a test for a TPU.
    """,
    notes=notes,
    todo="Replace it as the message says, or keep a copy of its source beside the script, and migrate again.",
    examples=(
        Example(
            "a part of contrib",
            """
                import tensorflow as tf

                x = tf.placeholder(tf.float32, [1, 2, 3])
                y = tf.contrib.image.dense_image_warp(x, x)
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
    ),
)
