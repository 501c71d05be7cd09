"""Each mistake, seeded into a simulated trainer, is caught and named, in lockstep and in free runs."""

from __future__ import annotations

import pytest

from tests.verify.diagnose.simulated import Trainer, both
from tf2towers.verify.diagnose import MISTAKES, diagnose

ROWS: dict[str, tuple[dict, dict, str, str]] = {
    # what: (the original, the mistake with {N} as 'N', the name, words of the message)
    "sum for mean": ({}, {"factor": "N"}, "sum for mean", "added up"),
    "sum for mean, adam": ({"optimizer": "adam", "rate": 1e-3}, {"factor": "N"}, "sum for mean", ""),
    "scaled twice": ({}, {"factor": "1/N"}, "scaled twice", "twice"),
    "loss divided twice": ({}, {"loss_factor": "1/N"}, "scaled twice", "so are the losses"),
    "sum over the tower's examples": ({"batch": 15}, {"factor": 15.0}, "batch-size factor", "15 examples"),
    "divided by the batch": ({"batch": 15}, {"factor": "1/15N"}, "batch-size factor", "examples"),
    "dropped 0.7": ({"loss_factor": 0.7}, {"loss_factor": 1.0}, "other constant factor", "1.43"),
    "no L2": ({"l2": 0.05}, {"l2": 0.0}, "missing regulariser", "0.05 * w"),
    "no L1": ({"l1": 0.02}, {"l1": 0.0}, "missing regulariser", "0.02 * sign(w)"),
    "L2 doubled": ({"l2": 0.05}, {"l2": 0.1}, "regulariser added", "0.05 * w"),
    "L2 for a sum of squares": ({"l2": 0.05}, {"l2": 0.025}, "missing regulariser", "0.025"),
    "norm clipped before": (
        {"clip": ("norm", "after", 0.1)},
        {"clip": ("norm", "before", 0.1)},
        "clipping order",
        "clip_by_norm, 0.1)",
    ),
    "norm clipped after": (
        {"clip": ("norm", "before", 0.1)},
        {"clip": ("norm", "after", 0.1)},
        "clipping order",
        "",
    ),
    "global norm before": (
        {"clip": ("global", "after", 0.3)},
        {"clip": ("global", "before", 0.3)},
        "clipping order",
        "clip_by_global_norm, 0.3)",
    ),
    "value before": (
        {"clip": ("value", "after", 0.05)},
        {"clip": ("value", "before", 0.05)},
        "clipping order",
        "clip_by_value, 0.05)",
    ),
    "no clipping": ({"clip": ("norm", "after", 0.1)}, {"clip": None}, "missing clipping", "0.1"),
    "no global clipping": ({"clip": ("global", "after", 0.3)}, {"clip": None}, "missing clipping", "0.3"),
    "clips though the original does not": ({}, {"clip": ("value", "after", 0.05)}, "clipping added", "0.05"),
    "another threshold": (
        {"clip": ("norm", "after", 0.1)},
        {"clip": ("norm", "after", 0.2)},
        "other clipping",
        "",
    ),
    "a rate twice as large": ({}, {"rate": 0.25}, "learning rate", "0.25 for 0.1"),
    "a rate of Adam": ({"optimizer": "adam", "rate": 1e-2}, {"rate": 1e-3}, "learning rate", "0.1 times"),
    "a missed drop": ({"drop": (4, 0.1)}, {"drop": None}, "learning-rate schedule", "until step 4"),
    "Keras' velocity": (
        {"drop": (4, 0.1)},
        {"optimizer": "keras"},
        "learning-rate drop with momentum",
        "from 0.1 to 0.01 at step 4",
    ),
    "Adam's epsilon": (
        {"optimizer": "adam", "rate": 1e-2, "scale": 1e-5},
        {"epsilon": 1e-7},
        "epsilon",
        "about 1e-07",
    ),
    "RMSProp's epsilon": (
        {"optimizer": "rmsprop", "rate": 1e-3, "epsilon": 1e-10},
        {"epsilon": 1e-2},
        "epsilon",
        "about 0.01",
    ),
    "no momentum": ({}, {"optimizer": "sgd"}, "other optimizer", "gradient descent"),
    "nesterov": ({}, {"optimizer": "nesterov"}, "other optimizer", "nesterov"),
    "momentum for none": ({"optimizer": "sgd"}, {"optimizer": "momentum"}, "other optimizer", "momentum"),
    "Adam for none": (
        {"optimizer": "sgd"},
        {"optimizer": "adam", "rate": 1e-2},
        "other optimizer",
        "Adam",
    ),
    "0.8 for 0.9": ({}, {"momentum": 0.8}, "optimizer constant", "0.8"),
    "first tower's statistics": ({}, {"policy": "first"}, "batch-norm policy", "another tower"),
    "mean of the statistics": ({}, {"policy": "mean"}, "batch-norm policy", "their mean"),
    "all statistics in turn": ({}, {"policy": "all"}, "batch-norm policy", "all in turn"),
    "statistics of no step": ({}, {"policy": "never"}, "batch-norm policy", "never"),
    "another decay": ({}, {"bn_decay": 0.99}, "batch-norm policy", "another decay: 1 - decay is 0.1 "),
    "batch-norm epsilon": ({}, {"bn_epsilon": 1e-2}, "batch-norm epsilon", "bn/FusedBatchNormV3"),
    "one tower's data": ({}, {"data_of": 1}, "one tower's data used for all", "tower 1"),
    "one tower's data, losses only": (
        {"own_gradients": False},
        {"data_of": 0},
        "one tower's data used for all",
        "tower 0",
    ),
    "no averaging": ({}, {"alone": 0}, "no averaging", "tower 0"),
    "a tower left out of the sum": ({}, {"skip": (1, "sum")}, "skipped tower", "Tower 1"),
    "no gradient": ({}, {"without_gradient": "bn/beta"}, "gradient missing", "bn/beta"),
    "no update": ({}, {"not_updated": "bn/gamma"}, "variable not trained", "bn/gamma"),
    "a decay of the average": ({"ema": 0.9}, {"ema": 0.99}, "moving average", "0.99, the original's 0.9"),
    "averaged before the update": (
        {"ema": 0.9},
        {"ema_when": "before"},
        "moving average",
        "before the update",
    ),
    "averages that stay": ({"ema": 0.9}, {"ema": 1.0}, "moving average", "do not move"),
    "counted by each": ({}, {"counter": "N"}, "global step", "once for each"),
    "not counted": ({}, {"counter": 0}, "global step", "stays"),
    "applied by each": ({"optimizer": "sgd"}, {"applications": "N"}, "applied once per replica", ""),
    "applied by each, momentum": ({}, {"applications": "N"}, "applied once per replica", ""),
    "applied by each, adam": (
        {"optimizer": "adam", "rate": 1e-2},
        {"applications": "N"},
        "applied once per replica",
        "",
    ),
    "other inputs": ({}, {"shift": 0.5}, "inputs differ", "'x'"),
}


def _numbers(settings: dict, towers: int) -> dict:
    numbers = {"N": towers, "1/N": 1 / towers, "1/15N": 1 / (15 * towers)}
    return {
        key: numbers.get(value, value) if isinstance(value, str) else value for key, value in settings.items()
    }


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("lockstep", "towers", "noise"),
    [(True, 2, 0.0), (True, 4, 1e-6), (False, 2, 1e-6), (False, 4, 0.0)],
)
@pytest.mark.parametrize("what", ROWS)
def test_a_mistake_is_named(what: str, lockstep: bool, towers: int, noise: float) -> None:
    original, mistake, name, words = ROWS[what]
    runs = both(Trainer(towers=towers, **original), lockstep, noise, **_numbers(mistake, towers))
    diagnoses = diagnose(*runs, lockstep=lockstep)
    assert [diagnosis.name for diagnosis in diagnoses] == [name]
    assert words in diagnoses[0].message
    assert diagnoses[0].todo
    assert diagnoses[0].confidence >= 0.5


def test_other_initial_values_are_named_first() -> None:
    assert [
        diagnosis.name for diagnosis in diagnose(*both(Trainer(), False, 0.0, start=1.1), lockstep=False)
    ] == ["initial values differ"]


def test_an_optimizer_whose_slots_are_not_recorded_is_not_misnamed() -> None:
    for original, mistake in (("sgd", {}), ("momentum", {"momentum": 0.8})):
        for lockstep in (True, False):
            runs = both(Trainer(optimizer=original), lockstep, 0.0, optimizer="keras", **mistake)
            assert diagnose(*runs, lockstep=lockstep) == []


PAIRS = {
    # two mistakes in one script, of different links
    "regulariser and rate": (
        {"l2": 0.05},
        {"l2": 0.0, "rate": 0.3},
        ["missing regulariser", "learning rate"],
    ),
    "sum and epsilon": (
        {"optimizer": "rmsprop", "rate": 1e-3, "epsilon": 1e-10},
        {"factor": 2.0, "epsilon": 1e-2},
        ["sum for mean", "epsilon"],
    ),
    "factor and counter": ({}, {"factor": 0.7, "counter": 2}, ["other constant factor", "global step"]),
    "statistics and averages": (
        {"ema": 0.9},
        {"policy": "first", "ema": 0.99},
        ["batch-norm policy", "moving average"],
    ),
    "rate and statistics": ({}, {"rate": 0.3, "policy": "never"}, ["learning rate", "batch-norm policy"]),
    "gradient and factor": (
        {},
        {"without_gradient": "bn/beta", "factor": 2.0},
        ["gradient missing", "sum for mean"],
    ),
    "missed drop and average": (
        {"drop": (3, 0.1), "ema": 0.9},
        {"drop": None, "ema_when": "before"},
        ["learning-rate schedule", "moving average"],
    ),
    # lockstep sets the velocity to the accumulator
    "Keras' velocity, recorded": (
        {"drop": (3, 0.1)},
        {"optimizer": "keras slot"},
        ["learning-rate drop with momentum"],
    ),
}


@pytest.mark.parametrize("what", PAIRS)
def test_mistakes_of_different_links_are_all_named(what: str) -> None:
    original, mistakes, names = PAIRS[what]
    found = diagnose(*both(Trainer(**original), True, 1e-6, **mistakes))
    assert [diagnosis.name for diagnosis in found] == names


def test_every_name_of_the_table_has_a_row() -> None:
    names = {name for mistake in MISTAKES for name in mistake.names}
    assert names - {row[2] for row in ROWS.values()} == {"initial values differ", "layer differs"}
