"""What rules make of a file's nodes: a node, and what becomes of it; statements that come in, and that go.

`becomes` is a function of the node after what is in it has changed. It is also given `now`, which says what has become
of another node that is in it, or before it. So decisions of several rules about nested nodes compose.
`apply_changes.py` makes all of them in one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import libcst as cst
from libcst.helpers import parse_template_expression, parse_template_statement

from tf2towers.codemod.nodes import Statement
from tf2towers.codemod.tree import Text

#: gives what a node of the file has become
Now = Callable[[Any], Any]
Becomes = Callable[[Any, Now], Any]
Line = cst.SimpleStatementLine | cst.BaseCompoundStatement

COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
_NOTHING = cst.SimpleWhitespace("")


@dataclass(frozen=True, eq=False)
class Replacement:
    """A node, and what becomes of it: a node, several (`FlattenSentinel`), or none (`RemoveFromParent`).

    Attributes:
        site: what a report shows as edited, where that is a part of the node.
        and_below: whether new lines come after the node as well.
    """

    node: cst.CSTNode
    becomes: Becomes
    site: cst.CSTNode | None = None
    and_below: bool = False


@dataclass(frozen=True, eq=False)
class Insertion:
    """Statements that come in before a statement, or before the comments directly above it as well.

    `blank_after` is the number of blank lines between them and what they are before.
    """

    node: Statement
    lines: Callable[[Now], Sequence[Line]]
    above_comments: bool = False
    blank_after: int = 0


@dataclass(frozen=True, eq=False)
class Removal:
    """A statement that goes, with its line; `pass` is in its place where nothing else is left of a block or a line.

    Attributes:
        comments: what happens to those directly above it: they stay; or they go as well, with one of the gaps around
            them; or they are taken to another place.
    """

    node: Statement
    comments: Literal["stay", "go", "taken"] = "stay"


Change = Replacement | Insertion | Removal


def edited_lines(text: Text, change: Change) -> list[int]:
    """The lines of a file that a report shows as edited."""
    if not isinstance(change, Replacement):
        return [text.first_line(change.node)]
    below = [text.last_line(change.node) + 1] if change.and_below else []
    return [text.first_line(change.site or change.node), *below]


# -- new nodes ---------------------------------------------------------------------------------------------------------


def replace(node: cst.CSTNode, template: str, **parts: cst.CSTNode) -> Replacement:
    """An expression becomes that of a text, in the brackets that it is in.

    `{name}` stands in the text for what has become of a part of the expression, or of the expression itself.
    """

    def becomes(updated: cst.BaseExpression, now: Now) -> cst.BaseExpression:
        made = {name: updated if part is node else now(part) for name, part in parts.items()}
        given = {name: as_argument(part) for name, part in made.items()}
        return in_its_place(expression(template, **given), updated)

    return Replacement(node, becomes)


def in_its_place(new: cst.BaseExpression, old: cst.BaseExpression) -> cst.BaseExpression:
    """An expression, in the brackets around the one that it replaces; those of a tuple or a generator are its own."""
    opened, closed = around(old)
    if not opened:
        return new
    return new.with_changes(lpar=[*opened, *new.lpar], rpar=[*new.rpar, *closed])


def around(node: cst.BaseExpression) -> tuple[Sequence[cst.LeftParen], Sequence[cst.RightParen]]:
    """The brackets around an expression that are not its own, as those of a tuple are."""
    if isinstance(node, cst.Tuple | cst.GeneratorExp):
        return node.lpar[:-1], node.rpar[1:]
    return node.lpar, node.rpar


def bare(node: Any) -> Any:
    """An expression without brackets around it, or an argument without its comma, for another place."""
    if isinstance(node, cst.Arg):
        return node.with_changes(comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=_NOTHING)
    opened, closed = around(node)
    return node.with_changes(lpar=node.lpar[len(opened) :], rpar=node.rpar[: len(node.rpar) - len(closed)])


def in_a_statement(node: Any) -> Any:
    """An expression for `return` or the right of `=`: in brackets where it needs them, as one of several lines may."""
    alone = bare(node)
    try:
        cst.parse_expression(cst.Module([]).code_for_node(alone))
    except cst.ParserSyntaxError:
        return alone.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return alone


def expression(template: str, **parts: Any) -> Any:
    """The expression of a text, in which `{name}` stands for a node."""
    return parse_template_expression(template, **parts) if parts else cst.parse_expression(template)


def line(template: str, **parts: Any) -> Any:
    """The statement of a text, in which `{name}` stands for a node."""
    return parse_template_statement(template, **parts) if parts else cst.parse_statement(template)


def small(template: str, **parts: Any) -> Any:
    """As `line`, for a statement without a line of its own."""
    return line(template, **parts).body[0]


def in_line(new: cst.BaseSmallStatement, old: cst.BaseSmallStatement) -> cst.BaseSmallStatement:
    """A statement in the place of another one, in a line that may have more."""
    return new.with_changes(semicolon=old.semicolon)


def replace_statement(node: cst.BaseSmallStatement, texts: Sequence[str]) -> Change:
    """A statement becomes those of some texts; it goes where there are none."""
    *first, last = map(small, texts or ("pass",))
    made = Replacement(node, lambda updated, now: cst.FlattenSentinel([*first, in_line(last, updated)]))
    return made if texts else Removal(node)


# -- arguments ---------------------------------------------------------------------------------------------------------


def as_argument(node: Any) -> Any:
    """An expression for a call; a tuple gets brackets."""
    if isinstance(node, cst.Tuple) and not node.lpar:
        return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return bare(node)


def given_by(keyword: str) -> Becomes:
    """What gives a positional argument by a keyword, or one by another keyword."""
    equal = cst.AssignEqual(_NOTHING, _NOTHING)

    def becomes(updated: cst.Arg, now: Now) -> cst.Arg:
        kept = updated.equal if updated.keyword is not None else equal
        return updated.with_changes(keyword=cst.Name(keyword), equal=kept)

    return becomes


def argument(text: str) -> cst.Arg:
    """The argument of a text: `axis=0`."""
    return cst.ensure_type(cst.parse_expression(f"f({text})"), cst.Call).args[0]


def with_argument(args: Sequence[cst.Arg], new: cst.Arg) -> list[cst.Arg]:
    """Arguments, of which there are some, and one more after them; a comma after the last one stays the last."""
    before = args[-1]
    last = new.with_changes(comma=before.comma, whitespace_after_arg=before.whitespace_after_arg)
    return [*args[:-1], before.with_changes(comma=COMMA, whitespace_after_arg=_NOTHING), last]


# -- lines -------------------------------------------------------------------------------------------------------------


def is_blank(empty: cst.EmptyLine) -> bool:
    """True if a line has no comment."""
    return empty.comment is None


def comments_above(leading: Sequence[cst.EmptyLine]) -> int:
    """How many of the lines above a statement, from its own on, are comments."""
    count = 0
    while count < len(leading) and not is_blank(leading[-1 - count]):
        count += 1
    return count


def without_first_blanks(lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """Lines from the first comment on."""
    count = 0
    while count < len(lines) and is_blank(lines[count]):
        count += 1
    return list(lines[count:])


def without_last_blanks(lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """Lines up to the last comment."""
    return without_first_blanks(lines[::-1])[::-1]


def blank_lines(count: int) -> Iterator[cst.EmptyLine]:
    """Some blank lines."""
    return (cst.EmptyLine(indent=False) for _ in range(count))
