"""T2T625: a library that is itself built on TF1, in Python or in C++."""

from __future__ import annotations

import re
from functools import partial

import libcst as cst

from tf2towers.codemod import probability
from tf2towers.codemod.nodes import Symbol, block, imported, literal, walk
from tf2towers.codemod.program import File
from tf2towers.codemod.reached import find_unreached_context, may_fail, note_site
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.standalone_keras import find_unserved, gone_from_keras, takes_data
from tf2towers.report.result import FindingKind
from tf2towers.source.known_modules import is_tf1_library

#: libraries that programs train without as well, on the devices of one machine
_DONE_WITHOUT = frozenset({"horovod"})


def notes(file: File) -> None:
    """Notes each import of such a library, and each that is loaded."""
    if not file.program.is_tf1:
        _note_keras2(file)
        return
    for node in file.imports:
        if takes_data(file, node):
            continue
        for root in sorted({name.partition(".")[0] for _, name in imported(node) if is_tf1_library(name)}):
            if not file.program.imports.has(file.path, root):
                message = f"{root} is built on TensorFlow 1, and is not migrated with the script"
                if root == "tf_slim":
                    continue  # the runtime stands on it
                if root == "tensorflow_probability":
                    if (unserved := probability.find_unserved(file.program)) is None:
                        continue
                    message = f"tensorflow_probability: {unserved} was not measured in a graph of TF 2.21"
                if root == "tensorflow_hub":
                    message = (
                        "tensorflow_hub 0.16, the one for TF 2.21, has no hub.Module; hub.load needs eager"
                    )
                if root == "keras":
                    unserved = find_unserved(file.program)
                    if unserved is None:
                        continue
                    message += f": {unserved} was not measured to be tf_keras's; take tf.keras in its place"
                kind: FindingKind = "left"
                if root in _DONE_WITHOUT and may_fail(file, node):
                    message, kind = f"{message}; the program goes on where it is not installed", "note"
                elif root in _DONE_WITHOUT and (test := _asked_for(file, node)) is not None:
                    message = f"{root} does not run with TF 2.21: the program trains without it, but not `if {test}`"
                    kind = "note"
                note_site(file, node, "T2T625", message, stays="it is imported in {}", kind=kind)
    for used, canonical in file.symbols:
        if canonical == "tf.load_op_library":
            kind = "note" if _may_fail_to_load(file, used) else "left"
            message = (
                "a library of operations that was compiled for TensorFlow 1 does not load in TensorFlow 2"
            )
            file.note(used, "T2T625", message, kind)


def _asked_for(file: File, node: cst.CSTNode) -> str | None:
    """The test of a flag under which alone a file imports a library; None if it imports it in any case."""
    for inner, around in file.steps_outwards(node):
        if isinstance(around, cst.If) and inner in block(around):
            parts = list(walk(around.test))
            flags = {part.attr.value for part in parts if isinstance(part, cst.Attribute)}
            flags |= {literal(part) for part in parts if isinstance(part, cst.SimpleString)}
            is_off = flags and not any(map(partial(_may_be_on, file), flags))
            test = " ".join(file.text.of(around.test).split())
            if is_off and not re.search(r"\bnot\b|!=", test):
                return test
    return None


def _may_be_on(file: File, flag: str) -> bool:
    """True if the program defines a flag whose default is True, or may be."""
    pattern = rf"['\"](?:--)?{re.escape(flag)}['\"][^\n]*(?:\bTrue\b|store_false)"
    return any(re.search(pattern, each.script.text) for each in file.program.all_files)


def _note_keras2(file: File) -> None:
    """Notes names that are gone from Keras: the program is one for Keras 2, and the runtime's lacks some of it."""
    for node, gone in gone_from_keras(file):
        file.note(node, "T2T625", f"{gone} is of Keras 2, and not in Keras 3, which TF 2.16 and later have")


def _may_fail_to_load(file: File, node: Symbol) -> bool:
    """True if the program goes on without the operations, or never loads them."""
    if find_unreached_context(file, node, "") is not None:
        return True
    for inner, around in file.steps_outwards(node):
        if isinstance(around, cst.Try) and inner in block(around) and around.handlers:
            handled = " ".join(map(file.text.of, around.handlers))
            if not any(word in handled for word in ("load_op_library", "raise", "exit")):
                return True
    return False


RULE = Rule(
    code="T2T625",
    title="A library that is built on TF1",
    does="refuses",
    why="""
    Sonnet 1, TensorLayer 1, TFLearn, Tensor2Tensor, standalone Keras and others build TF1 graphs by calls that TF 2.21
    has lost. What they do in the program cannot be migrated from outside. Nor can operations in C++
    (`tf.load_op_library`): what was compiled for TensorFlow 1 does not load in TensorFlow 2.

    Of standalone Keras, what was measured to be the same in tf_keras becomes tf2towers.runtime.tf1.standalone_keras
    (T2T621). tf_slim runs as it is, and of TensorFlow Probability what was measured in a graph. An import of horovod
    under the test of a flag is a note: the program trains without it on one machine. A program on Keras without a graph
    of its own is left as it is where Keras 3 has all that it names.
    """,
    todo="Copy the library's package beside the script, and migrate again: it is migrated with it, as far as TF 2 "
    "has what it takes. Or replace its part of the model by core operations, or by its own release for TF 2. "
    "Operations in C++ are compiled again, for TensorFlow 2: with its headers, as C++17. Then accept the line "
    "(`# noqa: T2T625`).",
    notes=notes,
    programs=frozenset({"tf1", "migrated", "other"}),
    modules=True,
    examples=(
        Example(
            "layers of standalone Keras",
            """
                import tensorflow as tf
                from keras.layers import CuDNNGRU

                x = tf.placeholder(tf.float32, [None, 4, 2])
                y = CuDNNGRU(3)(x)
                """,
            left=True,
        ),
    ),
)
