"""What became of the cases, small enough to keep, and where two of them differ."""

from __future__ import annotations

import json
import math
import pickle
import zlib
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
GOLDENS = HERE / "goldens"
#: floats may differ by this much of the largest number of their array: two releases' kernels round
#: in other orders
TOLERANCE = 2e-5
#: so many numbers are kept as they are; of more, sums that every one of them changes
FEW = 12
#: what is compared of a case, in the order in which it is reported
# fmt: off
FACTS = ("error", "names", "shapes", "variables", "trainable", "local", "collections",
         "runs", "gradients", "after")
# fmt: on


def read(path: Path) -> dict[str, dict[str, Any]]:
    """The outcomes that `cases.run_all` wrote, by case, in the form in which goldens are kept."""
    with path.open("rb") as file:
        return {name: small(outcome) for name, outcome in pickle.load(file).items()}


def small(outcome: dict[str, Any]) -> dict[str, Any]:
    """An outcome with digests for its arrays; a second run only where it is another."""
    found = {fact: outcome[fact] for fact in FACTS if outcome.get(fact)}
    found["names"] = [name for name, _, _ in outcome.get("tensors", [])]
    found["shapes"] = [[shape, kind] for _, shape, kind in outcome.get("tensors", [])]
    for fact in ("runs", "after"):
        if fact in found:
            found[fact] = digest(found[fact])
    places = [place for place in outcome.get("differentiable", []) if isinstance(place[1], int)]
    slopes = zip(places, outcome.get("gradients", []))
    if places:
        found["gradients"] = {f"{tensor} by {source}": digest(slope) for (tensor, source), slope in slopes}
    if "runs" in found and json.dumps(found["runs"][0]) == json.dumps(found["runs"][1]):  # NaN and all
        del found["runs"][1]
    return json.loads(json.dumps(found))  # tuples and keys as they come back from a file


def digest(value: Any) -> Any:
    """A list of arrays, each as its type, its shape and its numbers."""
    if isinstance(value, list):
        return [digest(part) for part in value]
    array = np.asarray(value)
    kind = f"{array.dtype.kind if array.dtype.kind in 'OSU' else array.dtype.name}{list(array.shape)}"
    if array.dtype.kind in "OSU":
        return [kind, *(text(part) for part in array.ravel())]
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag])
    flat = (
        array.astype(np.float64).ravel() if array.dtype.kind not in "iub" else array.ravel().astype(np.int64)
    )
    if flat.size > FEW and array.dtype.kind in "iub":
        return [kind, zlib.crc32(flat.tobytes()), *flat[:4].tolist()]
    if flat.size > FEW:
        weights = np.cos(np.arange(flat.size))
        sums = [np.abs(flat).max(), flat @ weights / np.abs(weights).sum(), np.sqrt(np.mean(flat * flat))]
        return [kind, *(rounded(number) for number in [*sums, *flat[[0, flat.size // 2, -1]]])]
    return [kind, *(rounded(number) if flat.dtype.kind == "f" else number for number in flat.tolist())]


def text(part: Any) -> str:
    """Bytes or text; what is long, such as a picture, by a number for it."""
    known = part if isinstance(part, bytes) else str(part).encode()
    return known.decode("latin1") if len(known) <= 80 else f"{len(known)} bytes, {zlib.crc32(known)}"


def rounded(number: float) -> float:
    return float(f"{number:.7g}")


def goldens() -> dict[str, dict[str, Any]]:
    """What TensorFlow 1.15 made of each case."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(GOLDENS.glob("*.json")):
        found.update(
            {f"{path.stem}.{name}": outcome for name, outcome in json.loads(path.read_text()).items()}
        )
    return found


def write_goldens(found: dict[str, dict[str, Any]]) -> None:
    """One file a subject, one line a case."""
    GOLDENS.mkdir(exist_ok=True)
    for subject in sorted({name.split(".")[0] for name in found}):
        lines = [
            f"{json.dumps(name.split('.')[1])}: {json.dumps(outcome, sort_keys=True, separators=(',', ':'))}"
            for name, outcome in found.items()
            if name.split(".")[0] == subject
        ]
        (GOLDENS / f"{subject}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def differences(
    golden: dict[str, Any], outcome: dict[str, Any], tolerance: float = TOLERANCE
) -> dict[str, str]:
    """Each fact in which a case differs from its golden -> where, and what the two say."""
    found = {}
    for fact in FACTS:
        known, other = golden.get(fact), outcome.get(fact)
        if fact == "gradients" and known:  # TensorFlow 2 has gradients of more operations
            other = {place: slope for place, slope in (other or {}).items() if place in known}
        elif fact == "gradients":
            other = None
        if fact in ("names", "collections"):
            known, other = scopes(known), scopes(other)
        where = difference(known, other, tolerance, fact)
        if where is not None:
            found[fact] = where
    return found


def scopes(names: Any) -> Any:
    """The outermost scope of each name: within it TensorFlow 2 has other operations for the same function."""
    if isinstance(names, dict):
        return {key: scopes(part) for key, part in names.items()}
    if isinstance(names, list):
        return [scopes(part) for part in names]
    return names.split("/")[0].split(":")[0] if isinstance(names, str) else names


def difference(golden: Any, other: Any, tolerance: float, place: str) -> str | None:
    """The first place in which the two differ."""
    if isinstance(golden, dict) and isinstance(other, dict):
        for key in sorted({*golden, *other}):
            found = difference(golden.get(key), other.get(key), tolerance, f"{place} {key}")
            if found is not None:
                return found
        return None
    if isinstance(golden, list) and isinstance(other, list) and not _is_digest(golden):
        if len(golden) != len(other):
            return f"{place}: {len(golden)} and {len(other)}: {golden} and {other}"
        for number, (first, second) in enumerate(zip(golden, other)):
            found = difference(first, second, tolerance, f"{place}[{number}]")
            if found is not None:
                return found
        return None
    same = _near(golden, other, tolerance) if _is_digest(golden) and _is_digest(other) else golden == other
    return None if same else f"{place}: {golden} and {other}"


def _is_digest(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], str) and value[0].endswith("]")


def _near(golden: list[Any], other: list[Any], tolerance: float) -> bool:
    if golden[0] != other[0] or len(golden) != len(other):
        return False
    if not golden[0].startswith(("float", "complex", "bfloat")):
        return golden == other
    finite = [abs(number) for number in golden[1:] if math.isfinite(number)]
    allowed = tolerance * max([*finite, 1e-3]) * (100 if golden[0].startswith(("float16", "bfloat")) else 1)
    return all(
        first == second or abs(first - second) <= allowed or (math.isnan(first) and math.isnan(second))
        for first, second in zip(golden[1:], other[1:])
    )
