r"""`text_of_bytes`: what bytes in a string of Python 2 are in decoded text.

Python 2 read files as bytes, so scripts look for a byte order mark by `'\xef\xbb\xbf'`. In UTF-8 no
character's bytes are found inside of others: a search for them finds what a search for the
character finds. Bytes that no UTF-8 has are found nowhere, and neither are the surrogates that
stand for them. A part of a character (`'\xc2'`) is found in it.
"""

from __future__ import annotations

import codecs
import re

import libcst as cst
from libcst import matchers as m

from tf2towers.source.python2.names import Names, is_plain_call

#: methods that look for the whole of a text
_LOOK_FOR = frozenset({"endswith", "partition", "replace", "rpartition", "rsplit", "split", "startswith"})
#: methods that look for each of its bytes: the same is certain where the rest has to be a number
_STRIP = frozenset({"lstrip", "rstrip", "strip"})
_BINARY_MODE = re.compile(r"[rwa]\+?b|[rwa]b\+|b[rwa]")
_TO_NUMBERS = ("builtins.float", "builtins.int")
#: the bytes of a character after its first one
_NOT_FIRST = bytes(range(0x80, 0xC0))


def text_of_bytes(names: Names, node: cst.SimpleString) -> str | None:
    """The literal for decoded text; None if it may mean something else, or a file is binary."""
    call = names.call_around(node)
    method = call.func.attr.value if call is not None and isinstance(call.func, cst.Attribute) else ""
    if call is None or method not in _LOOK_FOR | _STRIP or re.search(r"\\[uUN]", node.raw_value):
        return None
    if _takes_a_pattern(names, call):
        return None
    modes = (each for each in names.nodes if isinstance(each, cst.SimpleString) and each is not node)
    if any(_BINARY_MODE.fullmatch(each.raw_value) for each in modes):
        return None
    try:
        given = str(node.evaluated_value).encode("latin-1")
    except UnicodeEncodeError:
        return None
    text = given.decode("utf-8", "surrogateescape")
    is_broken = any("\udc80" <= character <= "\udcff" for character in text)
    if is_broken and (call.args[0].value is not node or _has_part_of_character(given)):
        return None
    if method in _STRIP and (len(text) != 1 or not _is_for_numbers(names, call)):
        return None
    return ascii(text)


def _takes_a_pattern(names: Names, call: cst.Call) -> bool:
    """True if a method takes a regular expression, where a byte may be an item: `re`, pandas."""
    of_pandas = m.matches(call.func, m.Attribute(m.Attribute(attr=m.Name("str"))))
    return of_pandas or names.canonical(call.func).startswith(("re.", "regex."))


def _has_part_of_character(given: bytes) -> bool:
    """True if bytes that are no characters are found in UTF-8: a part of one at an end."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(given.lstrip(_NOT_FIRST))
    except UnicodeDecodeError:
        return False
    return True


def _is_for_numbers(names: Names, call: cst.Call) -> bool:
    """True if what a call gives is only made a number: each item of a list, by `float` or `int`."""
    value, around = call, names.parent(call)
    while isinstance(around, cst.Attribute) and isinstance(outer := names.parent(around), cst.Call):
        value, around = outer, names.parent(outer)  # `.strip(...).strip(...)`
    if isinstance(around, cst.Arg):
        return names.calls(names.call_around(value), *_TO_NUMBERS)
    made = names.parent(around) if isinstance(around, cst.ListComp) and around.elt is value else None
    if not isinstance(made, cst.Assign) or not m.matches(made, m.Assign([m.AssignTarget(m.Name())])):
        return False
    target = cst.ensure_type(made.targets[0].target, cst.Name)
    loops = [each.node for each in names.assignments(target) if _is_loop_over(names, each.node, made)]
    scope, last = names.scope(target), names.last_line(made)
    reads = [each.node for each in scope.accesses[target.value] if names.line(each.node) > last]
    return bool(loops) and all(_becomes_number(names, read) for read in reads)


def _is_loop_over(names: Names, target: cst.CSTNode, statement: cst.CSTNode) -> bool:
    """True if a name is that of a loop around a statement: nothing reads it before."""
    around = names.parent(statement)
    while around is not None and not isinstance(around, cst.For):
        around = names.parent(around)
    return around is not None and around.target is target


def _becomes_number(names: Names, read: cst.CSTNode) -> bool:
    """True if a list that is read, or an item or a part of it, is made a number."""
    around = names.parent(read)
    value = around if isinstance(around, cst.Subscript) and around.value is read else read
    call = names.call_around(value)
    if names.calls(call, "builtins.map") and call is not None and is_plain_call(call):
        return len(call.args) == 2 and names.canonical(call.args[0].value) in _TO_NUMBERS
    return names.calls(call, *_TO_NUMBERS)
