"""`Process`: a session whose ops all run here; `cluster` has that with parameter servers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.graph_nodes import Nodes, read_once

#: TensorFlow's device prefix of this process, whether it is connected to others or not
LOCAL = "/job:localhost/replica:0/task:0"


class Process:
    """The process of a session, for a process outside any cluster."""

    #: whether a mean over the towers of this process can be an all-reduce
    collectives = True

    def connect(self, graph: tf.Graph, config: Any = None) -> None:
        """Called before a graph's first run."""

    def is_last(self) -> bool:
        """True if this process is the only one of its cluster's workers that still runs."""
        return False

    def translate(self, nodes: Nodes) -> None:
        """Rewrites devices for the other modules: one without a job is this process's."""

    def check(self, part: Iterable[Any]) -> None:
        """Raises an error for ops that this process cannot run."""

    def container(self, session: str, node: Any) -> str:
        """The container for a resource of this process; `session` is the maker's own one."""
        return session

    def is_own(self, node: Any) -> bool:
        """True if a resource belongs to its session only, in whichever process it is."""
        return False

    def ends(self, node: Any) -> bool:
        """True if a resource of this process ends with the session that made it."""
        return True

    def is_elsewhere(self, node: Any) -> bool:
        """True if a node, whose device `translate` has rewritten, is in another process."""
        return False

    def settle(
        self, nodes: Sequence[Any], outputs: Sequence[tuple[str, tf.DType]] = ()
    ) -> tuple[list[Any], list[str]]:
        """Makes a function's nodes ready to run: ops that read the same value share one read.

        Args:
            nodes: the function's nodes.
            outputs: the tensors that it returns, and their dtypes.

        Returns:
            The nodes, perhaps with further nodes; and the tensors to return.
        """
        read_once(nodes)
        return list(nodes), [output for output, _ in outputs]

    def failed(self, error: Exception) -> None:
        """Raises an error that explains a run's error, if more is known about it."""
