"""`todays_name`: what TensorFlow 1.15 calls what an older release called otherwise."""

from __future__ import annotations

from functools import cache

from tf2towers.names.argument_tables import is_reordered
from tf2towers.names.canonical import canonical_name
from tf2towers.names.tables import renamed_to


@cache
def todays_name(canonical: str) -> str:
    """The canonical name of today, where that is the same function with the same arguments; else the name itself.

    `tf.scalar_summary` stays itself: `tf.summary.scalar` takes other arguments, and writes another tag.
    """
    target, note = renamed_to(canonical)
    if not target or note or is_reordered(canonical):
        return canonical
    return canonical_name(target)
