"""`migrate --verify`: nothing is written that was not run, whatever is left to you. No TensorFlow here."""

from pathlib import Path
from textwrap import dedent

import pytest

from tf2towers.cli import migrate
from tf2towers.cli.main import main

from .conftest import Capture, Put

GOOD = "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"
LEFT = GOOD + "y = tf.contrib.tensorrt.nothing(x)\n"


@pytest.mark.parametrize(("verdict", "status"), [(0, 1), (1, 1), (2, 2)])
def test_sites_left_are_no_reason_not_to_run_it(
    put: Put, monkeypatch: pytest.MonkeyPatch, capsys: Capture, verdict: int, status: int
) -> None:
    put("left.py", LEFT)
    asked: list[Path] = []
    monkeypatch.setattr(
        migrate, "verify_all", lambda results, _: asked.extend(result.script for result in results) or verdict
    )
    assert main(["migrate", "--verify", "-o", "out", "left.py"]) == status
    assert asked == [Path("left.py")]
    assert Path("out/left.py").exists() == (verdict == 0)
    assert "T2T620" in capsys.readouterr().err


def test_nothing_is_written_if_one_script_cannot_be_read(
    put: Put, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    put("good.py", GOOD)
    put(
        "broken.py",
        dedent(
            """\
        import tensorflow as tf
        def f(x:
            return x
        """
        ),
    )
    monkeypatch.setattr(migrate, "verify_all", lambda *_: pytest.fail("nothing is to be run"))
    assert main(["migrate", "--verify", "-o", "out", "good.py", "broken.py"]) == 2
    assert not Path("out").exists()
    printed = capsys.readouterr().err
    assert "--verify: nothing was run, nothing was written" in printed
    assert "broken.py" in printed
