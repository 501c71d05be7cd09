"""A private name that TensorFlow has moved costs the feature that needs it, with one sentence that names both."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.tasks import QUIET, run_python
from tf2towers.cli.main import main

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

from tf2towers.runtime.patches import patch, private  # noqa: E402
from tf2towers.runtime.patches.private import MovedError  # noqa: E402
from tf2towers.runtime.patches.register import FOR_EVERY_SCRIPT, FOR_MIGRATED, FOR_ORIGINALS  # noqa: E402

ROOT = Path(__file__).parents[3]
FLAGS = ("--batch_size=2", "--max_steps=2")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Any, int, str]]:
    """What the demo's migrated program wrote and returned without each of the names that it needs."""
    folder = tmp_path_factory.mktemp("demo")
    assert main(["migrate", "-q", str(ROOT / "legacy/cifar10_towers.py"), "-o", str(folder)]) == 0
    driver = Path(__file__).with_name("drive_moved_names.py")
    out, _ = run_python(
        driver, folder, "cifar10_towers.py", *FLAGS, f"--train_dir={folder}/train", seconds=900, **QUIET
    )
    found: dict[str, tuple[Any, int, str]] = json.loads(out.splitlines()[-1])
    return found


def test_without_what_only_a_feature_needs_the_demo_runs(runs: dict[str, tuple[Any, int, str]]) -> None:
    features, status, errors = runs["features"]
    assert status == 0, errors
    assert len(features) >= 15
    # what serves no public name says so at the start; the others say nothing, since the program
    # does not use them
    silent = {patch.feature for patch in FOR_MIGRATED if patch.serves}
    assert {feature for feature in features if f"which {feature} needs" in errors} & silent == set()
    assert {*runs["used"]} == {"a dataset's iterator", "tf.gradients"}


def test_without_another_name_it_runs_or_one_sentence_says_what_is_gone(
    runs: dict[str, tuple[Any, int, str]],
) -> None:
    names = {name: run for name, run in runs.items() if name not in ("features", "used")}
    assert len(names) > 20
    for name, (_, status, errors) in names.items():
        sentences = [line for line in errors.splitlines() if "has moved" in line]
        assert all(f"has moved {name}, which " in line for line in sentences), errors
        assert status == 0 or errors.splitlines()[-1] == sentences[-1], errors


@pytest.fixture
def all_moved(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No attribute of TensorFlow is where it was, for patches that are applied in the test.

    Those that were in force before the test are in force after it.
    """
    before = [(each, each.arguments) for each in patch.applied()]
    patch.undo()

    def look_up(owner: Any, name: str, feature: str) -> Any:
        raise MovedError(name, feature)

    monkeypatch.setattr(private, "look_up", look_up)
    monkeypatch.setattr(patch, "look_up", look_up)
    private.private.cache_clear()
    yield
    patch.undo()
    private.private.cache_clear()
    monkeypatch.undo()
    for each, arguments in before:
        each(*arguments)


@pytest.mark.usefixtures("all_moved")
@pytest.mark.parametrize("served", [one for one in FOR_MIGRATED if one.serves], ids=lambda one: one.name)
def test_what_a_patch_serves_raises_an_error(served: patch.Patch) -> None:
    with tf.Graph().as_default():
        served.apply_or_guard()
        for name in served.serves:
            dotted, _, argument = name.partition(":")
            function: Any = tf.compat.v1
            for part in dotted.split("."):
                function = getattr(function, part)
            with pytest.raises(MovedError, match=r"which .* needs"):
                if argument == "sharded":
                    function([], sharded=True)
                elif argument:
                    function("name", **{argument: abs})
                elif isinstance(function, type):
                    function.__init__(None)
                else:
                    function()


def test_an_argument_that_is_not_given_costs_nothing(all_moved: None) -> None:
    with tf.Graph().as_default():
        for one in FOR_MIGRATED:
            if any(":" in name for name in one.serves):
                one.apply_or_guard()
        with tf.compat.v1.variable_scope("scope"):
            weight = tf.compat.v1.get_variable("w", [2], use_resource=True)
        assert tf.compat.v1.train.Saver([weight]) is not None


def test_each_patch_is_for_one_feature_and_is_applied_once() -> None:
    assert len({*FOR_EVERY_SCRIPT, *FOR_MIGRATED}) == len(FOR_EVERY_SCRIPT) + len(FOR_MIGRATED)
    assert {*FOR_ORIGINALS} <= {*FOR_MIGRATED}
