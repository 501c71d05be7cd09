"""Functions written out where their one caller is: what comes of it, and what is left as it is."""

import ast
from textwrap import dedent

import pytest

from tf2towers.certain.graph_functions import with_graph_functions_written_out
from tf2towers.exact.program import Program
from tf2towers.source.script import Script

HEAD = "import tensorflow as tf\n\n\n"


def written_out(text: str) -> str | None:
    """The text with all such functions written out; None where there is none."""
    result = None
    while script := with_graph_functions_written_out(
        Program(Script.from_text(HEAD + dedent(text).strip() + "\n")).main
    ):
        result = text = script.text.removeprefix(HEAD).lstrip("\n")
        ast.parse(text)
    return result


def test_names_arguments_and_comments() -> None:
    before = '''
        # of the model
        def build(images, rate, size=3):  # once
            """The graph.

            Returns its ends.
            """
            # what is fed
            x = tf.placeholder(tf.float32, [size])
            if size > 2:
                text = """two
        lines"""
            loss = tf.reduce_sum(x * images)
            # the step
            step = tf.train.AdamOptimizer(rate).minimize(loss)
            return x, step, loss  # all
            # no more


        def main(images):
            fed, train_op, loss = build(images, 0.1 * 2)  # here
            print(fed, train_op, loss)
    '''
    assert written_out(before) == dedent(
        '''\
        def main(images):
            # of the model
            # here
            # once
            # The graph.
            #
            # Returns its ends.
            rate = 0.1 * 2
            size = 3
            # what is fed
            fed = tf.placeholder(tf.float32, [size])
            if size > 2:
                text = """two
        lines"""
            loss = tf.reduce_sum(fed * images)
            # the step
            train_op = tf.train.AdamOptimizer(rate).minimize(loss)
            # all
            # no more
            print(fed, train_op, loss)
        '''
    )


def test_a_function_in_a_function_in_the_module() -> None:
    before = """
        def scores(x):
            keep = tf.placeholder(tf.float32)
            return tf.nn.dropout(x, keep), keep


        def network(x):
            with tf.name_scope('a'):
                keep = tf.placeholder(tf.float32)
            y = tf.nn.dropout(x, keep)
            return y, keep


        def build():
            x = tf.placeholder(tf.float32)
            y, keep = network(x)
            return x, y, keep

        with tf.device('/cpu:0'):
            x, y, keep_prob = build()
    """
    after = written_out(before)
    assert after is not None and "def scores" in after and "def network" not in after
    assert after.partition("with tf.device")[2].splitlines() == [
        "('/cpu:0'):",
        "    x = tf.placeholder(tf.float32)",
        "    with tf.name_scope('a'):",
        "        keep_prob = tf.placeholder(tf.float32)",
        "    y = tf.nn.dropout(x, keep_prob)",
    ]


#: a function and its caller, each with a place for what stops it
BEFORE = """
{above}
def build(a, b=2):
    {first}
    x = tf.placeholder(tf.float32)
    y = x * a
    {last}


def main():
    {earlier}
    x, y = build({given})
    {later}
    print(x, y)


{below}
"""
PARTS = {
    "above": "",
    "first": "pass",
    "last": "return x, y",
    "earlier": "pass",
    "given": "3",
    "later": "pass",
    "below": "",
}


def test_the_example_is_written_out() -> None:
    assert written_out(BEFORE.format(**PARTS)) is not None
    # names of the caller's that stand for what is its own in the function, too
    assert written_out(BEFORE.format(**PARTS | {"earlier": "a = 1", "given": "a"})) is not None
    assert (
        written_out(BEFORE.format(**PARTS | {"given": "b=1, a=FLAGS.size", "below": "FLAGS = None"}))
        is not None
    )


@pytest.mark.parametrize(
    "parts",
    [
        # named more than once, or by other ways
        {"below": "main(); build(1)"},
        {"below": "again = build"},
        {"below": "class build: pass"},
        {"below": "print(globals()['build'](1))"},
        {"below": "print(getattr(modules[__name__], 'build')(1))"},
        {"above": "@cached"},
        # arguments that are not plain to see
        {"given": "*[1]"},
        {"given": "**{}"},
        {"given": "1, 2, 3"},
        {"given": ""},
        # other ends, and scopes of its own
        {"first": "if a: return 1, 2"},
        {"first": "global z; z = 1"},
        {"first": "z = lambda: x"},
        {"first": "yield 1"},
        {"first": "import os"},
        {"last": "return [x, y]"},
        {"last": "return x, y * 2"},
        {"last": "return x, x"},
        {"last": "return y, x"},
        {"last": "return x, main"},
        {"last": "pass"},
        # names that are something else where it is called
        {"first": "later = 1", "later": "later = 2"},
        {"first": "later = 1", "later": "print(later)"},
        {"earlier": "a = 1"},
        {"earlier": "b = 1", "given": "b"},
        {"first": "print(size)", "later": "size = 2"},
        {"first": "a = a + 1", "earlier": "a = 1", "given": "a"},
        {"given": "x"},
        {"earlier": "global x"},
        # it comes by more than once, or perhaps
        {"earlier": "for _ in range(2):\n     x, y = build(1)"},
    ],
)
def test_what_is_left(parts: dict[str, str]) -> None:
    text = BEFORE.format(**PARTS | parts)
    ast.parse(text)
    assert written_out(text) is None


@pytest.mark.parametrize(
    "call",
    [
        "for _ in range(2):\n        x, y = build(3)",
        "try:\n        x, y = build(3)\n    finally:\n        pass",
        "x, y = z = build(3)",
        "x, y = build(3)[:]",
        "x = build(3)",
        "x, (y, z) = build(3)",
    ],
)
def test_calls_that_are_left(call: str) -> None:
    assert written_out(BEFORE.format(**PARTS).replace("x, y = build(3)", call)) is None


def test_arguments_over_several_lines_and_signs_in_a_docstring() -> None:
    before = BEFORE.format(
        **PARTS | {"given": "1 +\n                 2", "first": '"""One\\rtwo\\x0cthree"""'}
    )
    after = written_out(before)
    assert after is not None
    assert after.partition("def main():\n")[2].split("\n")[1:7] == [
        "    # One",
        "    # two",
        "    # three",
        "    a = (1 +",
        "                     2)",
        "    b = 2",
    ]


def test_what_makes_no_inputs_and_no_step_is_left() -> None:
    assert written_out(BEFORE.format(**PARTS).replace("tf.placeholder(tf.float32)", "tf.zeros([])")) is None


def test_a_name_of_the_modules_that_others_read_is_left() -> None:
    """A function that is called meanwhile would read the new value too early."""
    text = """
        x = 1

        def size():
            return x

        def build():
            x = tf.placeholder(tf.float32)
            y = x * size()
            return x, y

        x, y = build()
    """
    assert written_out(text) is None
    assert written_out(text.replace("x = 1\n", "n = 1\n").replace("return x\n", "return n\n")) is not None
