"""T2T602: every form of a TensorFlow import."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.changes import replace_statement
from tf2towers.codemod.dead_code import can_drop_import
from tf2towers.codemod.names import V1, NewImport, imports_made_by, is_tensorflow
from tf2towers.codemod.program import File
from tf2towers.codemod.reached import is_named
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import RUNTIME, canonical_name, is_gone_private


def _keep_import(file: File, node: nodes.Import, made: NewImport) -> NewImport:
    """The import as it was, if TF 2 has it, or if a name that is used through a module of contrib is left."""
    module = nodes.module_of(node)
    was = NewImport(module, nodes.name_of(made.alias), made.bound, made.alias)
    if not made.module.startswith("tf2towers."):
        moved = is_gone_private(canonical_name(f"{module}.{nodes.name_of(made.alias)}"))
        plain = made.left is None and not moved and not module.startswith("tensorflow.compat")
        return was if plain and file.program.plain_is_tf2 else made
    if (
        file.program.plain_is_tf2
        and made.name != "ModeKeys"
        and f"{module}.".startswith("tensorflow.estimator.")
    ):
        return was
    return was if file.decided.is_left_through(made.bound) else made


def _only_loads(file: File, made: NewImport) -> bool:
    """True if an import only loads a module that is gone (`import tensorflow.python.platform`) and is not named."""
    goes_by_itself = (
        made.name == V1 and nodes.asname_of(made.alias) is None and nodes.name_of(made.alias) != made.bound
    )
    return goes_by_itself and not is_named(file, made.alias)


def _is_unchanged(node: nodes.Import, made: NewImport) -> bool:
    return (made.module, made.name) == (nodes.module_of(node), nodes.name_of(made.alias))


class Imports(Rule):
    """Every form of a TensorFlow import

    `import tensorflow as tf` becomes `import tensorflow.compat.v1 as tf`, and the symbols below it stay. A name that is
    imported by itself (`from tensorflow import placeholder`) comes from there too. A session, or a module of contrib
    (`import tensorflow.contrib.slim as slim`), comes from tf2towers.runtime. A program that runs on TF 2 already keeps
    its imports.
    """

    sources = ("codemod/symbols.tsv",)
    examples = (
        Example(
            "names imported by themselves",
            """
                import tensorflow.contrib.slim as slim
                from tensorflow import Session, float32, placeholder

                x = placeholder(float32, [None, 4])
                y = slim.fully_connected(x, 2)
                """,
            """
                from tensorflow.compat.v1 import float32, placeholder
                from tf2towers.runtime import Session, graph_mode, slim

                graph_mode()

                x = placeholder(float32, [None, 4])
                y = slim.fully_connected(x, 2)
                """,
        ),
    )

    def visit_Module(self, node: cst.Module) -> None:
        """A new statement for each import whose names come from elsewhere now."""
        for statement in self.file.imports:
            if any(is_tensorflow(dotted) for _, dotted in nodes.imported(statement)):
                self._rewrite(statement)

    def _rewrite(self, node: nodes.Import) -> None:
        file = self.file
        made = [
            _keep_import(file, node, import_)
            for import_ in imports_made_by(file.names.keeps_plain, node)
            if not (
                can_drop_import(file, node, import_)
                if import_.left is not None
                else _only_loads(file, import_)
            )
        ]
        for import_ in made:
            if import_.left is not None:
                file.note(node, import_.left.code, import_.left.why)
        if len(made) == len(nodes.aliases(node)) and all(_is_unchanged(node, import_) for import_ in made):
            return
        groups: dict[str, list[NewImport]] = {}
        for import_ in made:
            if not self._moves(node, import_):
                groups.setdefault(import_.module, []).append(import_)
        lines = [
            f"{f'from {module} ' if module else ''}import {', '.join(import_.text for import_ in group)}"
            for module, group in groups.items()
        ]
        self.changes.append(replace_statement(node, lines))

    def _moves(self, node: nodes.Import, made: NewImport) -> bool:
        """True if a name comes with the others that the file takes from the runtime; adds it to these."""
        file = self.file
        if node not in file.body or made.name == "*" or _is_unchanged(node, made):
            return False
        if not file.meanings.imported_meaning(made.bound):
            return False
        if made.module.startswith(f"{RUNTIME}."):
            file.decided.bind(made.bound, made.module, made.name)
        elif made.module == RUNTIME:
            if file.decided.wanted.setdefault((RUNTIME, made.name), made.bound) != made.bound:
                file.decided.bind(made.bound, RUNTIME, made.name)
        return f"{made.module}.".startswith(f"{RUNTIME}.")
