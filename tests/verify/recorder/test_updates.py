"""Which updates of a program are seen."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tf2towers.verify.recorder.updates import watch_updates


class Base:
    """As `tf.train.Optimizer`."""

    def __init__(self, inner: Any = None) -> None:
        self.inner = inner

    def apply_gradients(self, grads_and_vars: Any, name: str = "") -> Any:
        return SimpleNamespace(control_inputs=[], name=f"base {len(list(grads_and_vars))}")


class Own(Base):
    """As BERT's Adam with weight decay: nothing of TensorFlow's update is called."""

    def apply_gradients(self, grads_and_vars: Any, name: str = "") -> Any:
        return SimpleNamespace(control_inputs=[], name=f"own {len(list(grads_and_vars))}")


class Once(Own):
    def apply_gradients(self, grads_and_vars: Any, name: str = "") -> Any:
        returned = super().apply_gradients(grads_and_vars, name)
        assert not list(grads_and_vars), "the script gave an iterator"
        return returned


class Clipping(Base):
    def apply_gradients(self, grads_and_vars: Any, name: str = "") -> Any:
        return super().apply_gradients(list(grads_and_vars), name)


class Around(Base):
    def apply_gradients(self, grads_and_vars: Any, name: str = "") -> Any:
        return self.inner.apply_gradients(grads_and_vars, name)


class Strange(Base):
    def apply_gradients(self, grads: Any, variables: Any) -> None:  # type: ignore[override]
        assert [*grads] == [1.0] and [*variables] == ["w"]


@pytest.fixture(scope="module")
def seen() -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    watch_updates(Base, callback=lambda optimizer, op, pairs: found.append((op.name, pairs)))
    return found


@pytest.mark.parametrize(
    ("make", "name"),
    [(Base, "base 1"), (Own, "own 1"), (Once, "own 1"), (Clipping, "base 1"),
     (lambda: Around(Base()), "base 1"), (lambda: Around(Own()), "own 1")],
)  # fmt: skip
@pytest.mark.parametrize("by_keyword", [False, True])
def test_each_update_is_seen_once(
    make: Any, name: str, by_keyword: bool, seen: list[tuple[str, Any]]
) -> None:
    del seen[:]
    pairs = zip([1.0], ["w"], strict=True)
    optimizer = make()
    returned = (
        optimizer.apply_gradients(grads_and_vars=pairs) if by_keyword else optimizer.apply_gradients(pairs)
    )
    assert returned.name == name
    assert seen == [(name, [(1.0, "w")])]


def test_other_arguments_are_left_alone(seen: list[tuple[str, Any]]) -> None:
    del seen[:]
    Strange().apply_gradients(grads=[1.0], variables=iter(["w"]))
    Strange().apply_gradients(np.array([1.0]), iter(["w"]))
    assert not seen
