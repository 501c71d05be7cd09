"""What is Python 2 by its syntax and its names, converted by fissix, the maintained lib2to3."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from functools import cache
from pathlib import Path
from typing import Any

from tf2towers.exact.python2.module_files import is_module
from tf2towers.source.conversion import Step

#: fixer -> what a user calls it. Left out are those that change what Python 3 reads as Python 2 did (asserts, idioms).
_WORDS = {
    "apply": "apply()",
    "basestring": "basestring",
    "dict": "lists and iterators of a dict",
    "except": "except Error, name",
    "exec": "exec statement",
    "execfile": "execfile()",
    "exitfunc": "sys.exitfunc",
    "filter": "filter() as a list",
    "funcattrs": "attributes of functions",
    "getcwdu": "os.getcwdu",
    "has_key": "has_key()",
    "import": "implicit relative import",
    "imports": "renamed module",
    "imports2": "renamed module",
    "input": "input()",
    "intern": "intern()",
    "isinstance": "isinstance()",
    "itertools": "itertools.izip and the like",
    "itertools_imports": "itertools.izip and the like",
    "long": "long",
    "map": "map() as a list",
    "metaclass": "__metaclass__",
    "methodattrs": "attributes of methods",
    "ne": "<>",
    "next": ".next()",
    "nonzero": "__nonzero__",
    "numliterals": "long or octal number",
    "operator": "operator functions",
    "paren": "list in a comprehension",
    "print": "print statement",
    "raise": "raise Error, message",
    "raw_input": "raw_input()",
    "reduce": "reduce()",
    "reload": "reload()",
    "renames": "sys.maxint",
    "repr": "backquotes",
    "standarderror": "StandardError",
    "sys_exc": "sys.exc_type and the like",
    "throw": "throw()",
    "tuple_params": "tuple parameter",
    "types": "types of the types module",
    "unicode": "unicode",
    "urllib": "urllib, urllib2",
    "xrange": "xrange",
    "xreadlines": "xreadlines()",
    "zip": "zip() as a list",
}
#: a name that a fixer takes for Python's own
_BUILTINS = (
    "apply", "basestring", "execfile", "filter", "input", "intern", "long", "map", "raw_input", "reduce", "reload",
    "unicode", "zip",
)  # fmt: skip
_RANGES = ("range", "xrange")
_OF_DICTS = ("keys", "items", "values")
#: what is certainly a list: `[a, b]`, `sorted(x)`, `x.keys()`
_LISTS = re.compile(
    r"\[.*\]|(sorted|list|x?range|zip|os\.listdir|glob\.glob|tf\.\w+_variables)\([^()]*\)"
    r"|[\w.]+\.(keys|values|items|split|splitlines|readlines)\([^()]*\)",
    re.DOTALL,
)
_TYPES = {"StringType": "str", "StringTypes": "(str,)"}


class NotPython2(Exception):
    """The text is no Python 2 either."""


def converted(
    text: str, filename: str, *, in_package: bool, prints_are_calls: bool = False
) -> tuple[str, list[Step], Set[str]]:
    """The text in Python 3's syntax, what was converted, and the names of builtins that the file bound itself.

    `in_package` says that an import of a module beside the file may mean that module, as in a package;
    `prints_are_calls` that `print(a, b)` stays, and prints no tuple.
    """
    tool = _tool()
    tree = _parsed(tool, text, prints_are_calls=prints_are_calls)
    steps: list[Step] = []
    bound = _bound(tree)
    skipped = {name for name in _BUILTINS if name in bound}
    if not in_package:
        skipped.add("import")
    for line in _keep_names(tree):
        steps.append(Step(_WORDS["imports"], line))
    tool.begin(
        skipped, lambda name, line: steps.append(Step(_WORDS[name], line)), bound.intersection(_RANGES)
    )
    try:
        tool.refactor_tree(tree, filename)
    except Exception as problem:  # fissix raises what it likes
        raise NotPython2(str(problem)) from None
    return str(tree)[:-1], steps, bound


def parses(text: str) -> bool:
    """Whether a text is Python 2."""
    try:
        _parsed(_tool(), text)
    except NotPython2:
        return False
    return True


def _parsed(tool: Any, text: str, *, prints_are_calls: bool = False) -> Any:
    from fissix import pygram
    from fissix.refactor import _detect_future_features

    plain = tool.driver.grammar
    try:
        features = _detect_future_features(text)  # reads tokens, too
        if prints_are_calls or "print_function" in features:
            tool.driver.grammar = pygram.python_grammar_no_print_statement
        tree = tool.driver.parse_string(text + "\n")
    except RecursionError:
        raise
    except Exception as problem:
        raise NotPython2(str(problem)) from None
    finally:
        tool.driver.grammar = plain
    tree.future_features = features
    return tree


def _follows_dot(leaf: Any) -> bool:
    return getattr(leaf.prev_sibling, "value", None) == "."


def _keep_names(tree: Any) -> Iterator[int]:
    """Gives `import Queue` its name back, `import queue as Queue`, where the file has a `queue` of its own.

    fissix would make `queue = queue.Queue()` of `queue = Queue.Queue()`. The lines where it does.
    """
    from fissix.fixes.fix_imports import MAPPING
    from fissix.pygram import python_symbols as syms

    own = {leaf.value for leaf in tree.leaves() if leaf.type == 1 and not _follows_dot(leaf)}
    for leaf in list(tree.leaves()):
        if leaf.parent is None or leaf.parent.type not in (syms.import_name, syms.dotted_as_names):
            continue
        new = MAPPING.get(leaf.value)
        if new is not None and new.partition(".")[0] in own:
            leaf.value = f"{new} as {leaf.value}"
            leaf.changed()
            yield leaf.get_lineno()


def _bound(tree: Any) -> set[str]:
    """The names of builtins that the file gives another meaning: it defines, imports or assigns them."""
    from fissix.pygram import python_symbols as syms

    found: set[str] = set()
    for leaf in tree.leaves():
        if leaf.value not in (*_BUILTINS, *_RANGES) or leaf.parent is None:
            continue
        sibling_before, sibling_after, kind = leaf.prev_sibling, leaf.next_sibling, leaf.parent.type
        defined = (
            sibling_before is not None
            and sibling_before.type == 1
            and sibling_before.value in ("def", "class", "as")
        )
        imported = kind in (syms.import_from, syms.import_as_names, syms.import_as_name, syms.dotted_as_names)
        assigned = kind == syms.expr_stmt and str(sibling_after).strip() == "="
        looped = kind in (syms.parameters, syms.for_stmt, syms.exprlist) and sibling_after is not None
        parameter = kind in (syms.typedargslist, syms.varargslist) and str(sibling_before).strip() != "="
        if defined or imported or assigned or looped or parameter:
            found.add(leaf.value)
    return found


@cache
def _tool() -> Any:
    """The engine of fissix with our choice of fixers: it remembers nothing of a text."""
    import logging

    for name in ("RefactoringTool", "fissix", "fissix.pgen2.driver"):
        logging.getLogger(name).setLevel(logging.ERROR)
    from fissix import refactor
    from fissix.fixer_util import in_special_context
    from fissix.fixes import (
        fix_dict,
        fix_filter,
        fix_import,
        fix_itertools_imports,
        fix_map,
        fix_print,
        fix_types,
        fix_unicode,
        fix_xrange,
    )
    from fissix.pygram import python_symbols as syms

    class Unicode(fix_unicode.FixUnicode):  # type: ignore[misc]
        """The fixer of `unicode`, without u'...', which Python 3 has."""

        def transform(self, node: Any, results: Any) -> Any:
            text = node.value
            if text[:2] in ("u'", 'u"', "U'", 'U"'):
                return None
            if text[:2].lower() == "ur":
                new = node.clone()
                new.value = text[1:] if "\\u" not in text and "\\U" not in text else _cooked(text)
                return new
            return super().transform(node, results)

    class Types(fix_types.FixTypes):  # type: ignore[misc]
        """The fixer of the `types` module: `types.StringType` is `str`."""

        def transform(self, node: Any, results: Any) -> Any:
            new = super().transform(node, results)
            if new is not None:
                new.value = _TYPES.get(results["name"].value, new.value)
            return new

    class Print(fix_print.FixPrint):  # type: ignore[misc]
        """`print (x)` is a call already; `print (x, y)` is not, which prints a tuple."""

        def transform(self, node: Any, results: Any) -> Any:
            given = node.children[1:] if node.type == syms.print_stmt else []
            if len(given) == 1 and given[0].type == syms.atom and str(given[0].children[0]).strip() == "(":
                inner = given[0].children[1]
                if inner.type not in (syms.testlist_gexp, syms.yield_expr) and len(given[0].children) == 3:
                    return None
            return super().transform(node, results)

    class Map(fix_map.FixMap):  # type: ignore[misc]
        """`map` of one list; of several it goes on to the end of the longest (`meaning`)."""

        def transform(self, node: Any, results: Any) -> Any:
            return super().transform(node, results) if len(_arguments(node)) == 2 else None

    class Filter(fix_filter.FixFilter):  # type: ignore[misc]
        """`filter` of a list; of a text it gives a text, of a tuple a tuple (`meaning`)."""

        def transform(self, node: Any, results: Any) -> Any:
            given = _arguments(node)
            if len(given) == 2 and (in_special_context(node) or _is_list(given[1])):
                return super().transform(node, results)
            return None

    class ItertoolsImports(fix_itertools_imports.FixItertoolsImports):  # type: ignore[misc]
        """`from itertools import izip as pairs` stays, and is told: fissix would lose the name."""

        def transform(self, node: Any, results: Any) -> Any:
            words = str(results["imports"]).replace(",", " ").split()
            renamed = [(words[at - 1], words[at + 1]) for at, word in enumerate(words) if word == "as"]
            lost = any(name in ("imap", "izip", "ifilter") and new != name[1:] for name, new in renamed)
            return None if lost else super().transform(node, results)

    class Dict(fix_dict.FixDict):  # type: ignore[misc]
        """A comprehension goes over what a dict has while nothing changes it: no list is needed.

        `params.values().iteritems()`: what has a method that no list has is no dict's, but a dict itself.
        """

        def transform(self, node: Any, results: Any) -> Any:
            plain = results["method"][0].value in _OF_DICTS
            after = results["tail"][0] if results.get("tail") and plain else None
            if after is not None and after.type == syms.trailer and after.children[0].value == ".":
                method = after.children[1]
                if not hasattr(list, method.value):
                    if (plain_name := method.value[4:]) in _OF_DICTS and method.value[:4] in ("iter", "view"):
                        method.value = plain_name
                        method.changed()
                    return None
            if plain and node.parent is not None:
                found: dict[str, Any] = {}
                if self.p2.match(node.parent, found) and found["node"] is node:
                    if node.parent.type != syms.for_stmt:
                        return None
            return super().transform(node, results)

    class Import(fix_import.FixImport):  # type: ignore[misc]
        """A folder beside the file is a module only where Python 2 takes it for one."""

        def probably_a_local_import(self, imp_name: str) -> bool:
            folder, root = Path(self.filename).parent, imp_name.partition(".")[0]
            return bool(root) and (folder / "__init__.py").is_file() and is_module(folder, root)

    class Xrange(fix_xrange.FixXrange):  # type: ignore[misc]
        """range() is a list beside an xrange of six, too; a name that the file binds itself is not Python's."""

        bound: Set[str] = frozenset()

        def transform(self, node: Any, results: Any) -> Any:
            return None if results["name"].value in self.bound else super().transform(node, results)

    own = {
        "dict": Dict,
        "filter": Filter,
        "import": Import,
        "itertools_imports": ItertoolsImports,
        "map": Map,
        "print": Print,
        "types": Types,
        "unicode": Unicode,
        "xrange": Xrange,
    }

    class Tool(refactor.RefactoringTool):  # type: ignore[misc]
        """The engine, which tells each change, and leaves fixers out on demand."""

        def begin(self, skipped: set[str], tell: Callable[[str, int], None], bound: Set[str]) -> None:
            self.skipped, self.tell = skipped, tell
            Xrange.bound = bound

        def get_fixers(self) -> Any:
            pre_order: list[Any] = []
            post_order: list[Any] = []
            for name in _WORDS:
                kind: Any = own.get(name)
                if kind is None:
                    module = __import__(f"fissix.fixes.fix_{name}", {}, {}, ["*"])
                    kind = getattr(module, "Fix" + "".join(part.title() for part in name.split("_")))
                fixer = kind(self.options, self.fixer_log)
                fixer.transform = _told(self, name, fixer.transform)
                (pre_order if fixer.order == "pre" else post_order).append(fixer)
            pre_order.sort(key=lambda fixer: int(fixer.run_order))
            post_order.sort(key=lambda fixer: int(fixer.run_order))
            return pre_order, post_order

    return Tool([])


def _told(tool: Any, name: str, transform: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def told(node: Any, results: Any) -> Any:
        if name in tool.skipped:
            return None
        old_text, line = str(node), node.get_lineno()
        new = transform(node, results)
        if name == "reduce" or str(node) != old_text or (new is not None and str(new) != old_text):
            tool.tell(name, line)
        return new

    return told


def _arguments(call: Any) -> list[Any]:
    """The arguments of a call by name; none where one is a `*list`, `**dict` or `name=value`."""
    from fissix.pygram import python_symbols as syms

    given = call.children[1].children[1]
    found = given.children[::2] if given.type == syms.arglist else [given]
    return [] if any(each.type == syms.argument or str(each).lstrip()[:1] == "*" for each in found) else found


def _is_list(value: Any) -> bool:
    """Whether an expression certainly is a list, or goes like one: a display, or a call that gives lists alone."""
    written = str(value).strip()
    return _LISTS.fullmatch(written) is not None and "]" not in written[:-1]


def _cooked(text: str) -> str:
    r"""A ur'' string without r: its backslashes doubled, but for those of \u."""
    return text[0] + re.sub(r"\\(?![uU])", r"\\\\", text[2:])


def expanded_tabs(text: str) -> tuple[str, list[int]]:
    """The text with the tabs of its indentation made spaces, as Python 2 counted them, and the lines changed."""
    lines = text.split("\n")
    changed = []
    for line in _starts(text):
        row = lines[line - 1]
        indent = row[: len(row) - len(row.lstrip(" \t"))]
        if "\t" in indent:
            lines[line - 1] = indent.expandtabs(8) + row[len(indent) :]
            changed.append(line)
    return "\n".join(lines), changed


def _starts(text: str) -> Iterator[int]:
    """The lines that do not begin inside a string."""
    import io

    from fissix.pgen2 import tokenize

    inside: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token[0] == tokenize.STRING:
                inside.update(range(token[2][0] + 1, token[3][0] + 1))
    except Exception as problem:
        raise NotPython2(str(problem)) from None
    yield from (line for line in range(1, text.count("\n") + 2) if line not in inside)
