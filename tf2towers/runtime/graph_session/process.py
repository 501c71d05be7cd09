"""Where a session's operations are: in this process. `cluster` has a process with parameter servers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.nodes import Nodes, read_once

#: what TensorFlow calls this process, connected to others or not
LOCAL = "/job:localhost/replica:0/task:0"


class Process:
    """What a session asks of its process, where that stands alone, in no cluster."""

    #: whether a mean over the towers of this process can be an all-reduce
    collectives = True

    def connect(self, graph: tf.Graph, config: Any = None) -> None:
        """Called before a graph's first run."""

    def translate(self, nodes: Nodes) -> None:
        """Turns the cluster's devices in a graph into what the other modules know: no job at all means this process."""

    def check(self, part: Iterable[Any]) -> None:
        """Raises for what cannot be run from here."""

    def container(self, session: str, node: Any) -> str:
        """The container for a resource of this process, made by a session that has this container of its own."""
        return session

    def is_own(self, node: Any) -> bool:
        """Whether a resource is the session's own, in whatever process it is."""
        return False

    def ends(self, node: Any) -> bool:
        """Whether a resource of this process ends with the session that made it."""
        return True

    def is_elsewhere(self, node: Any) -> bool:
        """Whether a node, its device being translated, is in another process."""
        return False

    def settle(
        self, nodes: Sequence[Any], outputs: Sequence[tuple[str, tf.DType]] = ()
    ) -> tuple[list[Any], list[str]]:
        """Makes a function's nodes ready to run: what reads the same value of a variable shares one read.

        Args:
            nodes: the function's nodes.
            outputs: the tensors that it returns, and their types.

        Returns:
            The nodes, perhaps with more; and the tensors to return.
        """
        read_once(nodes)
        return list(nodes), [output for output, _ in outputs]

    def failed(self, error: Exception) -> None:
        """Raises another error than a run's, if there is more to say about it."""
