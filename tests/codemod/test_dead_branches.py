"""A `try` that chose between two releases of TensorFlow, whose branches are the same once both are migrated."""

from textwrap import dedent, indent

import pytest
from codemod_texts import after

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])


def build(x):
{body}


print(tf.Session().run(build(x), {{x: [[1., 2., 3., 4.]]}}))
"""


def migrated_body(text: str) -> str:
    """What becomes of the body of a function."""
    written = after(PROGRAM.format(body=indent(dedent(text).strip(), "    ")))
    body = written.partition("def build(x):\n")[2].partition("\n\n\nprint")[0]
    return dedent(body)


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        pytest.param(
            """
            try:
                return tf.multiply(x, 2)
            except AttributeError:
                return tf.mul(x, 2)
            """,
            """
            return tf.multiply(x, 2)
            """,
            id="a name of an old release",
        ),
        pytest.param(
            """
            y = x + 1

            # the loss
            try:
                y = tf.nn.sigmoid_cross_entropy_with_logits(x, y)
            # Since TensorFlow 1.0 it takes keywords alone
            except ValueError:
                y = tf.nn.sigmoid_cross_entropy_with_logits(labels=y,
                                                            logits=x)
            return y
            """,
            None,
            id="the order of keywords is another one",
        ),
        pytest.param(
            """
            # the loss
            try:
                y = tf.nn.sigmoid_cross_entropy_with_logits(labels=x,
                                                            logits=x)
                z = tf.add(y, 1)  # and more
            except:  # an old release
                y = tf.nn.sigmoid_cross_entropy_with_logits(labels = x, logits = x)
                z = tf.add( y, 1)
            return z
            """,
            None,
            id="the script's own, in other white space",
        ),
        pytest.param(
            """
            # the loss
            try:
                y = tf.multiply(tf.log(x),
                                x)
                z = tf.negative(y)  # and more
            except (AttributeError, TypeError):  # an old release
                y = tf.mul(tf.log(x), x)
                z = tf.neg( y )
            return z
            """,
            """
            # the loss
            y = tf.multiply(tf.log(x),
                            x)
            z = tf.negative(y)  # and more
            return z
            """,
            id="two statements, a comment, aligned lines",
        ),
        pytest.param(
            """
            try:
                return tf.multiply(x, float("2"))
            except AttributeError:
                return tf.mul(x, float("2"))
            """,
            None,
            id="a call that may raise an error once",
        ),
        pytest.param(
            """
            try:
                return tf.multiply(x, 2)
            except AttributeError as problem:
                return tf.mul(x, 2)
            """,
            None,
            id="the error has a name",
        ),
        pytest.param(
            """
            try:
                return tf.multiply(x, 2)
            except AttributeError:
                return tf.mul(x, 3)
            """,
            None,
            id="another value",
        ),
        pytest.param(
            """
            try:
                y = tf.multiply(x, 2)
            except AttributeError:
                y = tf.mul(x, 2)
            else:
                print("new")
            return y
            """,
            None,
            id="else",
        ),
        pytest.param(
            """
            try:
                y = tf.multiply(x, 2)
            except AttributeError:
                y = tf.mul(x, 2)
            except ValueError:
                y = None
            return y
            """,
            None,
            id="a handler of something else",
        ),
    ],
)
def test_a_try_with_an_equal_handler_goes(before: str, wanted: str | None) -> None:
    written = migrated_body(before)
    if wanted is None:
        assert "try:" in written and "except" in written
    else:
        assert written.strip() == dedent(wanted).strip()
