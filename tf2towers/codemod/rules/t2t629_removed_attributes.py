"""T2T629: attributes that a TF1 graph, its operations, tensors and variables have lost."""

from __future__ import annotations

from functools import cache

import libcst as cst

from tf2towers.codemod.nodes import block, is_name, names_in
from tf2towers.codemod.private_members import lost_members
from tf2towers.codemod.program import File, Program, found_once
from tf2towers.codemod.python_versions import is_expected_to_fail
from tf2towers.codemod.reached import note_site
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import Found, read_table

_SYNC = frozenset({"tf.train.SyncReplicasOptimizer", "tf.train.SyncReplicasOptimizerV2"})
#: a value of which nothing is known, and the flags
_VALUES = ("", "tf.flags.FLAGS", "tf.app.flags.FLAGS")


@cache
def lost_attributes() -> dict[str, tuple[str, str]]:
    """Attribute -> what had it, in TF 1.15 or before, and what to write instead."""
    return {name: (owner, instead) for name, owner, instead in read_table("data/lost_attributes.tsv")}


def _is_clean_up(file: File, node: cst.Attribute) -> bool:
    """True if it is that method of what is certainly such an optimizer."""
    if node.attr.value != "get_clean_up_op" or not is_name(node.value):
        return False
    values = file.meanings.values(node.value)
    return not _SYNC.isdisjoint(map(file.called, values))


@found_once
def _own_attributes(program: Program) -> frozenset[str]:
    """The attributes that the program gives values itself, in classes or anywhere."""
    found = set(program.own_names)
    for file in program.all_files:
        found.update(node.attr.value for node in file.all(cst.Attribute) if file.is_bound(node))
        for kind in file.all(cst.ClassDef):
            found |= names_in(*block(kind))
    return frozenset(found)


class RemovedAttributes(Rule):
    """Attributes that a graph, its operations, tensors and variables have lost

    TensorFlow 2 keeps a graph's operations in C++, and its variables are resources. `graph._next_id()`,
    `tensor._value_index` and `variable._snapshot` are gone, and reading them raises. So does `FLAGS._parse_flags()`
    since TensorFlow 1.5. Attributes that still exist stay.
    Where a class of the program has an attribute of that name, it is taken for that one. `get_clean_up_op()` of TF 0.x
    (SyncReplicasOptimizer) becomes `tf.no_op()`: nothing is to be cleaned up today.

    A subclass may read a private member of a class that the runtime replaces (`AttentionWrapper`): it is left
    where that class has none.

    The output of a variable's operation was its value, and is a handle now. It is left where the operation is chosen by
    its type.
    """

    does = "refuses"
    programs = frozenset({"tf1", "migrated"})
    todo = """
    Write the public attribute that the message names, or do without, and migrate again. For what a variable's
    operation puts out, take the variable: `[v for v in tf.global_variables() if v.op.name == op.name]`.
    """
    sources = (
        "codemod/data/lost_attributes.tsv",
        "TensorFlow 2.21: tensorflow/python/framework/ops.py, class Operation",
    )
    examples = (
        Example(
            "flags as TensorFlow 1.4 had them",
            """
                import tensorflow as tf

                tf.flags.DEFINE_float('rate', 0.1, '')
                FLAGS = tf.flags.FLAGS
                FLAGS._parse_flags()
                w = tf.Variable(FLAGS.rate)
                """,
            left=True,
        ),
        Example(
            "a variable's value",
            """
                import tensorflow as tf

                w = tf.Variable(0.0)
                value = w._snapshot
                tf.Session().run(value)
                """,
            left=True,
        ),
        Example(
            "the value by its operation",
            """
                import tensorflow as tf

                tf.get_variable('w', [2])
                operations = tf.get_default_graph().get_operations()
                print([op.outputs[0] for op in operations if op.type == 'VariableV2'])
                """,
            left=True,
        ),
    )

    def visit_Module(self, node: cst.Module) -> None:
        """Leaves each read of a private member that the class which replaces TensorFlow 1's lacks."""
        for member, canonical in lost_members(self.file, _own_attributes(self.file.program)):
            message = (
                f"{member.attr.value} of {canonical} is private, and the class that replaces it lacks it"
            )
            note_site(self.file, member, self.code, message)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        """Leaves each read of a lost attribute: of a value that is not `self`, where no class of the program has one.

        `get_clean_up_op()` of a SyncReplicasOptimizer of TF 0.x does nothing: nothing is left over.
        """
        file, name = self.file, node.attr.value
        if name not in lost_attributes() or not file.is_read(node):
            return
        call = file.parent(node)
        if _is_clean_up(file, node) and isinstance(call, cst.Call):
            if call.func is node:
                self.replace(call, f"{file.decided.name_of(Found('v1', 'tf.no_op'))}()")
            return
        of_self = is_name(node.value) and node.value.value in ("self", "cls")
        if of_self or name in _own_attributes(file.program):
            return
        if (file.canonical(node) or "").rpartition(".")[0] in _VALUES and not is_expected_to_fail(file, node):
            owner, instead = lost_attributes()[name]
            message = f"{name} of {owner} is gone{f'; instead: {instead}' if instead else ''}"
            note_site(file, node, self.code, message)
