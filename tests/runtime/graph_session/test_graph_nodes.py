"""Reads of one variable that several nodes may share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

CPU, OTHER = "/device:CPU:0", "/device:CPU:1"


@pytest.mark.parametrize(
    ("reads", "shared"),
    [
        pytest.param([(["w"], CPU), (["w"], CPU)], True, id="as soon as the run begins"),
        pytest.param([(["w", "^update"], CPU), (["w", "^update"], CPU)], True, id="after the same update"),
        pytest.param([(["w"], CPU), (["w", "^update"], CPU)], False, id="before and after an update"),
        pytest.param([(["w"], CPU), (["w"], OTHER)], False, id="on two devices"),
        pytest.param([(["w"], CPU), (["b"], CPU)], False, id="of two variables"),
    ],
)
def test_only_reads_that_wait_for_the_same_are_shared(
    reads: Sequence[tuple[list[str], str]], shared: bool
) -> None:
    from tf2towers.runtime.graph_session.graph_nodes import read_once

    def node(name: str, op: str, inputs: Sequence[str], device: str = CPU) -> Any:
        return tf.compat.v1.NodeDef(name=name, op=op, input=inputs, device=device)

    nodes = [
        *(node(name, "VarHandleOp", []) for name in "wb"),
        node("update", "AssignAddVariableOp", ["w", "one"]),
        *(node(f"read_{tower}", "ReadVariableOp", *read) for tower, read in enumerate(reads)),
        *(node(f"decay_{tower}", "L2Loss", [f"read_{tower}"]) for tower in range(2)),
        node("after", "NoOp", ["^read_1"]),
    ]
    read_once(nodes)
    read = "read_0" if shared else "read_1"
    assert [list(made.input) for made in nodes[-3:]] == [["read_0"], [read], [f"^{read}"]]
    assert [list(made.input) for made in nodes if made.op == "ReadVariableOp"] == [
        inputs for inputs, _ in reads
    ]
