"""LibCST's own tool runs the migration."""

import shutil
import subprocess
import sys
from pathlib import Path

import libcst as cst
from codemod_texts import after
from libcst.codemod import CodemodContext, TransformSkip, TransformSuccess, transform_module

from tf2towers.codemod.command import MigrateCommand

ROOT = Path(__file__).parents[2]
SCRIPT = "import tensorflow as tf\n\nwith tf.Session() as sess:\n    print(sess.run(tf.constant(1)))\n"
TOOL = (
    sys.executable,
    "-m",
    "libcst.tool",
    "codemod",
    "-x",
    "--no-format",
    "tf2towers.codemod.command.MigrateCommand",
)


def test_a_module() -> None:
    done = transform_module(MigrateCommand(CodemodContext(filename="script.py")), SCRIPT)
    assert isinstance(done, TransformSuccess)
    assert (done.code, done.warning_messages) == (after(SCRIPT), [])


def test_what_is_left_is_a_warning() -> None:
    text = SCRIPT + "tf.contrib.image.dense_image_warp(1)\n"
    done = transform_module(MigrateCommand(CodemodContext(filename="script.py")), text)
    assert isinstance(done, TransformSuccess)
    assert [message.split(": T2T620 ")[0] for message in done.warning_messages] == ["5:1"]


def test_what_cannot_be_migrated_is_skipped() -> None:
    done = transform_module(
        MigrateCommand(CodemodContext(filename="script.py")), "def f():\n    x\n    global x\n"
    )
    assert isinstance(done, TransformSkip)


def test_a_tree_without_tensorflow_stays() -> None:
    tree = cst.parse_module("print(1)\r\n")
    assert MigrateCommand(CodemodContext(filename="script.py")).transform_module(tree).code == "print(1)\r\n"


def test_libcsts_tool_writes_what_migrate_writes(tmp_path: Path) -> None:
    for path in (ROOT / "legacy").glob("*.py"):
        shutil.copy(path, tmp_path)
    command = [sys.executable, "-m", "tf2towers", "migrate", "cifar10_towers.py", "-o", "out"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    done = subprocess.run(
        [*TOOL, "cifar10_towers.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "cifar10_towers.py").read_text() == (
        tmp_path / "out" / "cifar10_towers.py"
    ).read_text()
