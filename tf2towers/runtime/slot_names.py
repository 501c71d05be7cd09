"""The names of what a TF1 optimizer remembers of a variable."""

from __future__ import annotations

import re
from collections.abc import Container


def slot_name(asked: str, existing: Container[str]) -> str:
    """The name of a new slot; that of a second optimizer of the same variable is numbered on, as in TF1.

    Args:
        asked: what the optimizer asks for, such as 'conv1/weights/Adam_1'.
        existing: every name of the store.
    """
    if asked not in existing:
        return asked
    base = re.sub(r"_\d+$", "", asked)
    if base not in existing:
        base = asked
    number = 1
    while f"{base}_{number}" in existing:
        number += 1
    return f"{base}_{number}"
