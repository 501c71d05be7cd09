"""What the string module of Python 2 had, and where it is now."""

from __future__ import annotations

#: function -> the method of its first argument; 'join'; 'str' for one of str itself; or a builtin
STRING_METHODS = {
    "atof": "builtins.float",
    "atoi": "builtins.int",
    "atol": "builtins.int",
    "capitalize": "capitalize",
    "center": "center",
    "count": "count",
    "expandtabs": "expandtabs",
    "find": "find",
    "index": "index",
    "join": "join",
    "joinfields": "join",
    "ljust": "ljust",
    "lower": "lower",
    "lstrip": "lstrip",
    "maketrans": "str",
    "replace": "replace",
    "rfind": "rfind",
    "rindex": "rindex",
    "rjust": "rjust",
    "rstrip": "rstrip",
    "split": "split",
    "splitfields": "split",
    "strip": "strip",
    "swapcase": "swapcase",
    "translate": "translate",
    "upper": "upper",
    "zfill": "zfill",
}
STRING_CONSTANTS = {
    "letters": "ascii_letters",
    "lowercase": "ascii_lowercase",
    "uppercase": "ascii_uppercase",
}
