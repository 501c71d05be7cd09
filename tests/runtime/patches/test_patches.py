"""The patches of TensorFlow: each is applied once, listed and undone, and has a source and a test."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).parents[3]

#: applies all patches, undoes them, and prints what is not as before
ALL = """
import sys
import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.framework import ops
import tf_keras.api._v1.keras  # before the state is looked at
from tf_keras.src import backend

v1 = tf.compat.v1
v1.disable_eager_execution()
v1.disable_v2_tensorshape()
v1.disable_tensor_equality()
v1.disable_control_flow_v2()
v1.enable_resource_variables()
from tf2towers.runtime import Session, graph_mode
from tf2towers.runtime.patches import register as patches
from tf2towers.runtime.patches.patch import Patch, applied, undo
from tensorflow.python.layers import normalization
from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable

context.context()
of_other_kinds = {
    patches.print_as_numpy1, patches.copies_of_rows_are_dense, patches.sums_over_rows_have_second_gradients
}

def state():
    of_modules = {
        name: dict(object.__getattribute__(module, "__dict__"))
        for name, module in sys.modules.items() if name.startswith(("tensorflow.", "tf_keras."))
    }
    for space in list(of_modules.values()):
        for value in list(space.values()):
            if isinstance(value, type) and value.__module__.startswith(("tensorflow.", "tf_keras.")):
                of_modules[value.__module__ + "." + value.__qualname__] = dict(vars(value))
    registry = ops._gradient_registry._registry
    return of_modules | {
        "gradients": {name: known["type"] for name, known in registry.items()},
        "context": {"look": "_initialize_physical_devices" in vars(context.context())},
        "numpy": {"legacy": np.get_printoptions()["legacy"]},
        "is": {"resource is variable": issubclass(BaseResourceVariable, v1.Variable)},
    }

def different(before, after):
    ignored = ("__warningregistry__", "_abc_impl", "__abstractmethods__")
    return sorted(
        f"{owner}.{name}"
        for owner in before
        for name in before[owner].keys() | after[owner].keys()
        if name not in ignored and before[owner].get(name, "none") is not after[owner].get(name, "none")
    )

before = state()
for _ in range(2):
    graph_mode()
    patches.keras_is_tf1s()
    patches.keras_computes_as_tf1()
    patches.sequentials_predict_classes()
    patches.keras_runs_on(backend, Session)
    patches.layers_are_keras2s()
    patches.losses_are_keras2s()
    patches.optimizers_are_keras2s()
    patches.rows_are_shuffled_as_keras2s()
    patches.models_are_saved_as_keras2s()
    patches.methods_take_old_words()
    patches.events_have_keras2s_names()
    patches.networks_have_keras2s_norm(object)
# these import a package, which stays: tests/functions/programs/estimators.py and their soundness scripts have them
of_estimators = {patches.estimators_are_imported, patches.estimators_run_on}
every = {value for value in vars(patches).values() if isinstance(value, Patch)} - of_estimators
assert set(applied()) == every, every - set(applied())
assert every | of_estimators == {*patches.FOR_EVERY_SCRIPT, *patches.FOR_MIGRATED, *patches.ON_DEMAND}
assert len(applied()) == len(every)
changed = different(before, state())
assert len(changed) > 60, changed
for patch in every - of_other_kinds:
    assert patch.changes, patch.name
undo()
assert applied() == () and not any(patch.changes for patch in every)
print(different(before, state()))
"""


#: the sessions of tf_slim's loops; what it takes from private modules is tests/functions/programs/slim_programs.py's
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


def test_all_are_applied_once_and_taken_back() -> None:
    assert run_python("-c", ALL)[0].strip() == "[]"


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
