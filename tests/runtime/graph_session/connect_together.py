"""Three clients of one new server at the same moment, twenty times: `python connect_together.py ours` or `plain`.

`plain` is a `tf.distribute.Server`, which ends with a segmentation fault (`private.serve` says why).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

CLIENTS = 3
_CPU = "/job:ps/replica:0/task:0/device:CPU:0"


def definition(job: str, server: str) -> Any:
    """The ServerDef of the server, or of a client that knows it."""
    import tensorflow as tf

    from tf2towers.runtime.cluster.waiting import free_port

    jobs = {"ps": [server]} if job == "ps" else {"ps": [server], job: [f"localhost:{free_port()}"]}
    cluster = tf.train.ClusterSpec(jobs).as_cluster_def()
    return tf.train.ServerDef(cluster=cluster, job_name=job, task_index=0, protocol="grpc")


def connect_together(begin: Callable[[Any], object], turns: int) -> int:
    """How many clients of how many new servers have made a variable there."""
    import tensorflow as tf
    from tensorflow.python import pywrap_tfe

    tf.constant(0)
    servers, clients = [], []
    for _ in range(turns):
        address = _begun(begin, servers)
        together = threading.Barrier(CLIENTS)

        def client(index: int, address: str = address, together: threading.Barrier = together) -> None:
            together.wait()
            context = _connected(address)
            attributes = ("dtype", 1, "shape", [2], "shared_name", f"v{index}", "container", "")
            pywrap_tfe.TFE_Py_Execute(context._handle, _CPU, "VarHandleOp", [], attributes, 1)
            clients.append(context)

        threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return len(clients)


def _begun(begin: Callable[[Any], object], servers: list[object]) -> str:
    """The address of a new server; at another port where a program has taken the first meanwhile."""
    import tensorflow as tf

    from tf2towers.runtime.cluster.waiting import free_port

    for _ in range(5):
        address = f"localhost:{free_port()}"
        try:
            servers.append(begin(definition("ps", address)))
        except tf.errors.UnknownError:
            continue
        return address
    raise OSError("no port is free")


def _connected(server: str) -> Any:
    """A new client of a server."""
    import tensorflow as tf
    from tensorflow.python.eager.context import Context

    for _ in range(5):
        context = Context(server_def=definition("chief", server))
        try:
            context.ensure_initialized()
        except tf.errors.UnknownError:
            continue
        return context
    raise OSError("no port is free")


if __name__ == "__main__":
    import tensorflow as tf

    from tf2towers.runtime.graph_session.private import serve

    print(connect_together({"ours": serve, "plain": tf.distribute.Server}[sys.argv[1]], 20), flush=True)
    import os

    os._exit(0)
