"""T2T617: generators that end by `raise StopIteration`."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m

from tf2towers.codemod.changes import Now, Replacement, in_a_statement, in_line, small
from tf2towers.codemod.nodes import OWN_NAMES, block, walk
from tf2towers.codemod.program import File
from tf2towers.codemod.rule import Example, Rule

_END = m.Name("StopIteration")
_CALL = m.Call(_END, [m.AtMostN(m.Arg(keyword=None, star=""), n=1)])
_RAISE = m.Raise(_END | _CALL, cause=None)
_CAUGHT = _END | m.Name("Exception") | m.Name("BaseException")


def _ends_generator(file: File, node: cst.Raise) -> bool:
    """True if a `raise` certainly ends the generator that it is in."""
    caught: list[cst.CSTNode | None] = []
    for inner, around in file.steps_outwards(node):
        if isinstance(around, cst.Try) and inner in block(around):
            caught += [handler.type for handler in around.handlers]
        elif isinstance(around, cst.With):
            caught += around.items
        elif isinstance(around, cst.FunctionDef | cst.ClassDef):
            is_generator = any(isinstance(part, cst.Yield) for part in walk(*block(around), but=OWN_NAMES))
            is_caught = any(each is None or m.findall(each, _CAUGHT) for each in caught)
            return (
                is_generator
                and isinstance(around, cst.FunctionDef)
                and not (around.asynchronous or is_caught)
            )
    return False


def _return(updated: cst.Raise, now: Now) -> cst.BaseSmallStatement:
    """`return`, with the value that the error had."""
    given = updated.exc.args if isinstance(updated.exc, cst.Call) else ()
    made = small("return {value}", value=in_a_statement(given[0].value)) if given else small("return")
    return in_line(made, updated)


class GeneratorEnds(Rule):
    """A generator ends by `return`

    `raise StopIteration` ended a generator until Python 3.6. From 3.7 on the loop over it gets a RuntimeError, so the
    first epoch would end the program. `return` ends a generator in every Python. Where the generator itself catches
    the error it stays.
    """

    programs = frozenset({"tf1", "migrated"})
    modules = True
    sources = ("PEP 479",)
    examples = (
        Example(
            "batches of one epoch",
            """
                import tensorflow as tf


                def batches(x):
                    yield x
                    raise StopIteration


                print([tf.Session().run(tf.constant(each)) for each in batches(1)])
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import Session, graph_mode

                graph_mode()


                def batches(x):
                    yield x
                    return


                print([Session().run(tf.constant(each)) for each in batches(1)])
                """,
        ),
    )

    def visit_Raise(self, node: cst.Raise) -> None:
        """`return`, where the error certainly ends the generator that it is in."""
        if m.matches(node, _RAISE) and not self.file.meanings.bindings(getattr(node.exc, "func", node.exc)):
            if _ends_generator(self.file, node):
                self.changes.append(Replacement(node, _return))
