"""T2T627: a session of a server that another program makes."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.codemod.nodes import Symbol, imported, last_name, literal
from tf2towers.codemod.program import File
from tf2towers.codemod.reached import never_called_around
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import RUNTIME, SESSIONS, public_name, session_names
from tf2towers.report.paths import with_quoted_code

_TARGETS = ("target", "master")


def _session_makers(file: File) -> Iterator[str]:
    """The sessions and servers that a file uses, by their names in the runtime."""
    for _, canonical in file.symbols:
        if (name := session_names().get(public_name(canonical))) is not None:
            yield name
    for line in file.all(cst.ImportFrom):
        for _, name in imported(line):
            module, _, last = name.rpartition(".")
            if module == RUNTIME and last in session_names().values():
                yield last


def _is_help(text: cst.CSTNode, parent: cst.CSTNode) -> bool:
    """True if a text is a flag's help: the third argument of its definition, or `help`."""
    if isinstance(parent, cst.Arg):
        return parent.keyword is not None and parent.keyword.value == "help"
    defines = isinstance(parent, cst.Call) and last_name(parent.func).startswith("DEFINE_")
    return defines and isinstance(parent, cst.Call) and [each.value for each in parent.args[2:3]] == [text]


def _session_target(call: cst.Call) -> cst.BaseExpression | None:
    """The target of the session that a call makes, if the call gives one."""
    for place, given in enumerate(call.args):
        if given.keyword is not None and given.keyword.value in _TARGETS:
            return given.value
        if place == 0 and given.keyword is None and SESSIONS.fullmatch(last_name(call.func)):
            return given.value
    return None


class RemoteSession(Rule):
    """A session of a server that another program makes

    In TF1 a program could send its whole graph to a server of which it knew only the address ('grpc://host:2222'). A TF
    2 program has to know the cluster. A session's target is that of a `tf.train.Server` of its own process, or of
    another task of the same cluster.
    """

    does = "refuses"
    programs = frozenset({"tf1", "migrated", "other"})
    todo = """
    Make the program a task of the cluster: make a tf.train.Server with the cluster's hosts and this program's own
    job and index, and use its target. The other tasks call server.join().
    """
    examples = (
        Example(
            "a client that is in no cluster",
            """
                import tensorflow as tf

                with tf.device('/job:worker/task:0'):
                    x = tf.constant(1)
                with tf.Session('grpc://localhost:2222') as sess:
                    print(sess.run(x))
                """,
            left=True,
        ),
    )

    def applies(self) -> bool:
        """True if the program makes sessions and no server."""
        makers = {name for other in self.file.program.files for name in _session_makers(other)}
        return bool(makers) and "Server" not in makers

    def visit_Symbol(self, node: Symbol, canonical: str) -> None:
        """Notes each cluster."""
        if public_name(canonical) == "tf.train.ClusterSpec" and never_called_around(self.file, node) is None:
            self.note(node, "no server of the cluster is made here: the session's is elsewhere")

    def visit_Module(self, node: cst.Module) -> None:
        """Notes each address of a server."""
        file = self.file
        for text in file.tree.literals if "grpc://" in file.script.text else ():
            value, parent = literal(text), file.parent(text)
            if isinstance(value, str) and value.startswith("grpc://"):
                if not isinstance(parent, cst.Expr | cst.Dict | cst.Set) and not _is_help(text, parent):
                    message = "a session of a server that another program makes"
                    self.note(text, with_quoted_code(message, file.text.of(file.statement(text))))

    def visit_Call(self, node: cst.Call) -> None:
        """Notes a target that a flag says: it may be another program's server, or empty, as it is by default."""
        target = _session_target(node)
        if isinstance(target, cst.Attribute) and last_name(target.value) == "FLAGS":
            message = "a flag gives the session's target, and no server is made here: leave it empty, because another"
            self.note(node, f"{message} program's server is refused when the session is made", "note")
