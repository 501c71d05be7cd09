"""Plain Python under the overlay: the script sees what it did, the user's disk does not."""

import os
import sys
from pathlib import Path

import pytest

from tests.verify.recorder.writes_cases import Ran, parse

CODES = parse(Path(__file__).with_name("writes_python.txt").read_text())
#: other interpreters to try, as /usr/bin/python3.6:/usr/bin/python3.13
PYTHONS = [sys.executable, *filter(None, os.environ.get("TF2TOWERS_PYTHONS", "").split(os.pathsep))]


@pytest.fixture(scope="module", params=PYTHONS)
def ran(request, tmp_path_factory):
    return Ran(CODES, tmp_path_factory.mktemp("overlay"), request.param)


@pytest.mark.parametrize("name", CODES)
def test_writes_of_python_are_redirected(ran, name):
    ran.check(name)
