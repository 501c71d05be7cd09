"""`--ignore`, `# noqa`: what the user accepts is counted, never silent."""

import json
from pathlib import Path
from textwrap import dedent

import pytest

from tf2towers.cli.main import main

from .conftest import Capture, Put

IMPORT = "import tensorflow as tf\n"
GONE = IMPORT + "x = tf.placeholder(tf.float32, [1, 2, 3])\ny = tf.contrib.image.sparse_image_warp(x, x){}\n"


@pytest.mark.parametrize(
    ("comment", "options", "status"),
    [
        ("", [], 1),
        ("  # noqa: T2T620", [], 0),
        ("  # noqa:T2T62 - I know", [], 0),
        ("  # NOQA: E501, t2t620", [], 0),
        ("  # noqa: E501  # tf2towers: noqa", [], 0),
        ("  # tf2towers: noqa: T2T620", [], 0),
        ("  # tf2towers: noqa", [], 0),
        ("  # noqa: E501", [], 1),
        ("  # noqa:", [], 1),
        ("  # noqa", [], 1),
        ("", ["--ignore", "T2T620"], 0),
        ("", ["--ignore", "t2t6,T2T601"], 0),
        ("", ["--ignore", "T2T621"], 1),
    ],
)
def test_a_site_that_is_accepted(
    put: Put, capsys: Capture, comment: str, options: list[str], status: int
) -> None:
    path = put("train.py", GONE.format(comment))
    assert main(["migrate", "-w", "train.py", *options]) == status
    said = capsys.readouterr().err
    summary = "nothing left to you, 1 accepted by you (T2T620)" if status == 0 else "1 place left to you"
    assert summary in said
    assert "import tensorflow.compat.v1 as tf" in path.read_text()  # the edits are the same
    assert ("does not accept a place that is left" in said) == (comment == "  # noqa")
    assert main(["migrate", "train.py", *options]) == status


def test_in_python_2_and_in_a_notebook(put: Put, capsys: Capture) -> None:
    put("old.py", "print 1\n\n" + GONE.format("  # noqa: T2T620"))
    cells = [
        {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
        for source in ("%matplotlib inline\n" + IMPORT, GONE.format("  # noqa: T2T620"))
    ]
    put("a.ipynb", json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}))
    assert main(["migrate", "old.py", "a.ipynb"]) == 0
    assert capsys.readouterr().err.count("1 accepted by you (T2T620)") == 2


def test_a_module_and_a_tree(put: Put, capsys: Capture) -> None:
    put(
        "p/train.py",
        IMPORT
        + dedent(
            """\
            import model
            with tf.device('/gpu:0'):
                tf.Session()
            """
        ),
    )
    put("p/model.py", GONE.format("  # noqa: T2T620"))
    assert main(["migrate", "p"]) == 0
    assert "in 1, 1 place accepted by you" in capsys.readouterr().err


def test_a_note_that_is_hidden_is_counted(put: Put, capsys: Capture) -> None:
    text = IMPORT + dedent(
        """\
        try:
            import nowhere_to_be_found{}
        except ImportError:
            pass
        tf.Session()
        """
    )
    put("train.py", text.format("  # noqa"))
    put("quiet.py", text.format("  # noqa: T2T624"))
    assert main(["migrate", "train.py", "quiet.py"]) == 0
    said = capsys.readouterr().err
    assert said.count("nowhere_to_be_found was not found") == 1
    assert "quiet.py: 1 file to change, nothing left to you, 1 note hidden (T2T624)" in said


def test_output_for_machines_has_all(put: Put, capsys: Capture) -> None:
    put("train.py", GONE.format("  # noqa: T2T620"))
    assert main(["migrate", "train.py", "--format", "json"]) == 0
    [finding] = json.loads(capsys.readouterr().out)["results"][0]["findings"]
    assert (finding["code"], finding["kind"], finding["accepted_by"]) == ("T2T620", "left", "noqa")
    assert main(["migrate", "train.py", "--format", "sarif"]) == 0
    findings = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    [finding] = [each for each in findings if each["ruleId"] == "T2T620"]
    assert finding["suppressions"][0]["kind"] == "inSource"
    assert main(["migrate", "train.py", "--format", "github"]) == 0
    assert capsys.readouterr().out.startswith("::notice file=train.py::1 accepted by you (T2T620)\n")


def test_what_no_text_was_written_for_is_not_copied(put: Put, tmp_path: Path) -> None:
    put("train.py", IMPORT + "tf.enable_eager_execution()  # noqa: T2T623\nprint(tf.log(2.0))\n")
    assert main(["migrate", "train.py", "-o", "out"]) == 0
    assert not (tmp_path / "out").exists()


def test_an_unknown_code(put: Put, capsys: Capture) -> None:
    put("train.py", "x = 1\n")
    assert main(["migrate", "train.py", "--ignore", "E501"]) == 2
    assert "no rule's code begins with E501" in capsys.readouterr().err


def test_two_scripts_that_import_one_another(put: Put) -> None:
    """Each is the other's module, too: its text is the same for both."""
    put(
        "train.py",
        IMPORT
        + dedent(
            """\
            import evaluate

            def net():
                return tf.placeholder(tf.float32)
            """
        ),
    )
    put(
        "evaluate.py",
        IMPORT
        + dedent(
            """\
            import train

            print(tf.Session().run(train.net(), {}))
            """
        ),
    )
    for words in (["train.py", "evaluate.py"], ["evaluate.py", "train.py"]):
        folder = words[0].removesuffix(".py")
        assert main(["migrate", *words, "-o", folder]) == 0
        for name in words:
            assert Path(folder, name).read_text().count("\ngraph_mode()\n") == 1
