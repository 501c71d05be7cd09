"""A message quotes the code that it is about."""

from pathlib import Path
from textwrap import dedent

from tf2towers.codemod.migrate import migrate
from tf2towers.report.paths import with_quoted_code
from tf2towers.source.script import Script


def test_code_is_quoted_once_and_cut() -> None:
    assert with_quoted_code("a loop", "for i in range(2):\n    pass") == "a loop: `for i in range(2):`"
    assert with_quoted_code("gone: tf.x(1)", "tf.x(1)") == "gone: tf.x(1)"
    assert len(with_quoted_code("", "x" * 100)) == 2 + 2 + 60


def test_sites_that_are_left(tmp_path: Path) -> None:
    text = dedent(
        """\
            import tensorflow as tf
            opt = tf.train.AdamOptimizer()
            for i in range(2):
                with tf.device('/gpu:%d' % i):
                    opt.minimize(getattr(tf, input())(i))
                if i:
                    break
            class Held:
                tf = None
            Held.tf = tf
            taken = Held.tf
            """
    )
    script = Script.from_text(text, tmp_path / "a.py")
    assert any("`getattr(tf, input())`" in finding.message for finding in migrate(script).left)
    assert any("`Held.tf = tf`" in finding.message for finding in migrate(script).left)
