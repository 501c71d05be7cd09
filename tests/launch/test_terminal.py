"""At a terminal: Ctrl-C as the terminal sends it, to all in the foreground."""

import os
import pty
import sys

from .conftest import Write


def test_ctrl_c(script: Write) -> None:
    path = script("""
        try:
            tell()
            if me == "worker 1":
                wait_for("ps-0", "worker-0")
                time.sleep(0.5)
                print("all here")
            time.sleep(60)
        except KeyboardInterrupt:
            print("interrupted")
    """)
    child, terminal = pty.fork()
    if child == 0:
        environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
        command = [sys.executable, "-m", "tf2towers", "launch", "--", path]
        os.execve(sys.executable, command, environment)
    out = b""
    try:
        while chunk := os.read(terminal, 10_000):
            out += chunk
            if b"all here" in chunk:
                os.write(terminal, b"\x03")
    except OSError:  # the end, as Linux tells it
        pass
    finally:
        os.close(terminal)
        _, ended = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(ended) == 130
    assert b"tf2towers launch: SIGINT: every task is stopped" in out
    assert b"interrupted" not in out  # the launcher alone stops tasks
