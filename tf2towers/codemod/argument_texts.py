"""Where the text of a call's argument is, and a call with one more or one less."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.edits import Edit, Text


def without_argument(text: Text, call: cst.Call, given: cst.Arg) -> Edit:
    """Takes an argument out of a call, with the comma before it or, where it is the first argument, after it.

    A comment between the comma and the argument stays, and the comma with it.
    """
    start, end = text.start(given), text.end(given)
    place = call.args.index(given)
    if place:
        comma = text.text.index(",", text.end(call.args[place - 1]))
        has_comment = "#" in text.text[comma:start]
        return Edit(start if has_comment else comma, end, "", whole=True)
    return Edit(start, text.start(call.args[1]) if len(call.args) > 1 else end, "", whole=True)


def start_of_argument(text: Text, call: cst.Call, place: int) -> int:
    """Where an argument starts, its own parentheses included."""
    return text.start(call.args[place])


def added_argument(text: Text, call: cst.Call, added: str) -> Edit:
    """Adds an argument after the last one of a call that has some."""
    end = text.end(call.args[-1])
    return Edit(end, end, f", {added}")
