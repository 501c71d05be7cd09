"""Lines below an open bracket move with it, and nothing else does."""

from pathlib import Path
from textwrap import dedent

import libcst as cst
import pytest

from tf2towers.codemod.apply_changes import apply_changes, with_aligned_lines
from tf2towers.codemod.changes import Insertion, replace
from tf2towers.codemod.tree import Tree

#: `long.name` becomes `name`: before, after
MOVED = [
    ("x = long.name(1,\n              2)\n", "x = name(1,\n         2)\n"),
    (dedent(
        """\
        x = long.name(1,
                      2,
                      3)
        """
    ), dedent(
        """\
        x = name(1,
                 2,
                 3)
        """
    )),
    (dedent(
        """\
        x = long.name(f(1,
                        2),
                      3)
        """
    ), dedent(
        """\
        x = name(f(1,
                   2),
                 3)
        """
    )),
    (dedent(
        """\
        x = f(long.name(1,
                        2),
              3)
        """
    ), dedent(
        """\
        x = f(name(1,
                   2),
              3)
        """
    )),
    (dedent(
        """\
        x = long.name(1,
                      # why
                      2
                     )
        """
    ),
     dedent(
         """\
         x = name(1,
                  # why
                  2
                 )
         """
     )),
    (dedent(
        """\
        x = long.name(1,
                      [2,
                       3])
        """
    ), dedent(
        """\
        x = name(1,
                 [2,
                  3])
        """
    )),
    (dedent(
        """\
        x = long.name(f(
                          1),
                      2)
        """
    ),
     dedent(
         """\
         x = name(f(
                           1),
                  2)
         """
     )),
    (dedent(
        """\
        with long.name(1,
                       2):
            y = [1,
                 2]
        """
    ),
     dedent(
         """\
         with name(1,
                   2):
             y = [1,
                  2]
         """
     )),
    (dedent(
        """\
        def f():
            return long.name(1,
                             2)
        """
    ),
     dedent(
         """\
         def f():
             return name(1,
                         2)
         """
     )),
]  # fmt: skip

#: the lines after the first stay as they are
STAY = [
    "x = f(1,\n      long.name)\n",
    dedent(
        """\
        x = long.name(
            1,
            2)
        """
    ),
    "x = long.name(1,\n    2)\n",
    "x = long.name('''\n              text\n              ''')\n",
    "x = long.name(1,\n\t      2)\n",
    "x = f(1, long.name,\n      2)\n",
    "x = long.name + \\\n              2\n",
    dedent(
        """\
        if long.name:
            y = f(1,
                  2)
        """
    ),
]


def shortened(text: str) -> str:
    tree = Tree(text, Path("script.py"))
    changed = apply_changes(tree, [replace(node, "name") for node in tree.all(cst.Attribute)])
    lines = with_aligned_lines(changed).lines
    return "".join(tree.module.code_for_node(each) for line in tree.module.body for each in lines[line])


@pytest.mark.parametrize(("before", "after"), MOVED)
def test_lines_that_move_with_their_bracket(before: str, after: str) -> None:
    assert shortened(before) == after


@pytest.mark.parametrize("text", STAY)
def test_lines_that_stay(text: str) -> None:
    assert shortened(text) == text.replace("long.name", "name")


def test_the_lines_of_what_moves_elsewhere_move_with_its_bracket() -> None:
    tree = Tree("x = h(f(1,\n        2))\n", Path("script.py"))
    outer, inner = tree.all(cst.Call)
    [statement] = tree.module.body
    made = Insertion(tree.statement(outer), lambda now: [cst.SimpleStatementLine([cst.Return(now(inner))])])
    lines = with_aligned_lines(apply_changes(tree, [made, replace(outer, "g()")])).lines[statement]
    text = "".join(map(tree.module.code_for_node, lines))
    assert text == dedent(
        """\
        return f(1,
                 2)
        x = g()
        """
    )
