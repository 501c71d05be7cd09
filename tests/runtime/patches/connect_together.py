"""Three clients of one new server at the same moment, twenty times: how many have made a variable there.

A `tf.distribute.Server` ends with a segmentation fault (`servers.serve` says why).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TypeVar

import tensorflow as tf
from tensorflow.python import pywrap_tfe
from tensorflow.python.eager.context import Context

from tf2towers.runtime.cluster.waiting import free_port
from tf2towers.runtime.patches.servers import serve

CLIENTS, TURNS = 3, 20
CPU = "/job:ps/replica:0/task:0/device:CPU:0"
Begun = TypeVar("Begun")


def definition(job: str, **jobs: str) -> tf.train.ServerDef:
    cluster = tf.train.ClusterSpec({name: [address] for name, address in jobs.items()}).as_cluster_def()
    return tf.train.ServerDef(cluster=cluster, job_name=job, task_index=0, protocol="grpc")


def at_a_free_port(begin: Callable[[str], Begun]) -> tuple[Begun, str]:
    """Begins it at another port where a program has taken the first meanwhile."""
    for _ in range(5):
        address = f"localhost:{free_port()}"
        try:
            return begin(address), address
        except tf.errors.UnknownError:
            continue
    raise OSError("no port is free")


def client(server: str, index: int, together: threading.Barrier) -> None:
    def connect(address: str) -> Context:
        context = Context(server_def=definition("chief", ps=server, chief=address))
        context.ensure_initialized()
        return context

    together.wait()
    context, _ = at_a_free_port(connect)
    attributes = ("dtype", 1, "shape", [2], "shared_name", f"v{index}", "container", "")
    pywrap_tfe.TFE_Py_Execute(context._handle, CPU, "VarHandleOp", [], attributes, 1)
    kept.append(context)


tf.constant(0)
kept, servers = [], []
for _ in range(TURNS):
    server, address = at_a_free_port(lambda address: serve(definition("ps", ps=address)))
    servers.append(server)
    together = threading.Barrier(CLIENTS)
    threads = [threading.Thread(target=client, args=(address, index, together)) for index in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(len(kept), flush=True)
os._exit(0)
