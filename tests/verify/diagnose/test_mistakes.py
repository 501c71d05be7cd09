"""Each mistake, seeded into a simulated trainer, is caught and named; steps start from the original's variables."""

from __future__ import annotations

import pytest

from tests.verify.diagnose.simulated import Trainer, both
from tf2towers.verify.diagnose import diagnose

#: what: (the original, the mistake with {N} as 'N', the name, words of the message)
ROWS: dict[str, tuple[dict, dict, str, str]] = {
    "sum for mean": ({}, {"factor": "N"}, "sum for mean", "not their mean"),
    "sum for mean, adam": ({"optimizer": "adam", "rate": 0.001}, {"factor": "N"}, "sum for mean", ""),
    "scaled twice": ({}, {"factor": "1/N"}, "scaled twice", "twice"),
    "loss divided twice": ({}, {"loss_factor": "1/N"}, "scaled twice", "twice"),
    "no L2": ({"l2": 0.05}, {"l2": 0.0}, "missing regulariser", "0.05 * w"),
    "no L1": ({"l1": 0.02}, {"l1": 0.0}, "missing regulariser", "0.02 * sign(w)"),
    "L2 doubled": ({"l2": 0.05}, {"l2": 0.1}, "regulariser added", "0.05 * w"),
    "L2 for a sum of squares": ({"l2": 0.05}, {"l2": 0.025}, "missing regulariser", "0.025"),
    "norm clipped before": (
        {"clip": ("norm", "after", 0.1)}, {"clip": ("norm", "before", 0.1)}, "clipping order", "clip_by_norm, 0.1)",
    ),
    "norm clipped after": ({"clip": ("norm", "before", 0.1)}, {"clip": ("norm", "after", 0.1)}, "clipping order", ""),
    "global norm before": (
        {"clip": ("global", "after", 0.3)}, {"clip": ("global", "before", 0.3)}, "clipping order",
        "clip_by_global_norm, 0.3)",
    ),
    "value before": (
        {"clip": ("value", "after", 0.05)}, {"clip": ("value", "before", 0.05)}, "clipping order",
        "clip_by_value, 0.05)",
    ),
    "no clipping": ({"clip": ("norm", "after", 0.1)}, {"clip": None}, "missing clipping", "0.1"),
    "no global clipping": ({"clip": ("global", "after", 0.3)}, {"clip": None}, "missing clipping", "0.3"),
    "clips though the original does not": ({}, {"clip": ("value", "after", 0.05)}, "clipping added", "0.05"),
    "a rate twice as large": ({}, {"rate": 0.25}, "learning rate", "2.5 times"),
    "a rate of Adam": ({"optimizer": "adam", "rate": 0.01}, {"rate": 0.001}, "learning rate", "0.1 times"),
    "a missed drop": ({"drop": (4, 0.1)}, {"drop": None}, "learning rate", "From step 4"),
    "first tower's statistics": ({}, {"policy": "first"}, "batch-norm policy", "another tower"),
    "mean of the statistics": ({}, {"policy": "mean"}, "batch-norm policy", "their mean"),
    "all statistics in turn": ({}, {"policy": "all"}, "batch-norm policy", "all in turn"),
    "statistics of no step": ({}, {"policy": "never"}, "batch-norm policy", "never"),
    "another decay": ({}, {"bn_decay": 0.99}, "batch-norm policy", "another decay: 1 - decay is 0.1 "),
    "no averaging": ({}, {"alone": 0}, "no averaging", "tower 0"),
    "a tower left out of the sum": ({}, {"skip": (1, "sum")}, "skipped tower", "Tower 1"),
    "a decay of the average": ({"ema": 0.9}, {"ema": 0.99}, "moving average", "0.99, the original's 0.9"),
    "averaged before the update": ({"ema": 0.9}, {"ema_when": "before"}, "moving average", "before the update"),
    "averages that stay": ({"ema": 0.9}, {"ema": 1.0}, "moving average", "do not move"),
}  # fmt: skip


def _numbers(settings: dict, towers: int) -> dict:
    numbers = {"N": towers, "1/N": 1 / towers}
    return {key: numbers.get(str(value), value) for key, value in settings.items()}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("towers", "noise"), [(2, 0.0), (4, 1e-6)])
@pytest.mark.parametrize("what", ROWS)
def test_a_mistake_is_named(what: str, towers: int, noise: float) -> None:
    original, mistake, name, words = ROWS[what]
    runs = both(Trainer(towers=towers, **original), noise, **_numbers(mistake, towers))
    diagnoses = diagnose(*runs)
    assert [diagnosis.name for diagnosis in diagnoses] == [name]
    assert words in diagnoses[0].message
    assert diagnoses[0].todo


def test_an_optimizer_whose_slots_are_not_recorded_is_not_misnamed() -> None:
    for original, mistake in (("sgd", {}), ("momentum", {}), ("momentum", {"momentum": 0.8})):
        runs = both(Trainer(optimizer=original), 0.0, optimizer="keras", **mistake)
        assert diagnose(*runs) == []


#: two mistakes in one script, of different links
PAIRS = {
    "factor and average": ({"ema": 0.9}, {"factor": 2.0, "ema": 0.99}, ["sum for mean", "moving average"]),
    "statistics and averages": (
        {"ema": 0.9}, {"policy": "first", "ema": 0.99}, ["batch-norm policy", "moving average"],
    ),
    "rate and statistics": ({}, {"rate": 0.3, "policy": "never"}, ["learning rate", "batch-norm policy"]),
    "missed drop and average": (
        {"drop": (3, 0.1), "ema": 0.9}, {"drop": None, "ema_when": "before"},
        ["learning rate", "moving average"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", PAIRS)
def test_mistakes_of_different_links_are_all_named(what: str) -> None:
    original, mistakes, names = PAIRS[what]
    found = diagnose(*both(Trainer(**original), 1e-6, **mistakes))
    assert [diagnosis.name for diagnosis in found] == names


#: mistakes that no check names: the first difference is reported alone
UNNAMED: dict[str, tuple[dict, dict]] = {
    "another factor": ({"loss_factor": 0.7}, {"loss_factor": 1.0}),
    "another threshold": ({"clip": ("norm", "after", 0.1)}, {"clip": ("norm", "after", 0.2)}),
    "a factor and a regulariser": ({"l2": 0.05}, {"l2": 0.0, "factor": 2.0}),
    "a regulariser of two kinds": ({"l2": 0.05, "l1": 0.02}, {"l2": 0.0, "l1": 0.0}),
}


@pytest.mark.parametrize("what", UNNAMED)
def test_what_no_check_shows_has_no_name(what: str) -> None:
    original, mistake = UNNAMED[what]
    for towers, noise in ((2, 0.0), (4, 1e-6)):
        assert diagnose(*both(Trainer(towers=towers, **original), noise, **mistake)) == []
