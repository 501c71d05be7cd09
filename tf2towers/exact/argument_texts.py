"""Where the text of a call's argument is, and a call with one more or one less."""

from __future__ import annotations

import ast

from tf2towers.exact.edits import Edit, Text


def without_argument(text: Text, call: ast.Call, keyword: ast.keyword) -> Edit:
    """Takes a keyword out of a call, with the comma before it or, where it is the first argument, behind it.

    A comment between the comma and the keyword stays, and the comma with it.
    """
    start, end = text.start(keyword), text.end(keyword)
    ends = [*map(text.end, call.args), *map(text.end, call.keywords)]
    before = [place for place in ends if place < start]
    if before:
        comma = text.text.index(",", max(before))
        has_comment = "#" in text.text[comma:start]
        return Edit(start if has_comment else comma, end, "", whole=True)
    behind = [text.start(other) for other in call.keywords if text.start(other) > end]
    return Edit(start, min(behind, default=end), "", whole=True)


def start_of_argument(text: Text, call: ast.Call, place: int) -> int:
    """Where an argument starts, its own parentheses included."""
    start = text.start(call.args[place])
    end_before = text.end(call.func if place == 0 else call.args[place - 1])
    opened = [at for at in range(end_before, start) if text.text[at] == "("]
    gap = text.text[end_before:start]
    if place and "," in gap:
        opened = [at for at in opened if at > end_before + gap.rindex(",")]
    elif place == 0:
        opened = opened[1:]
    return opened[0] if opened else start


def added_argument(text: Text, call: ast.Call, added: str) -> Edit:
    """Adds an argument behind the last one of a call that has some."""
    last = max([*call.args, *(keyword.value for keyword in call.keywords)], key=text.end)
    end = text.end(last)
    if last in call.args:
        opening = text.text[start_of_argument(text, call, call.args.index(last)) : text.start(last)]
    else:
        keyword = next(keyword for keyword in call.keywords if keyword.value is last)
        opening = text.text[text.start(keyword) : text.start(last)]
    for _ in range(opening.count("(")):
        end = text.text.index(")", end) + 1
    return Edit(end, end, f", {added}")
