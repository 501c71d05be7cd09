"""What all tests share: how the processes that they start come up."""

import os
import signal
from pathlib import Path

_TESTS = Path(__file__).parent
_FOUND = (str(_TESTS / "quick_start"), str(_TESTS.parent), os.environ.get("PYTHONPATH", ""))
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, _FOUND))
# tf_keras is for the test that asks for it: its import takes a second
os.environ["TF2TOWERS_TF_KERAS"] = "0"
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # `make test &` of a shell that is none of a terminal
    signal.signal(signal.SIGINT, signal.default_int_handler)  # or no test of Ctrl-C could end what it starts
