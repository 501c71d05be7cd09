"""Runs recorders as forks of a process that has imported what they import: most of what a short recording takes.

`python forks.py` is that process, and prints its port. A connection sends it a line, JSON: the program's words, its
log, its environment, its working folder. It gets two numbers: the process's, when it begins, and its exit status.
"""

import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

NUMBER = struct.Struct("i")


class Forks:
    """In the place of `tf2towers.verify.process.run`; a process for originals, and one for what `migrate` writes."""

    def __init__(self, run, changed_environment) -> None:
        self.run, self.changes = run, changed_environment
        self.servers: dict[bool, tuple[subprocess.Popen, int]] = {}
        self.lock = threading.Lock()

    def __call__(self, command, log, environment, timeout, other_python=False, is_over=lambda: False) -> int:
        if other_python or sys.platform != "linux":
            return self.run(command, log, environment, timeout, other_python, is_over)
        until, environment = time.monotonic() + timeout, {**self._environment(), **environment}
        port = self._port(json.loads(Path(command[2]).read_text())["stand_ins"])
        with socket.create_connection(("localhost", port)) as connection:
            request = json.dumps([command[1:], str(log), environment, str(Path.cwd())])
            connection.sendall(request.encode() + b"\n")
            (process,) = NUMBER.unpack(connection.recv(NUMBER.size))
            try:
                while not select.select([connection], [], [], 0.05)[0]:
                    if is_over():
                        return 0
                    if time.monotonic() > until:
                        raise TimeoutError
                return NUMBER.unpack(connection.recv(NUMBER.size))[0]
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process, signal.SIGKILL)

    def _environment(self) -> dict[str, str]:
        environment = {**os.environ, **self.changes()}
        return {
            key: environment[key] for key in environment if key not in ("TF_USE_LEGACY_KERAS", "TF2_BEHAVIOR")
        }

    def _port(self, original: bool) -> int:
        """Of the process; an original's TensorFlow has the Keras of TensorFlow 1."""
        with self.lock:
            if original not in self.servers:
                environment = {**self._environment(), "TF_USE_LEGACY_KERAS": str(int(original))}
                server = subprocess.Popen([sys.executable, __file__], env=environment, stdout=subprocess.PIPE)
                assert server.stdout is not None
                self.servers[original] = server, int(server.stdout.readline())
        return self.servers[original][1]

    def close(self) -> None:
        for server, _ in self.servers.values():
            server.kill()
            server.communicate()


#: what an original's recorder imports, and what a migrated script mostly does; neither starts TensorFlow
IMPORTED = {
    "1": ("tf2towers.verify.stand_ins", "tf2towers.runtime.tf1.layers"),
    "0": (
        "tf2towers.runtime.strategy",
        "tf2towers.runtime.graph_session.session",
        "tf2towers.runtime.tf1.layers",
    ),
}


def serve() -> None:
    import tensorflow  # noqa: F401

    for name in ("tf2towers.verify.recorder.running", *IMPORTED[os.environ["TF_USE_LEGACY_KERAS"]]):
        importlib.import_module(name)
    parent, running = os.getppid(), dict[int, socket.socket]()
    gc.collect()
    gc.freeze()
    with socket.create_server(("localhost", 0)) as server:
        print(server.getsockname()[1], flush=True)
        while os.getppid() == parent:
            if select.select([server], [], [], 0.05)[0]:
                connection, _ = server.accept()
                child = os.fork()
                if child == 0:
                    begin(connection)
                running[child] = connection
            ended, status = os.waitpid(-1, os.WNOHANG) if running else (0, 0)
            if ended:
                with running.pop(ended) as connection:
                    connection.sendall(NUMBER.pack(os.waitstatus_to_exitcode(status)))


def begin(connection: socket.socket) -> None:
    """Runs the program that the connection asks for."""
    with connection, connection.makefile() as lines:
        request = json.loads(lines.readline())
        os.setsid()
        connection.sendall(NUMBER.pack(os.getpid()))
    become(*request)


def become(words: list[str], log: str, environment: dict[str, str], folder: str) -> None:
    """What a new process would be, but for the import."""
    for number, file in enumerate([os.open(os.devnull, os.O_RDONLY), os.open(log, os.O_CREAT | os.O_WRONLY)]):
        os.dup2(file, number)
    os.dup2(1, 2)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    tempfile.tempdir = None
    sys.argv, sys.path[0] = words, str(Path(words[0]).parent)
    try:
        runpy.run_path(words[0], run_name="__main__")
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(1)  # a recorder ends its process by itself


if __name__ == "__main__":
    serve()
