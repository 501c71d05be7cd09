"""Trains cases before and after the migration, all of them in one process each."""

import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

from tf2towers.rewrites.rule import Example

REPO = Path(__file__).parents[2]


def with_towers(text: str, towers: int) -> str:
    """The script with another number of towers."""
    return re.sub(r"(?m)^NUM_GPUS = \d+", f"NUM_GPUS = {towers}", text)


def start(mode: str, jobs: list[tuple[str, Example, str, int]], folder: Path) -> subprocess.Popen[str]:
    """Starts the process that runs `jobs`: (name, case, text, towers)."""
    given = [
        {
            "name": name,
            "text": with_towers(text, n),
            "argv": case.options.get("argv", "").format(towers=n).split(),
        }
        for name, case, text, n in jobs
    ]
    (folder / f"{mode}.json").write_text(json.dumps(given))
    command = [sys.executable, str(Path(__file__).with_name("run_programs.py")), mode]
    command += [str(folder / f"{mode}.json"), str(folder / f"{mode}.pickle")]
    environment = dict(os.environ)
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)


def finish(mode: str, process: subprocess.Popen[str], folder: Path) -> dict[str, dict]:
    """What came of every job."""
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors[-3000:]
    return pickle.loads((folder / f"{mode}.pickle").read_bytes())
