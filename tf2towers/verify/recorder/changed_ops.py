"""Finds in a graph of TF 1 what TF 2 computes in another way (docs/differences.md), so that no verdict is possible."""

from typing import Any, Iterable, List, Set

SHUFFLED = (
    "`dataset.shuffle(n, seed).repeat()`: in TensorFlow 1 the buffer takes the next epoch's elements early"
)
HALF = "float16 on a CPU: TensorFlow 2's matrix products are an order more exact"
_PRODUCTS = ("MatMul", "BatchMatMul", "BatchMatMulV2", "Conv2D", "Conv3D", "DepthwiseConv2dNative")


def changed_ops(graphs: Iterable[Any]) -> List[str]:
    """What the graphs and their functions have of it, in words."""
    found: Set[str] = set()
    for graph in graphs:
        try:
            definition = graph.as_graph_def()
        except ValueError:  # beyond 2 GB
            continue
        bodies = [definition.node] + [function.node_def for function in definition.library.function]
        for nodes in bodies:
            found.update(_of_nodes(list(nodes)))
    return sorted(found)


def _of_nodes(nodes: List[Any]) -> Iterable[str]:
    kinds = {node.name: node.op for node in nodes}
    for node in nodes:
        if node.op.startswith("RepeatDataset") and node.input:
            before = kinds.get(node.input[0].partition(":")[0], "")
            if before.startswith("ShuffleDataset"):
                yield SHUFFLED
        if node.op in _PRODUCTS and node.attr["T"].type == 19:  # DT_HALF
            yield HALF
