"""One process runs every script and case of these tests under `install()`."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # `scripts`, under --import-mode=importlib

from scripts import SCRIPTS  # noqa: E402


@pytest.fixture(scope="session")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """What `under_install.py` wrote down."""
    if find_spec("tensorflow") is None:
        pytest.skip("needs TensorFlow")
    folder = tmp_path_factory.mktemp("scripts")
    for name, (text, _) in SCRIPTS.items():
        (folder / f"{name}.py").write_text(text)
    out = folder / "found.json"
    command = [sys.executable, str(HERE / "under_install.py"), str(folder), str(out)]
    done = subprocess.run(
        command,
        stderr=subprocess.PIPE,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(out.read_text())
