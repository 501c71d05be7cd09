"""Every edit names its rule, and reports are wrapped and coloured on a terminal."""

import io
import re
from textwrap import dedent
from types import SimpleNamespace

import pytest

from tf2towers.cli.main import main
from tf2towers.report.terminal import diff_line, report_line

from .conftest import Capture, Put

TOWERS = dedent(
    """
    import tensorflow as tf

    def average(tower_grads):
        return [
            (tf.reduce_mean(tf.stack([g for g, _ in pair]), 0), pair[0][1])
            for pair in zip(*tower_grads)
        ]

    opt = tf.train.GradientDescentOptimizer(0.1)
    tower_grads = []
    for i in range(2):
        with tf.device("/gpu:%d" % i), tf.variable_scope("net", reuse=i > 0):
            w = tf.get_variable("w", [3])
            tower_grads.append(opt.compute_gradients(tf.reduce_sum(w * w)))
    train_op = opt.apply_gradients(average(tower_grads))
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    sess.run(train_op)
    """
)


def test_every_edit_names_its_rule(put: Put, capsys: Capture) -> None:
    put("train.py", TOWERS)
    assert main(["migrate", "train.py"]) == 0
    heads = [line for line in capsys.readouterr().out.splitlines() if line.startswith("@@")]
    assert heads and all("T2T602 imports" in head or "T2T605 tower-loop" in head for head in heads)
    main(["migrate", "train.py", "--no-diff", "-v"])
    shown = capsys.readouterr().err
    assert "  edited lines of train.py:\n" in shown
    assert "    T2T602 imports: 2" in shown
    for form in ("json", "sarif", "github"):
        main(["migrate", "train.py", "--format", form])
        shown = capsys.readouterr().out
        assert "T2T605" in shown
        title = "The towers are the replicas of a strategy"
        assert form == "json" or f"this line is rewritten: {title}" in shown
        assert form != "github" or "title=T2T605 tower-loop::" in shown
        added = "new code is written before this line: Every form of a TensorFlow import"
        assert form == "json" or added in shown


def test_statistics_count_edits_by_rule(put: Put, capsys: Capture) -> None:
    put("train.py", TOWERS)
    assert main(["migrate", "train.py", "--no-diff", "--statistics"]) == 0
    lines = [line.split() for line in capsys.readouterr().err.splitlines()]
    names = {name: int(edited) for edited, _, _, *rule in lines[2:] for name in rule[1:]}
    assert names["tower-loop"] > 1
    assert names["imports"] == 2  # an added line counts


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_colours_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    line, terminal, pipe = "+with strategy.scope():\r\n", Terminal(), io.StringIO()
    assert diff_line(line, terminal) == "\x1b[32m+with strategy.scope():\x1b[0m\r\n"
    assert diff_line(line, pipe) == line
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert report_line("  3:1: T2T620 gone\n", pipe) == "  3:1: \x1b[33mT2T620\x1b[0m gone\n"
    monkeypatch.setenv("NO_COLOR", "1")
    assert diff_line(line, terminal) == line


def test_long_lines_are_wrapped_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "50")
    line = "  12:5: T2T620 removed-symbol: " + "word " * 30 + "\n"
    rows = report_line(line, Terminal()).splitlines()
    assert all(len(row) <= 50 for row in rows)
    assert " ".join(" ".join(rows).split()) == " ".join(line.split())
    assert all(row.startswith("      ") for row in rows[1:])
    assert report_line(line, io.StringIO()) == line
    [quoted] = report_line("      | " + "x = 1; " * 20 + "\n", Terminal()).splitlines()
    assert len(quoted) == 50 and quoted.endswith("...")


def test_texts_of_rules_fit_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    for command in (["rules"], ["explain", "T2T605"]):
        monkeypatch.setattr("sys.stdout", terminal := Terminal())
        assert main(command) == 0
        coloured = terminal.getvalue()
        assert "\x1b[33mT2T605" in coloured
        prose = re.sub(r"\x1b\[\d+m", "", coloured.partition("Before:")[0])
        assert max(map(len, prose.splitlines())) <= 60


def test_the_text_of_compare_fits_the_terminal(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(put("train.py", TOWERS))
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("tf2towers.cli.compare.require_modules", lambda *_: None)
    monkeypatch.setattr("tf2towers.compare.run_both.compare", lambda _: SimpleNamespace(as_dict=dict))
    monkeypatch.setattr("tf2towers.compare.outcome.as_text", lambda _: "One run of each. " * 10)
    monkeypatch.setattr("sys.stdout", terminal := Terminal())
    assert main(["compare", path, path]) == 0
    rows = terminal.getvalue().splitlines()
    assert len(rows) == 4 and max(map(len, rows)) <= 60


def test_the_line_is_quoted_below_a_note_as_well(put: Put, capsys: Capture) -> None:
    put("train.py", TOWERS + "cell = tf.contrib.cudnn_rnn.CudnnLSTM(1, 20)\n")
    assert main(["migrate", "train.py", "--no-diff"]) == 0
    shown = capsys.readouterr().err
    assert "T2T619" in shown and "      | cell = tf.contrib.cudnn_rnn.CudnnLSTM(1, 20)\n" in shown


def test_an_advice_is_printed_once_a_run(put: Put, capsys: Capture) -> None:
    for name in ("one.py", "two.py"):
        put(name, TOWERS + "tf.contrib.nowhere.at_all(w)\n")
    assert main(["migrate", "one.py", "two.py", "--no-diff"]) == 1
    shown = capsys.readouterr().err
    assert shown.count("T2T620") == 2
    assert shown.count("to do:") == 1
    assert shown.count("      | tf.contrib.nowhere.at_all(w)\n") == 2
