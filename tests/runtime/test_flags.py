"""Flags that absl defines and a TF1 script may define as well."""

import subprocess
import sys

import pytest

pytest.importorskip("absl")


def test_a_script_may_have_a_log_dir() -> None:
    script = "\n".join(
        [
            "import absl.logging",
            "import tf2towers.runtime",
            "from absl import flags",
            "flags.DEFINE_string('log_dir', 'logs', 'the script\\'s own')",
            "flags.DEFINE_integer('v', 3, 'verbosity')",
            "flags.FLAGS(['x', '--v=4'])",
            "print(flags.FLAGS.log_dir, flags.FLAGS.v)",
        ]
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "logs 4\n"
