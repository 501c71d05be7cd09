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
from tf2towers.exact.python2.dicts import Dicts
from tf2towers.exact.python2.reached import Function, Module, Reached, run_with
from tf2towers.exact.python2.text_files import size_of_no_buffer

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
    bound = {id(module.tree): _bound(module, modules) for module in modules}
    libraries = {id(module.tree): _libraries(module) for module in modules}
    dicts = {id(module.tree): Dicts(module.tree) for module in modules}
    reached = Reached(modules, libraries)
    for node, tree in reached:
        has_range = "range" not in bound[id(tree)]
        for part in run_with(node, is_main=tree is main.tree):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                if part.id in _BUILTINS and part.id not in bound[id(tree)]:
                    return True
            elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                module = libraries[id(tree)].get(part.value.id)
                if isinstance(part.ctx, ast.Load) and _is_python2(f"{module}.{part.attr}"):
                    return True
            elif isinstance(part, ast.Call):
                if _iterates_dict(part, dicts[id(tree)]):
                    return True
                if _opens_without_buffer(part, bound[id(tree)], libraries[id(tree)]):
                    return True
                if has_range and _shuffles_range(part, node, libraries[id(tree)]):
                    return True
            elif _adds_views(part, dicts[id(tree)]):
                return True
            reached.follow(part, tree)
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
            if node.module in MODULES or any(
                _is_python2(f"{node.module}.{alias.name}") for alias in node.names
            ):
                return True
    return False


def _is_python2(dotted: str) -> bool:
    """Whether only Python 2's own modules ever had a name."""
    found = changed().get(dotted)
    return found is not None and found.python2


def _libraries(module: Module) -> dict[str, str]:
    """What the imports of a file call modules that are not the program's own, by names that nothing else gets."""
    found: dict[str, list[str]] = {}
    for node in module.nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                found.setdefault(name, []).append(alias.name if alias.asname else name)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found.setdefault(alias.asname or alias.name, []).append("")
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.setdefault(node.id, []).append("")
        elif isinstance(node, ast.arg):
            found.setdefault(node.arg, []).append("")
    return {
        name: modules[0]
        for name, modules in found.items()
        if len(set(modules)) == 1 and modules[0] not in module.local
    }


def _iterates_dict(call: ast.Call, dicts: Dicts) -> bool:
    return (
        isinstance(call.func, ast.Attribute)
        and call.func.attr in _OF_DICTS
        and dicts.is_dict(call.func.value)
    )


def _opens_without_buffer(call: ast.Call, bound: frozenset[str], libraries: Mapping[str, str]) -> bool:
    root, _, attribute = ast.unparse(call.func).partition(".")
    opens = root == "open" and not attribute and root not in bound
    opens = opens or (libraries.get(root), attribute) == ("os", "fdopen")
    return opens and size_of_no_buffer(call) is not None


def _adds_views(node: ast.AST, dicts: Dicts) -> bool:
    """Whether a node is `a.values() + b.values()` of dicts: lists in Python 2, which Python 3's views cannot."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Add)
        and all(
            isinstance(side, ast.Call)
            and isinstance(side.func, ast.Attribute)
            and side.func.attr in ("keys", "values", "items")
            and dicts.is_dict(side.func.value)
            for side in (node.left, node.right)
        )
    )


def _ranges(scope: ast.AST) -> frozenset[str]:
    """The names that a function or a module binds by `range(...)` alone."""
    found: set[str] = set()
    others: set[str] = set()
    targets: set[int] = set()
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            named = isinstance(node.value.func, ast.Name) and node.value.func.id == "range"
            if named and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                found.add(node.targets[0].id)
                targets.add(id(node.targets[0]))
    if not found:
        return frozenset()
    for node in ast.walk(scope):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in targets:
            others.add(node.id)
        elif isinstance(node, ast.arg):
            others.add(node.arg)
    return frozenset(found - others)


def _shuffles_range(call: ast.Call, scope: ast.AST, libraries: Mapping[str, str]) -> bool:
    """Whether a call shuffles a range, of which Python 3 makes no list."""
    if len(call.args) != 1 or not isinstance(call.args[0], ast.Name):
        return False
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "shuffle":
        return False
    root, _, function = ast.unparse(call.func).partition(".")
    if f"{libraries.get(root)}.{function}" not in ("random.shuffle", "numpy.random.shuffle"):
        return False
    return call.args[0].id in _ranges(scope)


def _bound(module: Module, modules: list[Module], seen: frozenset[Path] = frozenset()) -> frozenset[str]:
    """Every name that a file binds, in whatever scope; all that Python 2 has where nobody knows what a star binds."""
    found: set[str] = set()
    for node in module.nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, Function | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*" and isinstance(node, ast.ImportFrom):
                    found |= _by_star(node, module, modules, seen | {module.path})
                found.add((alias.asname or alias.name).partition(".")[0])
    return frozenset(found)


def _by_star(
    node: ast.ImportFrom, module: Module, modules: list[Module], seen: frozenset[Path]
) -> frozenset[str]:
    path = module.imported_from(node)
    if path in seen or (node.module or "").startswith("tensorflow"):
        return frozenset()
    other = next((each for each in modules if each.path == path), None)
    return _bound(other, modules, seen) if other is not None else _BUILTINS
