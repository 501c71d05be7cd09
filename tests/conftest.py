"""What all tests share: how the processes that they start come up."""

import gc
import os
import signal
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

_TESTS = Path(__file__).parent
_FOUND = (str(_TESTS / "quick_start"), str(_TESTS.parent), os.environ.get("PYTHONPATH", ""))
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, _FOUND))
# this process starts as quickly as those that it starts, and none of them compiles the same modules
# anew
_QUICK = spec_from_file_location("quick_start", _TESTS / "quick_start" / "sitecustomize.py")
_QUICK.loader.exec_module(module_from_spec(_QUICK))
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# `nohup make test &`: what tests start would ignore these signals as well, and no test of them
# could end it
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)

#: folder of tests -> the process of `make test` that runs them; the three take about as long
PROCESSES = {
    "compare": "trainers",
    "launch": "trainers",
    "legacy": "trainers",
    "modern": "trainers",
    "new_user": "trainers",
    "verify": "proofs",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of these folders by the process that runs them."""
    for item in items:
        mark = PROCESSES.get(item.path.relative_to(_TESTS).parts[0])
        if mark:
            item.add_marker(mark)


def pytest_collection_finish() -> None:
    """Spares the collector TensorFlow's objects, which live as long as this process."""
    gc.collect()
    gc.freeze()
