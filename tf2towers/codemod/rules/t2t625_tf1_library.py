"""T2T625: a library that is itself built on TF1, in Python or in C++."""

from __future__ import annotations

from functools import partial

import libcst as cst
import libcst.matchers as m

from tf2towers.codemod import probability
from tf2towers.codemod.nodes import Import, Symbol, block, imported, literal, walk
from tf2towers.codemod.program import File
from tf2towers.codemod.reached import find_unreached_context, may_fail, note_site
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.standalone_keras import find_unserved, gone_from_keras, takes_data
from tf2towers.report.result import FindingKind
from tf2towers.source.known_modules import is_tf1_library

#: libraries that programs train without as well, on the devices of one machine
_DONE_WITHOUT = frozenset({"horovod"})
_DENIES = m.Not() | m.NotEqual() | m.NotIn() | m.IsNot()


def _message(file: File, root: str) -> str | None:
    """What is said of a library; None if the program's use of it is served."""
    message = f"{root} is built on TensorFlow 1, and is not migrated with the script"
    if root == "tensorflow_hub":
        return "tensorflow_hub 0.16, the one for TF 2.21, has no hub.Module; hub.load needs eager"
    if root == "tensorflow_probability":
        unserved = probability.find_unserved(file.program)
        return unserved and f"tensorflow_probability: {unserved} was not measured in a graph of TF 2.21"
    if root == "keras":
        unserved = find_unserved(file.program)
        return (
            unserved
            and f"{message}: {unserved} was not measured to be tf_keras's; take tf.keras in its place"
        )
    return message if root != "tf_slim" else None  # the runtime stands on it


def _asked_for(file: File, node: cst.CSTNode) -> str | None:
    """The test of a flag under which alone a file imports a library; None if it imports it in any case."""
    for inner, around in file.steps_outwards(node):
        if isinstance(around, cst.If) and inner in block(around):
            parts = list(walk(around.test))
            flags = {part.attr.value for part in parts if isinstance(part, cst.Attribute)}
            flags |= {literal(part) for part in parts if isinstance(part, cst.SimpleString)}
            is_off = flags and not any(map(partial(_may_be_on, file), flags))
            test = " ".join(file.text.of(around.test).split())
            if is_off and not m.findall(around.test, _DENIES):
                return test
    return None


def _may_be_on(file: File, flag: str) -> bool:
    """True if the program defines a flag whose default is True, or may be."""
    calls = (call for each in file.program.all_files for call in each.all(cst.Call))
    given = ([literal(given.value) for given in call.args] for call in calls)
    return any(
        not {flag, f"--{flag}"}.isdisjoint(value for value in values if isinstance(value, str))
        and any(value is True or value == "store_false" for value in values)
        for values in given
    )


def _may_fail_to_load(file: File, node: Symbol) -> bool:
    """True if the program goes on without the operations, or never loads them."""
    if find_unreached_context(file, node) is not None:
        return True
    for around in file.tree.tries_around(node):
        handled = " ".join(map(file.text.of, around.handlers))
        if not any(word in handled for word in ("load_op_library", "raise", "exit")):
            return True
    return False


class Tf1Library(Rule):
    """A library that is built on TF1

    Sonnet 1, TensorLayer 1, TFLearn, Tensor2Tensor, standalone Keras and others build TF1 graphs by calls that TF 2.21
    has lost. What they do in the program cannot be migrated from outside. Nor can operations in C++
    (`tf.load_op_library`): what was compiled for TensorFlow 1 does not load in TensorFlow 2.

    Of standalone Keras, what was measured to be the same in tf_keras becomes tf2towers.runtime.tf1.standalone_keras
    (T2T621). tf_slim runs as it is, and of TensorFlow Probability what was measured in a graph. An import of horovod
    under the test of a flag is a note: the program trains without it on one machine. A program on Keras without a graph
    of its own is left as it is where Keras 3 has all that it names.
    """

    does = "refuses"
    programs = frozenset({"tf1", "migrated", "other"})
    modules = True
    todo = """
    Copy the library's package beside the script, and migrate again: it is migrated with it, as far as TF 2 has what
    it takes. Or replace its part of the model by core operations, or by its own release for TF 2. Operations in C++
    are compiled again, for TensorFlow 2: with its headers, as C++17. Then accept the line (`# noqa: T2T625`).
    """
    examples = (
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
    )

    def visit_Import(self, node: cst.Import) -> None:
        """Notes each library on TF1 that is imported."""
        self._look_at(node)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        """Notes the library on TF1 from which something is imported."""
        if not node.relative and not takes_data(self.file, node):
            self._look_at(node)

    def visit_Symbol(self, node: Symbol, canonical: str) -> None:
        """Notes each library of operations that is loaded."""
        if canonical == "tf.load_op_library" and self.file.program.is_tf1:
            kind: FindingKind = "note" if _may_fail_to_load(self.file, node) else "left"
            message = (
                "a library of operations that was compiled for TensorFlow 1 does not load in TensorFlow 2"
            )
            self.note(node, message, kind)

    def visit_Module(self, node: cst.Module) -> None:
        """Notes names that are gone from Keras: the program is one for Keras 2, and the runtime's lacks some of it."""
        for use, gone in gone_from_keras(self.file) if not self.file.program.is_tf1 else ():
            self.note(use, f"{gone} is of Keras 2, and not in Keras 3, which TF 2.16 and later have")

    def _look_at(self, node: Import) -> None:
        for root in sorted({name.partition(".")[0] for _, name in imported(node) if is_tf1_library(name)}):
            self._look(node, root)

    def _look(self, node: Import, root: str) -> None:
        file = self.file
        if not file.program.is_tf1 or file.program.imports.has(file.path, root):
            return
        kind: FindingKind = "left"
        if (message := _message(file, root)) is None:
            return
        if root in _DONE_WITHOUT and may_fail(file, node):
            message, kind = f"{message}; the program goes on where it is not installed", "note"
        elif root in _DONE_WITHOUT and (test := _asked_for(file, node)) is not None:
            message = f"{root} does not run with TF 2.21: the program trains without it, but not `if {test}`"
            kind = "note"
        note_site(file, node, self.code, message, stays="it is imported in {}", kind=kind)
