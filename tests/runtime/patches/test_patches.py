"""The patches of TensorFlow: each is applied once, listed and undone, and has a source and a test."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.runtime.tasks import run_python

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).parents[3]

#: the sessions of tf_slim's loops; what it takes from private modules is
#: tests/functions/programs/slim_programs.py's
OF_TF_SLIM = """
from tf2towers.runtime import Session, SessionManager, graph_mode
graph_mode()
import tensorflow.compat.v1 as tf
from tensorflow.python.training import session_manager
from tf2towers.runtime.tf1 import slim

assert session_manager.SessionManager is SessionManager
seen = []
step = slim.get_or_create_global_step()
train = slim.learning.create_train_op(tf.nn.l2_loss(tf.get_variable("w", [3])), tf.train.AdamOptimizer())

def watch(session, *args):
    seen.append(type(session) is Session)
    return slim.learning.train_step(session, *args)

slim.learning.train(train, None, watch, number_of_steps=3, log_every_n_steps=100)
assert seen == [True] * 3, seen
"""


def test_the_loops_of_tf_slim_have_our_sessions() -> None:
    run_python("-c", OF_TF_SLIM)


#: the modules that a patch adds to those that are imported stay when it is undone
TPU_ESTIMATORS_AGAIN = """
from tf2towers.runtime import graph_mode
graph_mode()
from tf2towers.runtime.patches.estimators import tpu_estimators_are_imported
from tf2towers.runtime.tf1 import tpu

tpu_estimators_are_imported.undo()
tpu_estimators_are_imported()
"""


@pytest.mark.skipif(find_spec("tensorflow_estimator") is None, reason="needs tensorflow-estimator")
def test_the_patch_of_tpu_estimators_is_applied_again() -> None:
    run_python("-c", TPU_ESTIMATORS_AGAIN)


@pytest.fixture(scope="module")
def driven() -> Any:
    """What `drive_patches.py` prints."""
    out, _ = run_python(str(Path(__file__).with_name("drive_patches.py")))
    return json.loads(out.splitlines()[-1])


def test_all_are_applied_once_and_undone(driven: Any) -> None:
    assert driven["different"] == []


def test_without_each_private_name_a_sentence_names_it_and_the_feature(driven: Any) -> None:
    assert len(driven["said"]) > 140
    for patch, feature, name, sentences in driven["said"]:
        expected = f"TensorFlow {tf.__version__} has moved {name}, which {feature} needs: "
        assert sentences, (patch, name)
        assert all(expected in sentence for sentence in sentences), (patch, name, sentences)


def test_each_says_why_and_names_its_source_and_its_test() -> None:
    from tf2towers.runtime.patches import register as patches

    for patch in (*patches.FOR_EVERY_SCRIPT, *patches.FOR_MIGRATED, *patches.ON_DEMAND):
        assert len(patch.why) > 60, patch.name
        assert patch.source, patch.name
        assert (ROOT / patch.test).is_file(), patch.test


class Owner:
    """A class that the patches below change."""

    kept = staticmethod(len)


class Under(Owner):
    """A subclass, which inherits the changed attribute."""


def test_a_patch_that_fails_leaves_nothing() -> None:
    from tf2towers.runtime.patches.patch import Patch, applied, patch

    @patch("feature", "source", "test")
    def half(changes: Patch, table: dict[str, int]) -> None:
        changes.set(Owner, "kept", None)
        changes.set(Under, "kept", None)
        changes.set(table, "one", 2)
        raise RuntimeError

    table, plain = {"one": 1}, vars(Owner)["kept"]
    with pytest.raises(RuntimeError):
        half(table)
    assert vars(Owner)["kept"] is plain and "kept" not in vars(Under) and table == {"one": 1}
    assert half not in applied()


def test_a_patch_is_applied_once_until_it_is_taken_back() -> None:
    from tf2towers.runtime.patches.patch import Patch, applied, patch

    owner = SimpleNamespace(count=0)

    @patch("feature", "source", "test")
    def count_up(changes: Patch) -> None:
        changes.set(owner, "count", owner.count + 1)

    count_up()
    count_up()
    assert owner.count == 1 and count_up in applied() and count_up.changes == [(owner, "count")]
    count_up.undo()
    count_up.undo()
    assert owner.count == 0 and count_up not in applied() and count_up.changes == []
