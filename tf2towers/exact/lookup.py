"""`find`: what the exact register writes for a TF1 symbol.

The same object's TF 2 name where there is one, else its name under `tf.compat.v1`, else our runtime's; sessions and
servers are the runtime's. TF's own Saver, hooks, optimizers and moving averages are right in a graph: they stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from tf2towers.names.tables import PlainCall, RuntimeName, is_module, lookup, read_table

_DATA = Path(__file__).parent / "data"

#: TF 2 names of the same operation whose compat.v1 namesake is another Python object (a deprecation wrapper apart)
_SAME = frozenset(
    {
        "tf.math.angle", "tf.math.ceil", "tf.math.conj", "tf.math.digamma", "tf.math.divide_no_nan", "tf.math.erf",
        "tf.math.erfc", "tf.math.expm1", "tf.math.floormod", "tf.math.imag", "tf.math.lgamma", "tf.math.log",
        "tf.math.log1p", "tf.math.log_sigmoid", "tf.math.real", "tf.math.reciprocal", "tf.math.rint",
        "tf.math.rsqrt", "tf.debugging.check_numerics", "tf.linalg.trace",
    }
)  # fmt: skip
#: What the tables give to the runtime of the idiomatic register, and a graph takes from TensorFlow itself.
_TENSORFLOWS_OWN = frozenset({"tf.python.training.moving_averages.assign_moving_average"})

_NO_MODULES = ("tf.contrib", "tf.examples", "tf.estimator", "tf.python", "tf.core")

Kind = Literal["same", "compat", "runtime", "private", "left"]


@dataclass(frozen=True)
class Found:
    """What stands for a symbol: `target` is rooted at `tf` ("same", "compat"), or a dotted module path ("private")."""

    kind: Kind
    target: str = ""
    runtime: RuntimeName | None = None
    #: the rule that says why it is left, and the reason
    code: str = ""
    why: str = ""
    plain: PlainCall | None = None


@cache
def sessions() -> dict[str, str]:
    """Symbol -> the runtime's name, for what makes sessions and servers."""
    lines = (_DATA / "sessions.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return dict(line.split("\t") for line in lines)


@cache
def own() -> dict[str, RuntimeName]:
    """Symbol -> the runtime's, for what is right in a graph only: queues, training loops."""
    lines = (_DATA / "own.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return {name: RuntimeName(module, attribute) for name, module, attribute in (one.split("\t") for one in lines)}


@cache
def find(canonical: str) -> Found:
    """What stands for a canonical name rooted at `tf`."""
    if canonical == "tf":
        return Found("same", "tf")
    if canonical == "tf.compat" or canonical.startswith("tf.compat."):  # TF 2 by its own name
        return Found("same", canonical)
    canonical = _moved(canonical)
    name, rest = public_name(canonical), ""
    while name != "tf":
        if name in sessions():
            return Found("runtime", runtime=RuntimeName("tf2towers.runtime", sessions()[name] + rest))
        name, _, last = name.rpartition(".")
        rest = f".{last}{rest}"
    for one in (canonical, public_name(canonical)):
        if one in own():
            return Found("runtime", runtime=own()[one])
        if refused := _refused(one):
            return refused
    if canonical in _SAME:
        return Found("same", canonical)
    if canonical.startswith("tf.summary.") and canonical in _V2_ONLY_SUMMARY:
        return Found("same", canonical)
    if canonical in _TENSORFLOWS_OWN:
        return Found("private", "tensorflow" + canonical[2:])
    found = lookup(canonical)
    if found.kind in ("gone", "unknown"):
        if is_module(canonical) and not canonical.startswith(
            _NO_MODULES
        ):  # `tf.train`, `tf.nn`: what is taken from it must be TF1's
            return Found("compat", "tf.compat.v1" + canonical[2:])
        why = f"has no counterpart in TF 2.21{': ' + found.note if found.note else ''}"
        return Found("left", code="T2T620", why=f"{canonical} {why}")
    if isinstance(found.target, RuntimeName):
        return Found("runtime", runtime=found.target)
    assert found.target is not None
    if found.target.startswith("tensorflow."):
        return Found("private", found.target)
    if found.target.startswith(("tf.core.", "tf.python.")):
        return Found("private", "tensorflow" + found.target[2:])
    if found.kind == "compat":
        if found.target != "tf.compat.v1" + canonical[2:]:
            return find("tf" + found.target[len("tf.compat.v1") :])
        plain = found.plain
        if canonical == "tf.app.flags" or canonical.startswith("tf.app.flags."):
            return Found("compat", "tf.compat.v1" + canonical[len("tf.app") :])
        return Found("compat", found.target, plain=plain if plain and _keeps(canonical, plain) else None)
    target = found.target
    if is_module(target) and target != canonical:
        return find(target)
    if found.kind == "rename" and not _stays(target):
        old = "tf.compat.v1" + canonical[2:]
        return Found("compat", old if _in_compat(canonical) else target)
    if target.startswith("tf.compat.v1."):
        return find("tf" + target[len("tf.compat.v1") :])
    return Found("same", target)


#: Modules of contrib that were other modules under a second name.
_MOVED = (
    ("tf.contrib.slim.initializers.", "tf.contrib.layers."),
    ("tf.contrib.slim.regularizers.", "tf.contrib.layers."),
    ("tf.contrib.slim.init_ops.", "tf."),
)


def _moved(canonical: str) -> str:
    for old, new in _MOVED:
        if canonical.startswith(old):
            return new + canonical[len(old) :]
    return canonical


#: TF 2's own summary functions: no TF1 symbols.
_V2_ONLY_SUMMARY = frozenset(
    {"tf.summary.create_file_writer", "tf.summary.flush", "tf.summary.trace_on", "tf.summary.trace_export"}
)


@cache
def _same_as() -> dict[str, str]:
    return {name: target for name, kind, target in read_table("symbols.tsv") if kind == "same"}


def public_name(canonical: str) -> str:
    """The public TF1 name of a symbol that also had a private one, or one under contrib."""
    return _same_as().get(canonical, canonical)


def _refused(canonical: str) -> Found | None:
    if canonical == "tf.keras" or canonical.startswith(("tf.keras.", "tf.python.keras.", "tf.contrib.keras")):
        return Found(
            "left",
            code="T2T621",
            why=f"{canonical}: Keras 3 stands behind tf.keras now, and cannot build TF1 graphs",
        )
    if canonical.startswith("tf.distribute.") or canonical == "tf.distribute":
        return Found(
            "left",
            code="T2T622",
            why=f"{canonical}: a strategy of the script's own, inside a TF1 graph",
        )
    return None


def _stays(target: str) -> bool:
    again = lookup(target)
    return target in _SAME or (again.kind == "keep" and again.target == target)


def _in_compat(canonical: str) -> bool:
    """Whether compat.v1 has the symbol under its own name: the tables of old releases rename those it has not."""
    return canonical not in {row[0] for row in read_table("renames.tsv")}


def _keeps(canonical: str, plain: PlainCall) -> bool:
    """Whether a call written as plain TF 2 is read as the same TF1 function again."""
    return plain.target == canonical
