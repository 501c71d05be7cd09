"""T2T617: generators that end by `raise StopIteration`."""

from __future__ import annotations

from functools import partial
from typing import Any

import libcst as cst
import libcst.matchers as m

from tf2towers.codemod.changes import Now, Replacement, bare, in_line, small
from tf2towers.codemod.nodes import OWN_NAMES, block, walk
from tf2towers.codemod.program import File
from tf2towers.codemod.rule import Example, Rule

_END = m.Name("StopIteration")
_VALUE = m.SaveMatchedNode(m.DoNotCare(), "value")
_CALL = m.Call(_END, [m.AtMostN(m.Arg(_VALUE, keyword=None, star=""), n=1)])
_RAISE = m.Raise(_END | _CALL, cause=None)
_CAUGHT = _END | m.Name("Exception") | m.Name("BaseException")


def _return(value: Any, updated: cst.Raise, now: Now) -> cst.BaseSmallStatement:
    """`return x` for `raise StopIteration(x)`."""
    given = small("return {value}", value=bare(now(value))) if value is not None else small("return")
    return in_line(given, updated)


def _ends_generator(file: File, node: cst.Raise) -> bool:
    """True if a `raise` certainly ends the generator that it is in."""
    for inner, around in file.steps_outwards(node):
        if isinstance(around, cst.FunctionDef):
            is_generator = any(isinstance(part, cst.Yield) for part in walk(*block(around), but=OWN_NAMES))
            return around.asynchronous is None and is_generator
        if isinstance(around, cst.ClassDef):
            return False
        handlers = around.handlers if isinstance(around, cst.Try) and inner in block(around) else ()
        if any(each.type is None or m.findall(each.type, _CAUGHT) for each in handlers):
            return False
        if isinstance(around, cst.With) and any(m.findall(item, _END) for item in around.items):
            return False
    return False


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


                def batches(x, size):
                    start = 0
                    while True:
                        if start >= len(x):
                            raise StopIteration
                        yield x[start : start + size]
                        start += size


                for batch in batches([1, 2, 3], 2):
                    tf.Session().run(tf.constant(batch))
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import Session, graph_mode

                graph_mode()


                def batches(x, size):
                    start = 0
                    while True:
                        if start >= len(x):
                            return
                        yield x[start : start + size]
                        start += size


                for batch in batches([1, 2, 3], 2):
                    Session().run(tf.constant(batch))
                """,
        ),
        Example(
            "one that the generator catches, and an iterator by a class: they stay",
            """
                import tensorflow as tf


                class Steps:
                    def __next__(self):
                        raise StopIteration


                def steps(n):
                    try:
                        for step in range(n):
                            yield step
                        raise StopIteration
                    except StopIteration:
                        yield -1


                print(tf.Session().run(tf.constant(list(steps(2)))))
                """,
        ),
    )

    def visit_Raise(self, node: cst.Raise) -> None:
        """`return`, with the value that the error had."""
        found = m.extract(node, _RAISE)
        if found is None or self.file.meanings.bindings(getattr(node.exc, "func", node.exc)):
            return
        if not m.findall(node, m.Newline()) and _ends_generator(self.file, node):
            self.changes.append(Replacement(node, partial(_return, found.get("value"))))
