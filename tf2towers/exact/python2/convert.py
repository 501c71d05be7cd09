"""`converted`: a script of Python 2 as a script of Python 3 that means the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tf2towers.exact.lines.long_lines import fitted
from tf2towers.exact.python2.grammar import NotPython2, expanded_tabs, parses
from tf2towers.exact.python2.grammar import converted as by_grammar
from tf2towers.exact.python2.meaning import Meaning
from tf2towers.source.conversion import Conversion, Step
from tf2towers.source.errors import NotPython3, SourceError
from tf2towers.source.script import Script
from tf2towers.source.syntax import check_syntax, parse


def converted(script: Script, *, in_package: bool = False, prints_are_calls: bool = False) -> Script | None:
    """The script in Python 3; None where its text is no Python 2 either, or cannot be converted.

    SourceError where the compiler of Python 3 refuses what Python 2 took.

    A text that is Python 3, too, is taken as a module of a program in Python 2.
    """
    before = script.text
    crlf = "\r\n" in before and before.count("\r\n") == before.count("\n")
    text = before.replace("\r\n", "\n") if crlf else before
    if not parses(text):
        return None
    steps: list[Step] = []
    try:
        if not _is_python3(text, script.path) and "\t" in text:
            text, tabs = expanded_tabs(text)
            steps += [Step("tabs in the indentation", line) for line in tabs]
        text, found, bound = by_grammar(
            text, str(script.path), in_package=in_package, prints_are_calls=prints_are_calls
        )
        middle = Conversion(before.replace("\r\n", "\n"), text)
        meaning = Meaning(text, parse(text, script.path), bound)
        after = meaning.converted()
    except (NotPython2, SyntaxError, ValueError):
        return None
    after = fitted(middle.before, after, "\n")
    if crlf:
        after = after.replace("\n", "\r\n")
    try:
        check_syntax(after, script.path)
    except NotPython3:
        return None
    steps += found
    steps += [replace(step, line=middle.line_before(step.line)) for step in meaning.steps]
    steps.sort(key=lambda step: step.line)
    left = tuple(replace(step, line=middle.line_before(step.line)) for step in meaning.left)
    if after == before and not left:
        return script
    return replace(script, text=after, conversion=Conversion(before, after, tuple(steps), left))


def _is_python3(text: str, path: Path) -> bool:
    try:
        check_syntax(text, path)
    except SourceError:
        return False
    return True
