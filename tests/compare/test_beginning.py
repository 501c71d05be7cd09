"""What is told before a program's first training step: no TensorFlow needed."""

from typing import Any

import pytest

from tf2towers.compare.watch.beginning import Beginning, global_step
from tf2towers.compare.watch.steps import Steps


class Told:
    """Lines that are kept."""

    task = None

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def write(self, event: str, **entries: Any) -> None:
        if event != "aside":
            self.lines.append({"event": event, **entries})


class Weights:
    """In place of `FirstWeights`."""

    def __init__(self, made: int, found: str, missing: str) -> None:
        self._made, self._given = made, (found.split(), missing.split())

    def steps_made(self) -> int:
        return self._made

    def give(self) -> tuple[list[str], list[str]]:
        return self._given


@pytest.mark.parametrize(
    ("made", "found", "missing", "said"),
    [
        (0, "w b", "", {"event": "facts", "weights": True}),
        (7, "", "", {"event": "resumed", "step": 7}),
        (
            0,
            "w",
            "b c d e f g",
            {
                "event": "note",
                "text": "some initial weights of its own: no variable was found for b, c, d, e and 2 more",
            },
        ),
        (
            0,
            "",
            "w b",
            {
                "event": "note",
                "text": "initial weights of its own: none of its variables is one of the original's by name, order "
                "or shape",
            },
        ),
    ],
)
def test_told(made: int, found: str, missing: str, said: dict[str, Any]) -> None:
    told = Told()
    beginning = Beginning(Steps(told), "folder")  # type: ignore[arg-type]
    beginning._weights = Weights(made, found, missing)
    beginning.training_function()
    beginning.training_function()  # a second one changes nothing
    beginning.eager_step()
    assert told.lines == [said]


@pytest.mark.parametrize(("original", "lines"), [("folder", 1), (None, 0)])
def test_eager(original: str | None, lines: int) -> None:
    told = Told()
    beginning = Beginning(Steps(told), original)  # type: ignore[arg-type]
    beginning.eager_step()
    beginning.eager_step()
    assert len(told.lines) == lines


class Graph:
    def __init__(self, **collections: list[str]) -> None:
        self._collections = collections

    def get_collection(self, name: str) -> list[Any]:
        return [
            type("Variable", (), {"op": type("Op", (), {"name": variable})})
            for variable in self._collections.get(name, [])
        ]


@pytest.mark.parametrize(
    ("graph", "value", "steps"),
    [
        (Graph(global_step=["counter"]), 7, 7),
        (Graph(variables=["w", "global_step"]), 7.0, 7),
        (Graph(variables=["w"]), 7, 0),
        (Graph(global_step=["counter"]), "not initialized", 0),
    ],
)
def test_global_step(graph: Graph, value: Any, steps: int) -> None:
    assert global_step(graph, lambda _: value) == steps
