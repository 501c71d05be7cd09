"""T2T612: tests of TensorFlow's version."""

from __future__ import annotations

import re

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.meanings import Imported
from tf2towers.codemod.program import File
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import VERSIONS

#: what makes a version that can be compared: of distutils, packaging, pkg_resources
_MAKERS = frozenset({"LooseVersion", "StrictVersion", "Version", "parse", "parse_version"})
#: methods that split a version, or test how it begins
_METHODS = frozenset({"find", "partition", "rfind", "rpartition", "rsplit", "split", "startswith"})
#: versions before 1.15 that are above it as a text, or as a decimal number
_ABOVE_AS_TEXT = re.compile(r"1\.[2-9]")


def _is_tested(file: File, version: cst.CSTNode) -> bool:
    """True if a script decides something by a version; else it only shows it."""
    match file.parent(version):
        case cst.Comparison():
            return True
        case cst.Subscript(value=of):
            return of is version
        case cst.Attribute(attr=cst.Name(value=name)):
            return name in _METHODS
        case cst.Call(func=called):
            return nodes.last_name(called) in _MAKERS
    return False


def _is_above_as_text(file: File, version: cst.CSTNode) -> bool:
    """True if a version is compared as a text with one that 1.15 would be below by mistake: no script means that."""
    for around in file.ancestors(version):
        if isinstance(around, cst.Call) and nodes.last_name(around.func) in _MAKERS:
            return False
        if isinstance(around, cst.Comparison):
            return any(_ABOVE_AS_TEXT.match(str(nodes.literal(side))) for side in nodes.sides_of(around))
    return False


class VersionTests(Rule):
    """Tests of TensorFlow's version

    What a script does for TensorFlow 1 is what the other rules have migrated. So `if tf.__version__.startswith('1.'):`
    still takes that branch, not those for 0.x or for 2. The version is that of TF 1.15 where it is compared, split, or
    tested for a prefix, also under another name.

    It is TensorFlow's own where it is only printed, and where 1.15 as a text would be taken for 1.1 (`>= '1.4'`). A
    script that imports tensorflow.compat.v1 itself has tests that know TF 2: they stay.
    """

    sources = ("tf.__version__ of TensorFlow 1.15.5",)
    examples = (
        Example(
            "another order of the arguments for each version",
            """
                import tensorflow as tf

                old = tf.__version__.startswith('0.')
                x = tf.placeholder(tf.float32, [None])
                print(tf.__version__, tf.concat(0, [x, x]) if old else tf.concat([x, x], 0))
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import graph_mode

                graph_mode()

                old = "1.15.5".startswith('0.')
                x = tf.placeholder(tf.float32, [None])
                print(tf.__version__, tf.concat(axis=0, values=[x, x]) if old else tf.concat([x, x], 0))
                """,
        ),
    )

    def visit_Symbol(self, node: nodes.Symbol, canonical: str) -> None:
        """Replaces a version by that of the last TF1, where the script decides something by it."""
        file = self.file
        version: cst.BaseExpression = node
        # of `tf.__version__.split`
        while canonical not in VERSIONS and isinstance(version, cst.Attribute):
            version, canonical = version.value, canonical.rpartition(".")[0]
        bindings = file.meanings.bindings(nodes.root_of(version))
        plain = all(isinstance(each, Imported) for each in bindings) and file.names.is_plain(node)
        if canonical not in VERSIONS or file.program.plain_is_tf2 or not plain:
            return
        uses: list[cst.CSTNode] = [version]
        statement = file.parent(version)
        if isinstance(statement, cst.Assign):
            names = set(map(nodes.last_name, nodes.targets(statement)))
            uses = [use for use in file.tree.read_names if use.value in names]
        if any(_is_tested(file, use) for use in uses) and not any(
            _is_above_as_text(file, use) for use in uses
        ):
            quotes = (
                outer.quote for outer in file.ancestors(version) if isinstance(outer, cst.FormattedString)
            )
            self.replace(version, "'1.15.5'" if any('"' in quote for quote in quotes) else '"1.15.5"')
