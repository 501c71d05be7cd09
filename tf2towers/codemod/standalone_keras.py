"""Standalone Keras (`import keras`) beside a TF1 graph: whether the runtime's serves all that a program takes of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import libcst as cst

from tf2towers.codemod.changes import Change, Now, Replacement, replace, small
from tf2towers.codemod.libraries import gone_part, library_name, names_taken
from tf2towers.codemod.nodes import Import, asname_of, imported, keyword_of, literal, name_of, root_of
from tf2towers.codemod.program import File, Program
from tf2towers.codemod.symbols import find_replacement, read_table

_HOME = "tf2towers.runtime.tf1.standalone_keras"
_DATA = ("keras.datasets.", "keras.preprocessing.sequence.pad_sequences.", "keras.utils.to_categorical.",
         "keras.utils.np_utils.")  # fmt: skip
#: what the runtime makes of tf_keras, too: its names and seeds would be standalone Keras's
_NAMES = (
    "keras", "layers", "nn.rnn_cell", "ops.rnn_cell", "rnn", "seq2seq", "slim", "cudnn_rnn",
)  # fmt: skip
_OTHERS = tuple(f"tf.{home}{name}" for home in ("", "contrib.", "python.") for name in _NAMES)
#: what was not measured against Keras 2.2.4
_METHODS = frozenset({
    "add_metric", "add_update", "add_weight", "get_updates_for", "to_yaml",
})  # fmt: skip
#: classes of Keras that a script's own may derive from
_BASES = frozenset({
    "keras.callbacks.Callback", "keras.utils.Sequence", "keras.utils.data_utils.Sequence",
})  # fmt: skip
#: what Keras 3's backend still has
_BACKEND = frozenset({
    "backend", "clear_session", "epsilon", "floatx", "get_uid", "image_data_format", "is_float_dtype",
    "is_int_dtype", "is_keras_tensor", "result_type", "set_epsilon", "set_floatx", "set_image_data_format",
    "standardize_dtype",
})  # fmt: skip
#: words of Keras 1's layers, which Keras 2 took as well
_OLD_WORDS = frozenset({
    "W_constraint", "W_regularizer", "atrous_rate", "b_constraint", "b_regularizer", "border_mode", "dim_ordering",
    "inner_activation", "inner_init", "init", "nb_col", "nb_filter", "nb_row", "subsample",
})  # fmt: skip
_UNSERVED = frozenset({
    "activity_regularizer", "brightness_range", "stateful", "target_tensors", "zca_whitening",
})  # fmt: skip


@cache
def served_names() -> dict[str, frozenset[str]]:
    """The modules of Keras 2.2.4, and what of them was measured to be the same."""
    rows = read_table("data/standalone_keras.tsv")
    return {module: frozenset(names.split()) for modules, names in rows for module in modules.split()}


def find_unserved(program: Program) -> str | None:
    """The first name that keeps a program's standalone Keras from being served; None where all of it is.

    tf_keras is patched for it as a whole, so a program that has other layers of tf_keras as well is not served.
    """
    for file in program.all_files:
        for _, canonical in file.symbols:
            if canonical.startswith(_OTHERS) and not canonical.endswith(("_initializer", "_regularizer")):
                return canonical
        for node in file.all(cst.Attribute):
            called = isinstance(file.parent(node), cst.Call)
            if called and node.attr.value in _METHODS and library_name(file, node) is None:
                return f"{node.attr.value}()"
        if "keras" in file.text.text:
            if (unserved := _unserved_argument(file)) is not None:
                return unserved
            for name in _names_of(file):
                module, _, last = name.rpartition(".")
                if last not in served_names().get(module, ()) and not is_data(name):
                    return name
    return None


def _unserved_argument(file: File) -> str | None:
    """An argument that was not measured; texts that stand for functions are all as Keras 2.2.4 had them."""
    given = [each for call in file.all(cst.Call) for each in call.args]
    texts = file.program.texts
    names = {each.keyword.value for each in given if each.keyword is not None}
    names |= texts if any(each.star == "**" for each in given) else set()
    if {"recurrent_dropout", "implementation"} <= names:
        return "implementation with recurrent_dropout"
    if "bilinear" in texts and "UpSampling2D" in file.text.text:
        return "interpolation='bilinear'"
    of_keras = [
        call for call in file.all(cst.Call)
        if (library_name(file, call.func) or "").startswith("keras.")
    ]  # fmt: skip
    old = {each.keyword.value for call in of_keras for each in call.args if each.keyword is not None}
    unserved = names & _UNSERVED | old & _OLD_WORDS
    if "val_accuracy" in texts:
        return "the name val_accuracy, of Keras 2.3,"
    if any((library_name(file, call.func) or "").startswith("keras.optimizers.") for call in of_keras):
        unserved |= old & {"learning_rate"}  # of Keras 2.3
    for each in given:
        if keyword_of(each) == "histogram_freq" and literal(each.value) != 0:
            unserved |= {"histogram_freq"}
    return f"the argument {min(unserved)}" if unserved else None


def is_data(name: str) -> bool:
    """True if it builds no graph: tf_keras has it as it was."""
    public = name.removesuffix(".*").replace("np_utils.", "").removesuffix(".np_utils")
    return f"{name}.".startswith(_DATA) and find_replacement(f"tf.{public}").kind != "left"


def is_older_than_2_3(program: Program) -> bool:
    """True if a program reads the name that Keras gave the accuracy until 2.2; later ones take it as it is written."""
    texts = program.texts
    return {"val_acc", "accuracy"} <= texts and not {"acc", "val_accuracy"} & texts


def gone_from_keras(file: File) -> Iterator[tuple[cst.CSTNode, str]]:
    """The uses of names that Keras 2 had and Keras 3 lacks, and what is gone: `keras.layers.core`."""
    if "keras" not in file.script.text or file.program.imports.has(file.path, "keras"):
        return
    found: list[tuple[cst.CSTNode, str]] = [
        (node, name) for node in file.imports for _, name in imported(node)
    ]
    for used in file.all(cst.Attribute):
        if not isinstance(file.parent(used), cst.Attribute):
            found.append((used, library_name(file, used) or ""))
    for node, name in found:
        gone = gone_part(name)
        if name.startswith("keras.backend.") and name.split(".")[2] not in _BACKEND:
            gone = ".".join(name.split(".")[:3])
        if gone is not None and name.startswith("keras."):
            yield node, gone


def _names_of(file: File) -> Iterator[str]:
    """The names that a file takes from Keras, but for the modules that it only imports."""
    imports = {name for statement in file.imports for _, name in imported(statement)}
    only_imported = {name for name in imports & served_names().keys() if not _is_value(file, name)}
    for name in names_taken(file, "keras"):
        if name not in only_imported and name.removeprefix("a subclass of ") not in _BASES:
            yield name


def _is_value(file: File, module: str) -> bool:
    """True if a file reads a module other than for a name in it: `getattr(layers, name)`, or a function of its name."""
    for used in (*file.all(cst.Name), *file.all(cst.Attribute)):
        around = file.parent(used)
        if file.is_read(used) and not (isinstance(around, cst.Attribute) and around.value is used):
            if library_name(file, used) == module:
                return True
    return False


def takes_data(file: File, statement: Import) -> bool:
    """True if `from keras.datasets import mnist` takes nothing of standalone Keras but its data."""
    if not isinstance(statement, cst.ImportFrom) or not file.program.is_tf1:
        return False
    of_program = file.program.imports.has(file.path, "keras")
    return not of_program and all(is_data(name) for _, name in imported(statement))


def serves_standalone(file: File) -> bool:
    """True if the runtime has all names that a TF1 program takes from standalone Keras."""
    imports = file.program.imports
    if not file.program.is_tf1 or any(imports.has(each.path, "keras") for each in file.program.all_files):
        return False
    return find_unserved(file.program) is None


def keras_imports(file: File, statement: Import) -> Iterator[Change]:
    """An import takes the runtime's Keras."""
    aliases = [(alias, name) for alias, name in imported(statement) if f"{name}.".startswith("keras.")]
    if isinstance(statement, cst.ImportFrom) and aliases and statement.module is not None:
        yield replace(root_of(statement.module), _HOME)
    elif isinstance(statement, cst.Import):
        for alias, _ in aliases:
            rest = name_of(alias).removeprefix("keras") if asname_of(alias) else ""
            new = small(f"import {_HOME}{rest} as {asname_of(alias) or 'keras'}").names[0]
            yield Replacement(alias, partial(_in_its_place, new))


def _in_its_place(new: cst.ImportAlias, updated: cst.ImportAlias, now: Now) -> cst.ImportAlias:
    return new.with_changes(comma=updated.comma)
