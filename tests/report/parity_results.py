"""Parity results made by hand, for the tests of what shows them."""

import math
from pathlib import Path

from tf2towers.report.parity_result import Comparison, Diagnosis, ParityResult, Place, Side


def sides() -> dict[str, Side]:
    notes = ["2 logical CPUs"]
    return {
        "original": Side("original", Path("legacy/train.py"), "1.15.5", "3.7.17", 21.5),
        "migrated": Side("migrated", Path("out/train.py"), "2.21.0", "3.11.9", 17.25, notes),
    }


def equal(kind: str = "gradient", name: str = "conv1/weights") -> Comparison:
    return Comparison(kind, name, shape=(5, 5, 3, 64), dtype="float32")


def apart(name: str, *errors: float, kind: str = "gradient", within: bool = False) -> Comparison:
    """A comparison with these errors; `max_rel` is the worst of them, NaN if one is."""
    worst = math.nan if any(map(math.isnan, errors)) else max(errors, default=0.0)
    first = next((step for step, error in enumerate(errors) if error), None)
    return Comparison(kind, name, "", False, within, first, worst, (3, 4), "float32")


def bitwise() -> ParityResult:
    compared = [equal("loss", "tower 0"), equal(), equal("variable")]
    return ParityResult(**sides(), steps=3, towers=2, comparisons=compared)


def within() -> ParityResult:
    compared = [equal("loss", "tower 0"), apart("fc/weights", 0.0, 1e-8, 2.00123e-7, within=True)]
    result = ParityResult(**sides(), steps=3, towers=1, comparisons=compared)
    result.outcome, result.tolerance, result.first_step = "within", 1e-6, 1
    return result


def differs() -> ParityResult:
    """Gradients twice as large: a variable goes with them, a variable is missing, one is NaN."""
    compared = [
        equal("input", "images"),
        apart("tower 0", 0.0, 0.25, 0.3, kind="loss"),
        apart("conv1/weights", 0.5, 0.5, 0.6),
        apart("fc/weights", 0.5, math.nan, math.inf),
        equal("gradient", "fc/biases"),
        Comparison("variable", "conv1/weights/Momentum", problem="only in the original"),
        apart("conv1/weights", 1e-7, 1e-3, 0.1, kind="variable"),
    ]
    result = ParityResult(**sides(), steps=3, towers=2, comparisons=compared)
    result.outcome, result.first_step = "differs", 0
    result.first_gradient = "fc/weights"
    result.arguments = ["--steps=3", "--data dir"]
    message = "The gradients are 2 times the original's."
    result.diagnoses = [Diagnosis("sum for mean", message, "Use MEAN in the all-reduce.", 0)]
    result.notes = ["Dropout was given the original's draws."]
    return result


def failed() -> ParityResult:
    error = "train.py stopped: status 1\nTraceback\n  ValueError: x"
    return ParityResult(**sides(), outcome="error", error=error)


def unrepeatable() -> ParityResult:
    """As `is_repeatable` leaves it."""
    result = ParityResult(**sides(), outcome="unrepeatable", calls=24, steps=10)
    result.error = (
        "the original differs from itself, first at session call 3 (train.py, line 7): variable w: 2.0 in one run, "
        "2.5 in the other\nIt leaves open the order of 2 pairs: w (a, b), w (c, d).\nTo do: order that in both scripts."
    )
    return result


def of_calls() -> ParityResult:
    """Session calls that differ from the twelfth on."""
    compared = [
        equal("gradient"),
        Comparison("variable", "w", "", False, False, 12, 0.84, (3,), "float32", False, {12: 0.01, 14: 0.84}),
    ]
    result = ParityResult(**sides(), steps=10, calls=24, outcome="differs", comparisons=compared)
    result.first_step, result.first_places = 12, [Place("train.py", 44), Place("model/train.py", 51)]
    return result


def other_calls() -> ParityResult:
    """One side stops earlier; up to there all is equal."""
    result = ParityResult(**sides(), steps=5, calls=12, outcome="differs", comparisons=[equal()])
    result.diagnoses = [
        Diagnosis("other session calls", "the original makes 12 session calls, the other 11.")
    ]
    return result


def hostile() -> ParityResult:
    """Names and texts that are markup, or steer a terminal."""
    mark = "<script>alert('&')</script>\x1b[2J\udc80\x00\"onload=x"
    compared = [apart(mark, 0.5), Comparison("variable", mark, problem=mark), equal("gradient", mark)]
    result = ParityResult(**sides(), steps=1, outcome="differs", comparisons=compared)
    result.first_step, result.first_gradient = 0, mark
    result.original.script, result.migrated.script = Path("a&b<i>.py"), Path("c'd\".py")
    result.original.tensorflow, result.arguments, result.notes = mark, [mark], [mark]
    result.diagnoses = [Diagnosis(mark, mark, mark)]
    return result


def odd(value: float) -> ParityResult:
    """One step whose every number is no number, or the greatest or the least there is."""
    compared = [apart("w", value), apart("b", 0.0)]
    result = ParityResult(**sides(), steps=1, comparisons=compared)
    result.outcome, result.tolerance, result.seconds = "differs", value, value
    return result


def large() -> ParityResult:
    """500 variables over 1000 steps."""
    errors = [0.0, *(10.0 ** -(9 - step % 7) for step in range(999))]
    compared = [apart(f"layer{place}/w", *errors[: 1 + place % 50], kind="variable") for place in range(500)]
    result = ParityResult(**sides(), steps=1000)
    result.outcome, result.comparisons = "differs", compared
    return result


#: by name, every shape that a result takes
EVERY = {
    "bitwise": bitwise,
    "within": within,
    "differs": differs,
    "failed": failed,
    "unrepeatable": unrepeatable,
    "hostile": hostile,
    "NaN": lambda: odd(math.nan),
    "infinite": lambda: odd(math.inf),
    "greatest": lambda: odd(1.7e308),
    "least": lambda: odd(5e-324),
    "nothing": lambda: ParityResult(**sides()),
    "large": large,
    "session calls": of_calls,
    "other session calls": other_calls,
}
