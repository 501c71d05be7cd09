"""Changes of nested nodes compose in one pass, and statements come and go with the lines that are theirs."""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import libcst as cst
import pytest

from tf2towers.codemod.apply_changes import apply_changes
from tf2towers.codemod.changes import (
    Change,
    Insertion,
    Removal,
    Replacement,
    expression,
    line,
    replace,
    replace_statement,
)
from tf2towers.codemod.nodes import Statement
from tf2towers.codemod.tree import Tree


def changed(text: str, make: Callable[[Tree], list[Change]]) -> str:
    """A text after changes of its tree."""
    tree = Tree(dedent(text), Path("script.py"))
    return tree.text_of(apply_changes(tree, make(tree)).module)


def statement(tree: Tree, name: str) -> Statement:
    """The statement that assigns to a name."""
    return next(
        each
        for each in tree.all(cst.Assign)
        if cst.ensure_type(each.targets[0].target, cst.Name).value == name
    )


def test_the_outer_change_has_what_the_inner_one_made() -> None:
    def make(tree: Tree) -> list[Change]:
        outer, inner = tree.all(cst.Call)
        wrapped = Replacement(
            outer, lambda updated, now: expression("g({of}, {again})", of=updated, again=now(inner))
        )
        return [wrapped, replace(inner.func, "new.name")]

    assert changed("x = (f(old(1)))\n", make) == "x = g((f(new.name(1))), new.name(1))\n"


def test_an_expression_keeps_the_brackets_around_it() -> None:
    text = "x = (a.b  # why\n     )\n"
    assert changed(text, lambda tree: [replace(tree.all(cst.Attribute)[0], "c")]) == text.replace("a.b", "c")


#: a script, and what it is without the statement that assigns to `gone`
GONE = {
    "blank lines around it: those above stay": (
        """
        a = 1

        gone = 2

        b = 3
        """,
        """
        a = 1

        b = 3
        """,
    ),
    "a comment above it comes down": (
        """
        a = 1

        # of both
        gone = 2
        b = 3
        """,
        """
        a = 1

        # of both
        b = 3
        """,
    ),
    "a comment beside it has a line of its own, but one for a linter": (
        """
        if a:
            gone = 2  # noqa
            gone = 2  # two
            b = 3
        """,
        """
        if a:
            # two
            b = 3
        """,
    ),
    "all of a block": (
        """
        if a:
            # nothing
            gone = 2  # two
        """,
        """
        if a:
            # nothing
            pass  # two
        """,
    ),
    "one of a line": (
        """
        a = 1; gone = 2; b = 3
        if a: gone = 2
        """,
        """
        a = 1; pass; b = 3
        if a: pass
        """,
    ),
    "the last of a block": (
        """
        def f():
            a = 1
            # why
            gone = 2

        b = 3
        """,
        """
        def f():
            a = 1
            # why

        b = 3
        """,
    ),
}  # fmt: skip


@pytest.mark.parametrize("before, after", GONE.values(), ids=GONE)
def test_a_statement_goes(before: str, after: str) -> None:
    def make(tree: Tree) -> list[Change]:
        found = (each for each in tree.all(cst.Assign) if tree.module.code_for_node(each).startswith("gone"))
        return [Removal(each) for each in found]

    assert changed(before, make) == dedent(after)


def test_its_comments_go_as_well() -> None:
    before = """\
        a = 1

        # of it
        gone = 2

        b = 3
        """
    assert changed(before, lambda tree: [Removal(statement(tree, "gone"), "go")]) == dedent(
        """\
        a = 1

        b = 3
        """
    )


def test_new_lines_get_the_lines_above() -> None:
    before = """\
        a = 1

        # of b
        b = 2
        """
    for above_comments, after in (
        (
            False,
            dedent(
                """\
        # of b
        new()
        b = 2
        """
            ),
        ),
        (
            True,
            dedent(
                """\
        new()
        # of b
        b = 2
        """
            ),
        ),
    ):
        text = changed(
            before,
            lambda tree, above=above_comments: [  # type: ignore[misc]
                Insertion(statement(tree, "b"), lambda now: [line("new()")], above_comments=above)
            ],
        )
        assert text == f"a = 1\n\n{after}"


def test_several_statements_in_the_place_of_one_have_lines_where_it_was_alone() -> None:
    def make(tree: Tree) -> list[Change]:
        return [replace_statement(each, ["import b", "import c"]) for each in tree.all(cst.Import)]

    assert changed("# of a\nimport a  # beside\n", make) == dedent(
        """\
        # of a
        import b
        import c  # beside
        """
    )
    assert changed("import a; x = 1\n", make) == "import b; import c; x = 1\n"
