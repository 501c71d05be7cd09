"""Converts the syntax and the names of Python 2, with fissix, the maintained lib2to3."""

from __future__ import annotations

import importlib
import io
import logging
import re
from collections.abc import Callable, Iterator, Set
from functools import cache
from pathlib import Path
from typing import Any

from tf2towers.source.conversion import Step
from tf2towers.source.python2.tables import read_pairs, read_words

#: fixer -> its name for the user; without fixers for code that means the same in both Pythons
#: (asserts, idioms)
_WORDS = read_pairs("fixers.tsv")
#: names that a fixer assumes to be builtins
_BUILTINS = read_words("fixed builtins")
_RANGES = frozenset({"range", "xrange"})
_OF_DICTS = ("keys", "items", "values")
_TYPES = {"StringType": "str", "StringTypes": "(str,)"}


class NotPython2(Exception):
    """The text is not Python 2 either."""


def convert_syntax(
    text: str, filename: str, *, in_package: bool, prints_are_calls: bool = False
) -> tuple[str, list[Step], Set[str]]:
    """The text in Python 3's syntax, the steps, and the builtins that the file rebinds.

    Args:
        in_package: whether an import may mean a module beside the file, as in a package of Python
            2.
        prints_are_calls: whether `print(a, b)` is a call already, and does not print a tuple.
    """
    tree = _parse_python2(text, prints_are_calls=prints_are_calls)
    bound = set(_rebound_builtins(tree))
    steps = [Step(_WORDS["imports"], line) for line in _keep_names(tree)]
    tool = _make_tool()
    tool.skipped = (bound & _BUILTINS) | ({"import"} if not in_package else set())
    tool.report = lambda name, line: steps.append(Step(_WORDS[name], line))
    tool.ranges = bound & _RANGES
    try:
        tool.refactor_tree(tree, filename)
    except Exception as problem:  # fissix raises errors of many types
        raise NotPython2(str(problem)) from None
    return str(tree)[:-1], steps, bound


def is_module(folder: Path, name: str) -> bool:
    """True if a folder contains a module or a package of this name."""
    return (folder / f"{name}.py").is_file() or (folder / name / "__init__.py").is_file()


def _parse_python2(text: str, *, prints_are_calls: bool = False) -> Any:
    from fissix import pygram
    from fissix.refactor import _detect_future_features

    driver = _make_tool().driver
    plain = driver.grammar
    try:
        features = _detect_future_features(text)  # reads tokens, too
        if prints_are_calls or "print_function" in features:
            driver.grammar = pygram.python_grammar_no_print_statement
        tree = driver.parse_string(text + "\n")
    except RecursionError:
        raise
    except Exception as problem:
        raise NotPython2(str(problem)) from None
    finally:
        driver.grammar = plain
    tree.future_features = features
    return tree


def _keep_names(tree: Any) -> Iterator[int]:
    """Changes `import Queue` to `import queue as Queue` if `queue` is taken; yields the lines.

    fissix alone would turn `queue = Queue.Queue()` into `queue = queue.Queue()`.
    """
    from fissix.fixes.fix_imports import MAPPING
    from fissix.pygram import python_symbols as syms

    leaves = list(tree.leaves())
    own = {
        each.value for each in leaves if each.type == 1 and getattr(each.prev_sibling, "value", None) != "."
    }
    for leaf in leaves:
        new = MAPPING.get(leaf.value)
        if new is None or leaf.parent is None or new.partition(".")[0] not in own:
            continue
        if leaf.parent.type in (syms.import_name, syms.dotted_as_names):
            leaf.value = f"{new} as {leaf.value}"
            leaf.changed()
            yield leaf.get_lineno()


def _rebound_builtins(tree: Any) -> Iterator[str]:
    """The names of builtins that the file rebinds: it defines, imports or assigns them."""
    from fissix.pygram import python_symbols as syms

    imports = (syms.import_from, syms.import_as_names, syms.import_as_name, syms.dotted_as_names)
    for leaf in tree.leaves():
        if leaf.value not in _BUILTINS | _RANGES or leaf.parent is None:
            continue
        before, after, kind = leaf.prev_sibling, leaf.next_sibling, leaf.parent.type
        if (
            (before is not None and before.type == 1 and before.value in ("def", "class", "as"))
            or kind in imports
            or (kind == syms.expr_stmt and str(after).strip() == "=")
            or (kind in (syms.parameters, syms.for_stmt, syms.exprlist) and after is not None)
            or (kind in (syms.typedargslist, syms.varargslist) and str(before).strip() != "=")
        ):
            yield leaf.value


@cache
def _make_tool() -> Any:
    """The engine of fissix with the chosen fixers; it keeps no state of a text."""
    for name in ("RefactoringTool", "fissix", "fissix.pgen2.driver"):
        logging.getLogger(name).setLevel(logging.ERROR)
    from fissix import refactor

    class Tool(refactor.RefactoringTool):  # type: ignore[misc]
        """The engine, which reports each change, and can skip fixers."""

        def get_fixers(self) -> Any:
            fixers = []
            for name in _WORDS:
                module = importlib.import_module(f"fissix.fixes.fix_{name}")
                kind = getattr(module, "Fix" + "".join(part.title() for part in name.split("_")))
                fixer = kind(self.options, self.fixer_log)
                fixer.transform = _report_changes(self, name, fixer, fixer.transform)
                # a folder beside the file is a module only if Python 2 treats it as one
                fixer.probably_a_local_import = lambda name, fixer=fixer: _is_beside(fixer.filename, name)
                fixers.append(fixer)
            fixers.sort(key=lambda fixer: int(fixer.run_order))
            first = [each for each in fixers if each.order == "pre"]
            return first, [each for each in fixers if each.order != "pre"]

    return Tool([])


def _report_changes(
    tool: Any, name: str, fixer: Any, transform: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    """Wraps a fixer's `transform`: applies this module's exceptions, and reports each change."""

    def reported(node: Any, results: Any) -> Any:
        if name in tool.skipped or (name == "xrange" and results["name"].value in tool.ranges):
            return None
        old_text, line = str(node), node.get_lineno()
        stays = name in _STAYS and _STAYS[name](node, results, fixer)
        new = None if stays else transform(node, results)
        if name == "types" and new is not None:
            new.value = _TYPES.get(results["name"].value, new.value)
        if name == "reduce" or str(node) != old_text or (new is not None and str(new) != old_text):
            tool.report(name, line)
        return new

    return reported


def _is_beside(filename: str, dotted: str) -> bool:
    folder, root = Path(filename).parent, dotted.partition(".")[0]
    return bool(root) and (folder / "__init__.py").is_file() and is_module(folder, root)


def _stays_unicode(node: Any, results: Any, fixer: Any) -> bool:
    """u'...' stays; ur'...' becomes r'...', or u'...' if it has a unicode escape."""
    text = node.value
    if text[:2].lower() == "ur":
        cooked = text[0] + re.sub(r"\\(?![uU])", r"\\\\", text[2:])
        node.value = text[1:] if "\\u" not in text and "\\U" not in text else cooked
        node.changed()
    return text[:2].lower() in ("u'", 'u"', "ur")


def _stays_print(node: Any, results: Any, fixer: Any) -> bool:
    """`print (x)` is a call already; `print (x, y)` is not, since it prints a tuple."""
    from fissix.pygram import python_symbols as syms

    given = node.children[1:] if node.type == syms.print_stmt else []
    if len(given) != 1 or given[0].type != syms.atom or str(given[0].children[0]).strip() != "(":
        return False
    several = (syms.testlist_gexp, syms.yield_expr)
    return len(given[0].children) == 3 and given[0].children[1].type not in several


def _stays_import(node: Any, results: Any, fixer: Any) -> bool:
    """`from itertools import izip as pairs` stays, and is reported: fissix would lose the name."""
    words = str(results["imports"]).replace(",", " ").split()
    renamed = [(words[at - 1], words[at + 1]) for at, word in enumerate(words) if word == "as"]
    return any(name in ("imap", "izip", "ifilter") and new != name[1:] for name, new in renamed)


def _stays_dict(node: Any, results: Any, fixer: Any) -> bool:
    """In a comprehension over a dict, no list is needed, since nothing changes the dict meanwhile.

    In `params.values().iteritems()`, the value has a method that lists lack, so it is a dict
    itself, not a dict's list.
    """
    from fissix.pygram import python_symbols as syms

    if results["method"][0].value not in _OF_DICTS:
        return False
    after = results["tail"][0] if results.get("tail") else None
    if after is not None and after.type == syms.trailer and after.children[0].value == ".":
        method = after.children[1]
        if not hasattr(list, method.value):
            if method.value[:4] in ("iter", "view") and method.value[4:] in _OF_DICTS:
                method.value = method.value[4:]
                method.changed()
            return True
    found: dict[str, Any] = {}
    within = node.parent is not None and fixer.p2.match(node.parent, found) and found["node"] is node
    return bool(within) and node.parent.type != syms.for_stmt


#: fixer -> function that returns whether a node stays as it is, or has been changed already
_STAYS: dict[str, Callable[[Any, Any, Any], bool]] = {
    "dict": _stays_dict,
    "itertools_imports": _stays_import,
    # map() of several iterables runs to the end of the longest in Python 2
    "map": lambda node, results, fixer: len(_arguments(node)) != 2,
    "print": _stays_print,
    "unicode": lambda node, results, fixer: node.type == 3 and _stays_unicode(node, results, fixer),
}


def _arguments(call: Any) -> list[Any]:
    """The arguments of a call of a name; none if one is a `*list`, `**dict` or `name=value`."""
    from fissix.pygram import python_symbols as syms

    given = call.children[1].children[1]
    found = given.children[::2] if given.type == syms.arglist else [given]
    return [] if any(each.type == syms.argument or str(each).lstrip()[:1] == "*" for each in found) else found


def expanded_tabs(text: str) -> tuple[str, list[int]]:
    """The text with indenting tabs expanded as in Python 2, and the changed lines."""
    from fissix.pgen2 import tokenize

    inside: set[int] = set()  # lines that begin inside a string
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token[0] == tokenize.STRING:
                inside.update(range(token[2][0] + 1, token[3][0] + 1))
    except Exception as problem:
        raise NotPython2(str(problem)) from None
    lines, changed = text.split("\n"), []
    for number, row in enumerate(lines, 1):
        indent = row[: len(row) - len(row.lstrip(" \t"))]
        if "\t" in indent and number not in inside:
            lines[number - 1] = indent.expandtabs(8) + row[len(indent) :]
            changed.append(number)
    return "\n".join(lines), changed
