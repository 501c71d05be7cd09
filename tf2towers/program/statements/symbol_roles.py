"""What a TF1 symbol is in a training script: state, tensors, input, what belongs to a session."""

from __future__ import annotations

from functools import cache
from importlib import resources

from tf2towers.names.canonical import beginnings
from tf2towers.names.old_names import todays_name


@cache
def _table() -> dict[str, str]:
    text = resources.files("tf2towers.program.data").joinpath("roles.tsv").read_text(encoding="utf-8")
    rows = (tuple(line.split("\t")) for line in text.splitlines() if line and not line.startswith("#"))
    return dict(rows)  # type: ignore[arg-type]


@cache
def role(canonical: str | None) -> str:
    """The role of a canonical TF1 symbol: a word of data/roles.tsv, 'tensor' for other TensorFlow symbols.

    'foreign' is anything that is not TensorFlow's.
    """
    table = _table()
    if canonical is None or not (canonical == "tf" or canonical.startswith("tf.")):
        return "foreign"
    canonical = todays_name(canonical)
    rows = (name if not rest else f"{name}." for name, rest in beginnings(canonical))
    return next((table[row] for row in rows if row in table), "tensor")
