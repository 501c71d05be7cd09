"""Checkpoints: there and back, to and from a TF1 Session, before and after the model exists."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.tensorflow
tf = pytest.importorskip("tensorflow")

from tf2towers.runtime import Saver, VariableStore, apply_gradients, average_gradients, tower_gradients  # noqa: E402

from .on_towers import equal, new_store, step_of, v1  # noqa: E402

OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "momentum": lambda: v1.train.MomentumOptimizer(0.1, 0.9),
    "adam": lambda: v1.train.AdamOptimizer(0.1),
    "rmsprop": lambda: v1.train.RMSPropOptimizer(0.1, momentum=0.9, centered=True),
}


def loss() -> Any:
    with v1.variable_scope("net"):
        weights = v1.get_variable("w", [3], initializer=v1.constant_initializer([1.0, -2.0, 0.5]))
        bias = v1.get_variable("b", [], initializer=v1.ones_initializer())
    # no gradient needs the other variable: a Session may update that one first
    return tf.reduce_sum(weights * weights * [1.0, 2.0, 3.0]) + bias * bias


class Training:
    """The model, trained on two towers by what `migrate` writes."""

    def __init__(self, *optimizers: Callable[[], Any]) -> None:
        self.store = new_store(2)
        with self.store.strategy.scope(), self.store.scope():
            self.global_step = v1.train.get_or_create_global_step()
            opts = [make() for make in optimizers]

        def tower() -> Any:
            grads = average_gradients(tower_gradients(loss()))
            for opt in opts:
                apply_gradients(opt, grads, self.global_step)
            return grads[0][0]

        self.step = step_of(self.store, tower)
        self.saver = Saver(self.store)

    def values(self) -> dict[str, Any]:
        return {name: variable.numpy() for name, variable in self.saver._named().items()}


class Session:
    """The same on a TF1 Session."""

    def __init__(self, *optimizers: Callable[[], Any]) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            global_step = v1.train.get_or_create_global_step()
            value = loss()
            grads = list(
                zip(tf.gradients(value, v1.trainable_variables()), v1.trainable_variables(), strict=True)
            )
            self.update = []
            for make in optimizers:
                with tf.control_dependencies(self.update):
                    self.update = [make().apply_gradients(grads, global_step)]
            self.saver = v1.train.Saver()
            self.session = v1.Session()
            self.session.run(v1.global_variables_initializer())

    def step(self) -> None:
        self.session.run(self.update)

    def save(self, path: Path, step: int) -> str:
        with self.graph.as_default():
            return str(self.saver.save(self.session, str(path), step))

    def restore(self, path: str) -> None:
        with self.graph.as_default():
            self.saver.restore(self.session, path)

    def values(self) -> dict[str, Any]:
        with self.graph.as_default():
            return dict(self.session.run({variable.op.name: variable for variable in v1.global_variables()}))


def same(actual: dict[str, Any], expected: dict[str, Any]) -> None:
    assert sorted(actual) == sorted(expected)
    for name, value in actual.items():
        equal(value, expected[name])


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("model_exists", [False, True])
def test_training_goes_on_from_a_session_s_checkpoint(name: str, model_exists: bool, tmp_path: Path) -> None:
    legacy, training = Session(OPTIMIZERS[name]), Training(OPTIMIZERS[name])
    legacy.step()
    legacy.step()
    path = legacy.save(tmp_path / "model", 2)
    if model_exists:
        training.step()
    training.saver.restore(path)
    legacy.step()
    training.step()
    same(training.values(), legacy.values())
    for variable in training.saver._named().values():
        first, second = training.store.strategy.experimental_local_results(variable)
        equal(first.numpy(), second.numpy())

    written = training.saver.save(str(tmp_path / "back"), training.global_step)
    assert written.endswith("back-3")
    other = Session(OPTIMIZERS[name])
    other.restore(written)
    same(other.values(), legacy.values())
    legacy.step()
    other.step()
    same(other.values(), legacy.values())


def test_two_optimizers_of_one_kind_keep_apart(tmp_path: Path) -> None:
    """TF1 numbers their slots on: w/Adam, w/Adam_1, then w/Adam_2, w/Adam_3."""
    both = (OPTIMIZERS["adam"], lambda: v1.train.AdamOptimizer(0.01, beta1=0.5))
    legacy, training = Session(*both), Training(*both)
    for _ in range(2):
        legacy.step()
        training.step()
    assert "net/w/Adam_3" in training.values()
    assert "beta1_power_1" in training.values()
    same(training.values(), legacy.values())
    path = training.saver.save(str(tmp_path / "model"))
    again = Training(*both)
    again.saver.restore(path)
    again.step()
    training.step()
    same(again.values(), training.values())


def test_names_in_a_name_scope_and_a_variable_scope() -> None:
    def build(apply: Callable[[Any], Any]) -> Any:
        loss()
        with v1.name_scope("train"):
            apply(0)
        with v1.variable_scope("other"):
            apply(1)

    with tf.Graph().as_default():
        opts = [v1.train.AdamOptimizer(0.1) for _ in range(2)]
        build(lambda i: opts[i].minimize(loss_of_all()))
        expected = sorted(variable.op.name for variable in v1.global_variables())
    store = new_store(2)
    with store.scope():
        opts = [v1.train.AdamOptimizer(0.1) for _ in range(2)]

    def tower() -> Any:
        build(lambda i: apply_gradients(opts[i], tower_gradients(loss_of_all())))
        return tf.constant(0)

    step_of(store, tower)()
    assert sorted(Saver(store)._named()) == expected


def loss_of_all() -> Any:
    return tf.add_n([tf.reduce_sum(variable) for variable in v1.trainable_variables()])


def small_store() -> VariableStore:
    store = VariableStore()
    with store.scope():
        v1.get_variable("a", [2], initializer=v1.ones_initializer())
        v1.get_variable("step", [], tf.int64, v1.zeros_initializer(), trainable=False)
        v1.get_variable("count", [], trainable=False, collections=[v1.GraphKeys.LOCAL_VARIABLES])
    return store


def test_the_list_of_checkpoints_is_tf1s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Absolute paths stay; relative ones are relative to the folder, those of checkpoints elsewhere as well."""

    def lines(folder: str) -> list[str]:
        return [line.split('"')[1] for line in (tmp_path / folder / "checkpoint").read_text().splitlines()]

    monkeypatch.chdir(tmp_path)
    saver = Saver(small_store())
    assert [saver.save("a/model", global_step=1), saver.save("b/model"), saver.save("model")] == [
        "a/model-1",
        "b/model",
        "model",
    ]
    assert lines("a") == ["model-1", "model-1"]
    assert lines("b") == ["model", "../a/model-1", "model"]
    assert lines(".") == ["model", "a/model-1", "b/model", "model"]
    latest = saver.save(str(tmp_path / "c" / "model"))
    assert lines("c") == [latest, "a/model-1", "b/model", "model", latest]


def test_checkpoints_are_kept_and_found(tmp_path: Path) -> None:
    store = small_store()
    saver = Saver(store, max_to_keep=2)
    paths = [saver.save(str(tmp_path / "deep" / "model.ckpt"), global_step=step) for step in (1, 2, 2, 3)]
    assert saver.last_checkpoints == [paths[1], paths[3]]
    assert tf.train.latest_checkpoint(tmp_path / "deep") == paths[3]
    state = tf.train.get_checkpoint_state(str(tmp_path / "deep"))
    assert list(state.all_model_checkpoint_paths) == saver.last_checkpoints
    assert not list((tmp_path / "deep").glob("model.ckpt-1.*"))
    assert sorted(name for name, _ in tf.train.list_variables(paths[3])) == [
        "a",
        "step",
    ]  # no local variables
    for everything in (0, None):
        saver = Saver(store, max_to_keep=everything)
        for step in range(7):
            saver.save(str(tmp_path / "all"), global_step=step)
        assert len(saver.last_checkpoints) == 7


def test_some_stay_for_good(tmp_path: Path) -> None:
    saver = Saver(small_store(), max_to_keep=1, keep_checkpoint_every_n_hours=1e-9)
    for step in range(3):
        saver.save(str(tmp_path / "model"), step)
    assert len(list(tmp_path.glob("model-*.index"))) == 3
    assert len(saver.last_checkpoints) == 1


def test_a_list_and_a_dict_of_variables(tmp_path: Path) -> None:
    store = small_store()
    store["step"].assign(5)
    by_name = Saver({"other/name": store["a"]}).save(str(tmp_path / "dict"))
    by_list = Saver([store["step"]], store=store).save(str(tmp_path / "list"))
    assert tf.train.list_variables(by_name) == [("other/name", [2])]
    assert tf.train.list_variables(by_list) == [("step", [])]
    store["a"].assign([7, 8])
    store["step"].assign(6)
    Saver({"other/name": store["a"]}).restore(by_name)
    Saver([store["step"]], store=store).restore(by_list)
    equal(store["a"].numpy(), np.float32([1, 1]))
    assert store["step"].numpy() == 5
    with pytest.raises(ValueError, match="no variables to save"):
        Saver([], store=store)


def test_only_the_trainable_ones_even_before_they_exist(tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    training = Training(OPTIMIZERS["momentum"])
    training.step()
    training.saver.save(path)
    again = Training(OPTIMIZERS["momentum"])
    Saver(again.store, only="trainable").restore(path)
    gradient, _ = again.step()
    assert again.global_step.numpy() == 1
    equal(again.values()["net/w/Momentum"], gradient)  # begun at zero
    fresh, _ = Training(OPTIMIZERS["momentum"]).step()
    assert np.any(gradient != fresh)
    saved = Saver(training.store, only="trainable").save(str(tmp_path / "trainable"))
    assert [name for name, _ in tf.train.list_variables(saved)] == ["net/b", "net/w"]


def test_what_is_made_later_has_to_be_in_the_checkpoint(tmp_path: Path) -> None:
    """TF1 restored all variables, slots included, or none: a step made them afresh without a word."""
    plain = Training(lambda: v1.train.GradientDescentOptimizer(0.1))
    plain.step()
    path = plain.saver.save(str(tmp_path / "plain"))
    again = Training(OPTIMIZERS["momentum"])
    again.saver.restore(path)
    with pytest.raises(ValueError, match=r"'net/[wb]/Momentum' is not in checkpoint"):
        again.step()
    store = new_store(2)
    Saver(store, only="trainable").restore(path)
    with store.strategy.scope(), store.scope():
        v1.get_variable("fresh", [], trainable=False)
        with pytest.raises(ValueError, match="'other' is not in checkpoint"):
            v1.get_variable("other", [])


def test_towers_are_not_saved_before_they_have_trained(tmp_path: Path) -> None:
    """The file would have had the global step alone, and no model."""
    training = Training(OPTIMIZERS["adam"])
    for saver in (training.saver, Saver(training.store, only="trainable")):
        with pytest.raises(RuntimeError, match="the first training step makes its variables"):
            saver.save(str(tmp_path / "model"))
    training.step()
    path = training.saver.save(str(tmp_path / "model"))
    again = Training(OPTIMIZERS["adam"])
    again.saver.restore(path)  # nothing was left to train
    assert tf.train.list_variables(again.saver.save(str(tmp_path / "same"))) == tf.train.list_variables(path)


def test_what_does_not_fit_is_told(tmp_path: Path) -> None:
    store = small_store()
    path = Saver(store).save(str(tmp_path / "model"))
    with store.scope():
        v1.get_variable("new", [])
    with pytest.raises(ValueError, match="'new' is not in checkpoint"):
        Saver(store).restore(path)
    for options, message in (
        ({"shape": [3]}, r"shape \(2,\)"),
        ({"shape": [2], "dtype": tf.int32}, "is float32"),
    ):
        other = VariableStore()
        Saver(other).restore(path)
        with other.scope(), pytest.raises(ValueError, match=f"'a' .*{message}, and is asked for"):
            v1.get_variable("a", **options)
    with pytest.raises(tf.errors.NotFoundError):
        Saver(store).restore(str(tmp_path / "nothing"))
