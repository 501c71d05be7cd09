"""What the string module of Python 2 had, and where it is now."""

from __future__ import annotations

_METHODS = (
    "capitalize", "center", "count", "expandtabs", "find", "index", "join", "ljust", "lower", "lstrip", "replace",
    "rfind", "rindex", "rjust", "rstrip", "split", "strip", "swapcase", "translate", "upper", "zfill",
)  # fmt: skip
#: function -> the method of its first argument; 'join'; 'str' for one of str itself; or a builtin
STRING_METHODS = dict(zip(_METHODS, _METHODS, strict=True)) | {
    "atof": "builtins.float",
    "atoi": "builtins.int",
    "atol": "builtins.int",
    "joinfields": "join",
    "maketrans": "str",
    "splitfields": "split",
}
STRING_CONSTANTS = {name: f"ascii_{name}" for name in ("letters", "lowercase", "uppercase")}
