"""What a call of Python 2 gave and Python 3 does not, by the name of the function: ours stands for it."""

from __future__ import annotations

import ast

from tf2towers.names.meanings import Assigned, Defined, Meanings, Opaque

#: what takes any kind of list: what `filter` gives need be none
_TAKE_ANY = frozenset(
    f"builtins.{name}" for name in ("all", "any", "dict", "iter", "list", "max", "min", "set", "sorted", "sum", "tuple")
)  # fmt: skip
_HASHES = frozenset(
    f"hashlib.{name}"
    for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s")
)
#: encodings that Python 3 has not for texts
_OF_BYTES = frozenset(
    {
        "base64", "base64_codec", "bz2", "bz2_codec", "hex", "hex_codec", "quopri", "rot13", "rot_13", "string-escape",
        "string_escape", "uu", "zip", "zlib",
    }
)  # fmt: skip


def ours(call: ast.Call, name: str, meanings: Meanings) -> str | None:
    """The function of our runtime that does what a function of Python 2 did: its arguments stay."""
    if any(keyword.arg is None for keyword in call.keywords) or not call.args:
        return None
    if name == "builtins.map" and (len(call.args) > 2 or isinstance(call.args[-1], ast.Starred)):
        return "python2_map"
    if name == "builtins.filter" and not _goes_through(call, meanings):
        return "python2_filter"
    return {"random.seed": "python2_seed", "random.Random": "python2_random"}.get(name)


def _goes_through(call: ast.Call, meanings: Meanings) -> bool:
    """Whether what a call gives is gone through, and no more."""
    around = meanings.parents.get(call)
    if isinstance(around, ast.Call):
        joins = isinstance(around.func, ast.Attribute) and around.func.attr in ("join", "extend", "update")
        return call in around.args and (joins or meanings.canonical(around.func) in _TAKE_ANY)
    return isinstance(around, ast.For | ast.comprehension) and around.iter is call


def hashed(call: ast.Call, name: str, meanings: Meanings) -> ast.expr | None:
    """What a call hashes, where that may be a text: `hashlib.md5(x)`, `m.update(x)` of such an `m`."""
    if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        return None
    given = call.args[0]
    of = call.func.value if isinstance(call.func, ast.Attribute) else None
    updates = isinstance(of, ast.Name) and isinstance(call.func, ast.Attribute) and call.func.attr == "update"
    if name not in _HASHES and not (updates and _is_hash(of, meanings)):
        return None
    encoded = (
        isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) and given.func.attr == "encode"
    )
    return None if encoded or (isinstance(given, ast.Constant) and isinstance(given.value, bytes)) else given


def _is_hash(name: ast.expr | None, meanings: Meanings) -> bool:
    bound = meanings.bindings(name) if isinstance(name, ast.Name) else []
    return bool(bound) and all(
        isinstance(each, Assigned)
        and isinstance(each.value, ast.Call)
        and meanings.canonical(each.value.func) in _HASHES
        for each in bound
    )


def encodes_bytes(call: ast.Call) -> str | None:
    """The encoding that `x.encode('hex')` names, which is one of bytes."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("encode", "decode") and call.args:
        given = call.args[0]
        if (
            isinstance(given, ast.Constant)
            and isinstance(given.value, str)
            and given.value.lower() in _OF_BYTES
        ):
            return given.value
    return None


def compares_two(value: ast.expr, meanings: Meanings) -> bool:
    """Whether a value certainly is a function that compares its two arguments, as `sort` took one."""
    if isinstance(value, ast.Lambda):
        return len(value.args.args) == 2 and not value.args.defaults
    if not isinstance(value, ast.Name):
        return False
    bound = meanings.bindings(value)
    if not bound:
        return value.id == "cmp"
    return all(
        isinstance(each, Defined)
        and isinstance(each.node, ast.FunctionDef)
        and len(each.node.args.args) == 2
        and not each.node.args.defaults
        for each in bound
    )


def is_error(value: ast.expr, meanings: Meanings) -> bool:
    """Whether a name stands for an error that was caught, and for nothing else."""
    bound = meanings.bindings(value) if isinstance(value, ast.Name) else []
    return bool(bound) and all(
        isinstance(each, Opaque) and isinstance(each.node, ast.ExceptHandler) for each in bound
    )
