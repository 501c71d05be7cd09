"""The hooks that other repositories take from here with pre-commit."""

import shlex
from pathlib import Path

import pytest

from tf2towers.cli.main import main

from .conftest import Capture, Put

ROOT = Path(__file__).parents[2]
TF1 = """\
import tensorflow as tf
with tf.device('/gpu:0'):
    tf.Session()
"""


def test_the_hooks_are_pre_commits_and_do_what_they_say(put: Put, capsys: Capture) -> None:
    clientlib = pytest.importorskip("pre_commit.clientlib")
    hooks = {hook["id"]: hook for hook in clientlib.load_manifest(str(ROOT / ".pre-commit-hooks.yaml"))}
    lines = {name: [*shlex.split(hook["entry"]), *hook["args"]][1:] for name, hook in hooks.items()}
    assert not any(hook["pass_filenames"] for hook in hooks.values())  # a module by itself is no program
    script = put("src/train.py", TF1)
    assert main(lines["tf2towers-check"]) == 1
    assert capsys.readouterr().out == (
        "src/train.py: 1 file to change, nothing left to you\n"
        ".: 1 file, 1 program with TF1: nothing left to you in 1\n"
    )
    assert script.read_text() == TF1
    assert main(lines["tf2towers-migrate"]) == 0
    assert script.read_text() != TF1
    assert main(lines["tf2towers-check"]) == 0
