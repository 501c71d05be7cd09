"""`tf.contrib.lookup` of TensorFlow 1.15: its own tables, and functions that make one."""

from collections.abc import Callable
from typing import Any

from tf2towers.runtime.patches.private import private

_tables: Any = private("ops.lookup_ops", "tf.contrib.lookup")
globals().update({name: value for name, value in vars(_tables).items() if not name.startswith("_")})


class HashTable(_tables.HashTable):
    """A table that its initializer fills once; tables of one `shared_name` are one.

    TensorFlow's takes the shared name of its initializer, which for a file says nothing of the
    delimiter.
    """

    _shared_name = property(lambda self: self._given, lambda self, name: None)

    def __init__(
        self, initializer: Any, default_value: Any, shared_name: str | None = None, name: str | None = None
    ) -> None:
        self._given = shared_name or ""
        super().__init__(initializer, default_value, name)


def _with_mapping(make_table: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose `vocabulary_list` TensorFlow 1.15 called `mapping`."""
    return lambda mapping, *args, **kwargs: make_table(mapping, *args, **kwargs)  # noqa: PLW0108 - the name


index_table_from_tensor = _with_mapping(_tables.index_table_from_tensor)
index_to_string_table_from_tensor = _with_mapping(_tables.index_to_string_table_from_tensor)
