"""Files of text without a buffer, `open(path, 'w', 0)`: Python 3 opens none, and raises an error."""

from __future__ import annotations

import ast


def size_of_no_buffer(opened: ast.Call) -> ast.Constant | None:
    """The zero in a call of `open` or `os.fdopen` that asks for a file of text without a buffer."""
    given = {keyword.arg: keyword.value for keyword in opened.keywords}
    mode = opened.args[1] if len(opened.args) > 1 else given.get("mode", ast.Constant("r"))
    size = opened.args[2] if len(opened.args) > 2 else given.get("buffering")
    if not isinstance(mode, ast.Constant) or not isinstance(mode.value, str) or "b" in mode.value:
        return None
    return size if isinstance(size, ast.Constant) and size.value == 0 else None
