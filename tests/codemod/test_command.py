"""LibCST's own tool runs the migration."""

import shutil
from pathlib import Path
from textwrap import dedent
from unittest import mock

import libcst as cst
from codemod_texts import after, printed
from libcst.codemod import CodemodContext, TransformSkip, TransformSuccess, transform_module

from tf2towers.codemod.command import MigrateCommand

ROOT = Path(__file__).parents[2]
SCRIPT = """\
import tensorflow as tf

with tf.Session() as sess:
    print(sess.run(tf.constant(1)))
"""
TOOL = ["-m", "libcst.tool", "codemod", "-x", "--no-format", "tf2towers.codemod.command.MigrateCommand"]


def command() -> MigrateCommand:
    return MigrateCommand(CodemodContext(filename="script.py"))


def test_libcst_runs_the_codemod_on_a_module() -> None:
    done = transform_module(command(), SCRIPT)
    assert isinstance(done, TransformSuccess)
    assert (done.code, done.warning_messages) == (after(SCRIPT), [])


def test_the_tree_that_libcst_has_parsed_is_the_one_that_is_migrated() -> None:
    tree = cst.parse_module(SCRIPT + "print(tf.mul(2, 3))\n")
    with mock.patch.object(cst, "parse_module", wraps=cst.parse_module) as parse:
        command().transform_module(tree)
    assert tree.code not in [call.args[0] for call in parse.call_args_list]


def test_what_is_left_is_a_warning() -> None:
    done = transform_module(command(), SCRIPT + "tf.contrib.image.sparse_image_warp(1)\n")
    assert isinstance(done, TransformSuccess)
    assert [message.split(": T2T620 ")[0] for message in done.warning_messages] == ["5:1"]


def test_what_cannot_be_migrated_is_skipped() -> None:
    assert isinstance(
        transform_module(
            command(),
            dedent(
                """\
        def f():
            x
            global x
        """
            ),
        ),
        TransformSkip,
    )


def test_a_tree_without_tensorflow_stays() -> None:
    tree = cst.parse_module("print(1)\r\n")
    assert command().transform_module(tree).code == "print(1)\r\n"


def test_libcsts_tool_writes_what_migrate_writes(tmp_path: Path) -> None:
    for path in (ROOT / "legacy").glob("*.py"):
        shutil.copy(path, tmp_path)
    name = "cifar10_towers.py"
    printed("-m", "tf2towers", "migrate", name, "-o", "out", folder=tmp_path)
    printed(*TOOL, name, folder=tmp_path)
    assert (tmp_path / name).read_text() == (tmp_path / "out" / name).read_text()
