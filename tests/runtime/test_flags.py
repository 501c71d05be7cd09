"""Flags that absl defines and a TF1 script may define as well."""

import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("absl")
SCRIPT = """
import absl.logging
import tf2towers.runtime
from absl import flags
flags.DEFINE_string('log_dir', 'logs', "the script's own")
flags.DEFINE_integer('v', 3, 'verbosity')
flags.FLAGS(['x', '--v=4'])
print(flags.FLAGS.log_dir, flags.FLAGS.v)
"""


def test_a_script_may_have_a_log_dir() -> None:
    assert run_python("-c", SCRIPT)[0] == "logs 4\n"
