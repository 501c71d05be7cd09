"""Both sides of a proof as processes: migrate, run, record."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tf2towers.parity.recording import Recording
from tf2towers.report.result import MigrationResult
from tf2towers.source.script import Script
from tf2towers.source.write import copy_file, write_change

#: oneDNN picks fused kernels by the graph around an op, and a session's graph is not a function's: off on both sides.
ENVIRONMENT = {"TF_ENABLE_ONEDNN_OPTS": "0", "TF_CPP_MIN_LOG_LEVEL": "3"}


class RunFailed(Exception):
    """A trainer ended with an error; the message holds the end of what it printed."""


def migrate_into(script: Path, folder: Path) -> MigrationResult:
    """Writes the migrated script and the modules it needs into `folder`, as `tf2towers migrate -o` does.

    Raises:
        RunFailed: sites are left by hand.
    """
    from tf2towers.migrate import migrate

    result = migrate(Script.read(script))
    if result.left or result.error:
        raise RunFailed(f"{script} does not migrate: {result.error or result.left[0].message}")
    for change in result.changes:
        write_change(change, folder / change.path.resolve().relative_to(script.resolve().parent))
    for path in result.copied:
        copy_file(path, folder / path.resolve().relative_to(script.resolve().parent))
    return result


class Run:
    """One trainer in a process of its own, recorded to `out`."""

    def __init__(
        self,
        side: str,
        script: Path,
        out: Path,
        arguments: Sequence[str],
        environment: dict[str, str] | None = None,
    ) -> None:
        self.out = out
        self.log = out.with_suffix(".log")
        command = [sys.executable, "-m", "tf2towers.parity.record", side, str(out), str(script), *arguments]
        path = os.pathsep.join([str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")])
        variables = {**os.environ, **ENVIRONMENT, "PYTHONPATH": path, **(environment or {})}
        with self.log.open("w", encoding="utf-8") as stream:
            self.process = subprocess.Popen(command, stdout=stream, stderr=subprocess.STDOUT, env=variables)

    def result(self, timeout: float = 600) -> Recording:
        """Waits for the end of the run.

        Raises:
            RunFailed: it ended with an error.
        """
        code = self.process.wait(timeout)
        if code or not self.out.exists():
            tail = "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-25:])
            raise RunFailed(f"exit status {code}:\n{tail}")
        return Recording.load(self.out)
