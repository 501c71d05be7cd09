"""What stands for the calls of a parameter-server program, argument by argument.

`data/cluster_calls.tsv` is kept by hand, from the signatures in tensorflow/python/training of TF 1.15: server_lib.py,
supervisor.py, monitored_session.py, basic_session_run_hooks.py, sync_replicas_optimizer.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tf2towers.names.tables import read_table


@dataclass(frozen=True)
class ClusterCall:
    """`runtime` is the name to call, `order` the TF1 signature, `kept` the arguments that mean the same there.

    Nothing is lost without the `dropped` ones. A call with any other argument cannot be carried over.
    """

    runtime: str
    order: tuple[str, ...]
    kept: frozenset[str]
    dropped: frozenset[str]


@cache
def cluster_calls() -> dict[str, ClusterCall]:
    """Canonical TF1 symbol -> what stands for it."""
    found: dict[str, ClusterCall] = {}
    for row in read_table("cluster_calls.tsv"):
        symbol, runtime, order, kept, dropped = (*row, "", "")[:5]
        found[symbol] = ClusterCall(
            runtime, tuple(order.split(",")), frozenset(kept.split(",")), frozenset(dropped.split(",")) - {""}
        )
    return found
