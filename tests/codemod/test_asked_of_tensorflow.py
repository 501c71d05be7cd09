"""`hasattr(tf, 'name')`: left alone where TF 2's `tensorflow.compat.v1` answers what TF 1.15 answered."""

from textwrap import dedent

import pytest
from codemod_texts import after, codes, migrated


@pytest.mark.parametrize(
    ("name", "answered_alike"),
    [
        ("AUTO_REUSE", True),
        ("layers", True),
        ("Session", True),
        ("mul", True),  # neither 1.15 nor 2.21 has it
        ("log", True),  # elsewhere in TF 2, and in compat.v1 as before
        ("estimator", False),  # TF 2.15 has it, 2.16 not
        ("fftnd", False),  # new in TF 2
        ("of_my_own", False),
    ],
)
def test_an_answer_that_stays(name: str, answered_alike: bool) -> None:
    asked = f"if hasattr(tf, '{name}'):\n    y = x\n"
    result = migrated(
        dedent(
            """\
            import tensorflow as tf

            x = tf.placeholder(tf.float32)
            {asked}"""
        ).format(asked=asked)
    )
    assert codes(result) == ([] if answered_alike else ["T2T626"])
    assert f"hasattr(tf, '{name}')" in result.changes[0].after


def test_the_message_shows_the_call_however_long_the_statement_is() -> None:
    line = "x = tf.placeholder(tf.float32, [None, 28, 28, 1], 'images') if hasattr(tf, 'of_my_own') else 0"
    left = migrated(
        dedent(
            """\
            import tensorflow as tf

            {line}
            """
        ).format(line=line)
    ).left
    assert left[0].message.endswith(": `hasattr(tf, 'of_my_own')`")


def test_contrib_is_there() -> None:
    """TF 1 always had it, and what a script takes from it is the runtime's."""
    text = after(
        dedent(
            """\
        import tensorflow as tf

        x = tf.placeholder(tf.float32)
        b = hasattr(tf, 'contrib')
        """
        )
    )
    assert text.endswith("b = True\n")
