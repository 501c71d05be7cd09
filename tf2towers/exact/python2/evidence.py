"""What shows that a program is Python 2, though Python 3 can read it: it would stop at once in Python 3.

It imports a module that only Python 2 has (`import cPickle`), or it comes to a name that only Python 2 defines
(`for i in xrange(n)`, `itertools.izip(a, b)`), or to what only its dicts did (`{}.iteritems()`), when it is run
(`reached`). What stands in a test of the version, or in a `try` that catches the error, shows nothing; nor does a name
that is bound anywhere in the file (`from six.moves import xrange`).

`names_of_python2` gives such names wherever they stand: where a program counts as Python 3, they are left to the user.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from tf2towers.exact.libraries.changed import changed
from tf2towers.exact.python2.fenced import run_with
from tf2towers.exact.python2.modules import Module, bindings
from tf2towers.exact.python2.reached import Reached
from tf2towers.exact.python2.text_files import size_of_no_buffer
from tf2towers.source.nodes import imported

#: modules that Python 3 has under another name, or no more
MODULES = frozenset(
    {
        "BaseHTTPServer", "ConfigParser", "Cookie", "HTMLParser", "Queue", "SimpleHTTPServer", "SocketServer",
        "StringIO", "Tkinter", "UserDict", "UserList", "__builtin__", "anydbm", "cPickle", "cStringIO", "commands",
        "cookielib", "copy_reg", "dummy_thread", "exceptions", "httplib", "md5", "robotparser", "sets", "sha",
        "thread", "tkFileDialog", "tkMessageBox", "urllib2", "urlparse", "xmlrpclib",
    }
)  # fmt: skip

_BUILTINS = frozenset(
    {
        "apply", "basestring", "cmp", "execfile", "file", "intern", "long", "raw_input", "reduce", "reload",
        "unichr", "unicode", "xrange",
    }
)  # fmt: skip

#: the names that only Python 2 has: those that show it where a program comes to them, and the others
NAMES = _BUILTINS | {"StandardError", "buffer", "coerce"}

#: methods of Python 2's dicts alone
_OF_DICTS = frozenset({"iteritems", "iterkeys", "itervalues"})


def is_certain(modules: list[Module], main: Module) -> bool:
    """Whether Python 3 would stop in one of these modules; `main` is the script."""
    if any(_imports(module) for module in modules):
        return True
    all_bound = {module: _bound(module, modules) for module in modules}
    reached = Reached(modules)
    for node, module in reached:
        bound = all_bound[module]
        for part in run_with(node, is_main=module is main):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                if part.id in _BUILTINS and part.id not in bound:
                    return True
            elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                library = module.libraries.get(part.value.id)
                if isinstance(part.ctx, ast.Load) and _is_python2(f"{library}.{part.attr}"):
                    return True
            elif isinstance(part, ast.Call):
                if _iterates_dict(part, module) or _opens_without_buffer(part, bound, module.libraries):
                    return True
                if "range" not in bound and _shuffles_range(part, node, module.libraries):
                    return True
            elif _adds_views(part, module):
                return True
            reached.follow(part, module)
    return False


def names_of_python2(tree: ast.Module, *, is_main: bool) -> Iterator[ast.Name]:
    """The uses of names that only Python 2 has, wherever a module has them, but where it is ready to miss them."""
    for part in run_with(tree, is_main=is_main, inside=True):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id in NAMES:
            yield part


def _imports(module: Module) -> bool:
    for node in module.tree.body:
        if isinstance(node, ast.Import):
            if any(alias.name in MODULES and alias.name not in module.local for alias in node.names):
                return True
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module not in module.local:
            if node.module in MODULES or any(_is_python2(name) for _, name in imported(node)):
                return True
    return False


def _is_python2(dotted: str) -> bool:
    """Whether only Python 2's own modules ever had a name."""
    found = changed().get(dotted)
    return found is not None and found.python2


def _iterates_dict(call: ast.Call, module: Module) -> bool:
    return (
        isinstance(call.func, ast.Attribute)
        and call.func.attr in _OF_DICTS
        and module.is_dict(call.func.value)
    )


def _opens_without_buffer(call: ast.Call, bound: frozenset[str], libraries: Mapping[str, str]) -> bool:
    root, _, attribute = ast.unparse(call.func).partition(".")
    opens = root == "open" and not attribute and root not in bound
    opens = opens or (libraries.get(root), attribute) == ("os", "fdopen")
    return opens and size_of_no_buffer(call) is not None


def _adds_views(node: ast.AST, module: Module) -> bool:
    """Whether a node is `a.values() + b.values()` of dicts: lists in Python 2, which Python 3's views cannot."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Add)
        and all(
            isinstance(side, ast.Call)
            and isinstance(side.func, ast.Attribute)
            and side.func.attr in ("keys", "values", "items")
            and module.is_dict(side.func.value)
            for side in (node.left, node.right)
        )
    )


def _shuffles_range(call: ast.Call, scope: ast.AST, libraries: Mapping[str, str]) -> bool:
    """Whether a call shuffles a range, of which Python 3 makes no list."""
    if len(call.args) != 1 or not isinstance(call.args[0], ast.Name):
        return False
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "shuffle":
        return False
    root, _, function = ast.unparse(call.func).partition(".")
    if f"{libraries.get(root)}.{function}" not in ("random.shuffle", "numpy.random.shuffle"):
        return False
    bound = bindings(ast.walk(scope)).get(call.args[0].id, [])
    return bool(bound) and all(map(_is_range, bound))


def _is_range(value: ast.AST) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "range"


def _bound(module: Module, modules: list[Module], seen: frozenset[Path] = frozenset()) -> frozenset[str]:
    """Every name that a file binds, in whatever scope; all that Python 2 has where nobody knows what a star binds."""
    found = set(module.bindings)
    for node in module.nodes:
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            found |= _by_star(node, module, modules, seen | {module.path})
    return frozenset(found)


def _by_star(
    node: ast.ImportFrom, module: Module, modules: list[Module], seen: frozenset[Path]
) -> frozenset[str]:
    path = module.imported_from(node)
    if path in seen or (node.module or "").startswith("tensorflow"):
        return frozenset()
    other = next((each for each in modules if each.path == path), None)
    return _bound(other, modules, seen) if other is not None else _BUILTINS
