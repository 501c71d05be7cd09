"""T2T604: the main script says that TF1 code builds graphs."""

from __future__ import annotations

from collections.abc import Container

import libcst as cst

from tf2towers.codemod.changes import Removal, replace_statement
from tf2towers.codemod.new_imports import find_import_location
from tf2towers.codemod.program import File
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import RUNTIME, SWITCHES


def _find_calls(file: File, functions: Container[str]) -> list[cst.Expr]:
    """The statements that only call one of some functions."""
    statements = ((each, each.value) for each in file.all(cst.Expr))
    return [
        each
        for each, call in statements
        if isinstance(call, cst.Call) and file.canonical(call.func) in functions
    ]


def _mode_of_its_own(file: File) -> str:
    """The behaviour of TF 2 that a program keeps while it builds graphs; any of its files may say so."""
    called = {each.called(call) for each in file.program.files for call in each.all(cst.Call)}
    kept = {
        "tf.disable_v2_behavior", "tf.disable_v2_tensorshape", "tf.disable_resource_variables",
    }  # fmt: skip
    if file.program.plain_is_tf2 and "tf.disable_eager_execution" in called and not called & kept:
        return "v2_behavior=True"
    return "resource_variables=True" if "tf.enable_resource_variables" in called else ""


class GraphMode(Rule):
    """`graph_mode()`: the program builds graphs

    TF 2 computes at once where TF 1 built a graph. One call in the main script, before the first operation, makes
    graphs the mode of the program. It replaces the script's own switch to TF 1 behaviour; without one it follows the
    imports. A script that runs on TF 2 and switches off eager execution alone has resource variables and shapes of
    integers: `v2_behavior` keeps both. Where a local module builds something when it is imported, the call comes before
    that import.
    """

    sources = ("tf.compat.v1.disable_eager_execution",)
    examples = (
        Example(
            "in place of the script's own switch",
            """
                import tensorflow.compat.v1 as tf

                tf.disable_v2_behavior()

                x = tf.placeholder(tf.float32, [])
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import graph_mode

                graph_mode()

                x = tf.placeholder(tf.float32, [])
                """,
        ),
        Example(
            "a script with resource variables of its own: a variable that is fetched with its update is read before it",
            """
                import tensorflow as tf

                tf.enable_resource_variables()
                x = tf.placeholder(tf.float32, [])
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import graph_mode

                graph_mode(resource_variables=True)
                x = tf.placeholder(tf.float32, [])
                """,
        ),
        Example(
            "a script that runs on TF 2 and switches eager execution off alone: its variables and shapes are TF 2's",
            """
                import tensorflow as tf

                tf.compat.v1.disable_eager_execution()
                x = tf.compat.v1.placeholder(tf.float32, [])
                """,
            """
                import tensorflow as tf
                from tf2towers.runtime import graph_mode

                graph_mode(v2_behavior=True)
                x = tf.compat.v1.placeholder(tf.float32, [])
                """,
        ),
    )

    def visit_Module(self, node: cst.Module) -> None:
        """Switches are removed; the main script gets `graph_mode()` in place of its first one or after its imports."""
        file, body = self.file, self.file.body
        switches = _find_calls(file, SWITCHES)
        given = _find_calls(file, {f"{RUNTIME}.graph_mode"})
        if not file.main or not set(body).isdisjoint(given):
            self.change(map(Removal, switches))
            return
        name = file.need("graph_mode")
        stop = find_import_location(file).stop
        standing = next((switch for switch in switches if switch in body[:stop]), None)
        call = f"{name}({_mode_of_its_own(file)})"
        self.change(replace_statement(each, [call] if each is standing else []) for each in switches)
        if standing is None:
            file.decided.open_with(call, first=True)
        else:
            file.decided.import_before(body.index(standing))
