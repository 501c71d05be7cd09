"""A task of a cluster that may make no step, as a parameter server: it tells of its memory all the same."""

import threading

from tf2towers.sidebyside.watch.steps import Steps

_EVERY = 0.5  # seconds


def tell_of_memory(steps: Steps) -> None:
    """Now and then, from now on, in a thread that the process does not wait for. Nothing outside a cluster."""
    if not steps.in_cluster:
        return
    wait = threading.Event().wait

    def tell() -> None:
        while True:
            steps.harmless(steps.memory)
            wait(_EVERY)

    threading.Thread(target=tell, name="tf2towers-memory", daemon=True).start()
