"""What `graph_mode` does for tf_slim, for tests that build graphs in this process; drivers run in another."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="session")
def tf_slim_has_its_names() -> None:
    if find_spec("tensorflow") is not None:
        from tf2towers.runtime.graph_session.patches import tf_slim_finds_its_names

        tf_slim_finds_its_names()


@pytest.fixture(scope="session")
def run_driver() -> Callable[..., str]:
    """Runs a program of this folder with arguments, on the CPU; what it prints."""

    def run(name: str, *arguments: str) -> str:
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
        command = [sys.executable, str(Path(__file__).with_name(name)), *arguments]
        environment["TF_ENABLE_ONEDNN_OPTS"] = "0"
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    return run
