"""Default arguments for whole regions of code (`tf.contrib.framework.arg_scope`)."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from tf2towers.runtime.layers.autograph import Function, unconverted

Scope = dict[str, dict[str, Any]]
"""Arguments by function key, as `arg_scope` yields it."""

_scopable: dict[str, tuple[str, ...]] = {}
_main_thread_scopes: list[Scope] = [{}]


class _Scopes(threading.local):
    """The open scopes of a thread.

    A replica's thread starts inside those open in the main thread, as TF1's one thread was, and from there on opens
    and closes its own.
    """

    def __init__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self.stack = _main_thread_scopes
        else:
            self.stack = [_main_thread_scopes[-1]]


_scopes = _Scopes()


def current_arg_scope() -> Scope:
    """The innermost open scope."""
    return _scopes.stack[-1]


def arg_scope_func_key(op: Any) -> str:
    """What a scope keeps a function's arguments under."""
    return str(getattr(op, "_key_op", str(op)))


@contextlib.contextmanager
def arg_scope(list_ops_or_scope: Sequence[Any] | Scope, **kwargs: Any) -> Iterator[Scope]:
    """`tf.contrib.framework.arg_scope`: defaults for the listed functions, or a scope opened again.

    Raises:
        TypeError: neither a list (or tuple) of functions nor a scope.
        ValueError: a function without `@add_arg_scope`, or arguments together with a scope.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError(
                "When attempting to re-use a scope by suppling a dictionary, kwargs must be empty."
            )
        scope = list_ops_or_scope.copy()
    elif isinstance(list_ops_or_scope, (list, tuple)):
        scope = current_arg_scope().copy()
        for op in list_ops_or_scope:
            if not has_arg_scope(op):
                raise ValueError(f"{op} is not decorated with @add_arg_scope")
            key = arg_scope_func_key(op)
            scope[key] = {**scope.get(key, {}), **kwargs}
    else:
        raise TypeError("list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)")
    _scopes.stack.append(scope)
    try:
        yield scope
    finally:
        _scopes.stack.pop()


def add_arg_scope(func: Function) -> Function:
    """`tf.contrib.framework.add_arg_scope`: lets `arg_scope` give the function defaults; what a call passes wins."""
    key = arg_scope_func_key(func)

    @functools.wraps(func)
    def func_with_args(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **{**current_arg_scope().get(key, {}), **kwargs})

    _scopable[key] = _keyword_names(func)
    scoped = unconverted(func_with_args)
    scoped._key_op = key  # type: ignore[attr-defined]
    return cast(Function, scoped)


def has_arg_scope(func: Any) -> bool:
    """Whether the function was decorated with `add_arg_scope`."""
    return arg_scope_func_key(func) in _scopable


def arg_scoped_arguments(func: Any) -> tuple[str, ...]:
    """The arguments `arg_scope` can set for the function."""
    assert has_arg_scope(func)
    return _scopable[arg_scope_func_key(func)]


def _keyword_names(func: Callable[..., Any]) -> tuple[str, ...]:
    code, defaults = getattr(func, "__code__", None), getattr(func, "__defaults__", None) or ()
    return (
        () if code is None else tuple(code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount])
    )
