"""The commands in a line for the shell."""

import re
import shlex
from typing import List

from .refusals import RefusedCommand

_STARTS = frozenset(["if", "then", "else", "elif", "do", "while", "until", "!", "{", "time"])
_ENDS = frozenset(["fi", "done", "}"])


def commands_of(text: str) -> List[List[str]]:
    """Each command of a line as a list of words.

    Raises `RefusedCommand` where the line writes to a file with `>`, or has a command within quotes.
    """
    lexer = shlex.shlex(text.replace("\n", " ; "), posix=True, punctuation_chars=True)
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        raise _refused(text)
    found: List[List[str]] = [[]]
    place = 0
    while place < len(words):
        word = words[place]
        place += 1
        if "`" in word or "$(" in word:
            raise _refused(text)
        if set(word) <= set(";&|()"):
            if not (word == "&" and re.match(r"\d*$|-$", "".join(words[place : place + 1])) and found[-1]):
                found.append([])
        elif ">" in word and set(word) <= set("<>&|"):
            target = "".join(words[place : place + 1])
            if target != "/dev/null" and not ("&" in word and re.match(r"\d+$|-$", target)):
                raise _refused(text)
            place += 1
        elif word in _STARTS and not found[-1]:
            continue
        elif word not in _ENDS or found[-1]:
            found[-1].append(word)
    return [command for command in found if command]


def _refused(text: str) -> RefusedCommand:
    return RefusedCommand(
        "the script runs `{}` in a shell, which may write to the disk: tf2towers does not".format(text)
    )
