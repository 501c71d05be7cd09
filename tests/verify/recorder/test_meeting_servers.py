"""A session of a server begins when the servers of all tasks listen."""

import socket
import threading
import time
from types import SimpleNamespace
from typing import Any

from tf2towers.verify.recorder.session_runs import meet_servers


class Server:
    def __init__(self, addresses: dict[str, list[str]]) -> None:
        jobs = [SimpleNamespace(tasks=dict(enumerate(tasks))) for tasks in addresses.values()]
        self.server_def = SimpleNamespace(cluster=SimpleNamespace(job=jobs))
        self.target = b"grpc://here"


class BaseSession:
    def __init__(self, target: str = "", graph: Any = None, config: Any = None) -> None:
        self.target, self.began = target, time.monotonic()


def test_a_session_waits_for_the_other_tasks() -> None:
    class Session(BaseSession): ...

    tf = SimpleNamespace(train=SimpleNamespace(Server=Server), Session=Session)
    meet_servers(tf)
    with socket.create_server(("localhost", 0)) as here, socket.socket() as later:
        later.bind(("localhost", 0))
        ports = [listening.getsockname()[1] for listening in (here, later)]
        server = Server({"ps": [f"localhost:{ports[0]}"], "worker": [f"localhost:{ports[1]}"]})
        Session("")  # a session of no server
        listens: list[float] = []

        def listen() -> None:
            listens.append(time.monotonic())
            later.listen()

        timer = threading.Timer(0.5, listen)
        timer.start()
        session = Session(server.target.decode())
        timer.join()
        assert (session.target, session.began > listens[0]) == ("grpc://here", True)
        Session(server.target.decode())  # they have met
