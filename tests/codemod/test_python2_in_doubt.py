"""Programs that Python 3 reads, with names that only Python 2 has: the user may say which Python they are for."""

from __future__ import annotations

from textwrap import dedent

import pytest
from codemod_texts import TF, after, migrated

HEAD = """\
import tensorflow as tf


class Model:
    def build(self, x, n):
        return {}


def main(name):
    print(getattr(Model(), name)(1, 2))


main('build')
tf.Session()
"""

SAME = [
    ("isinstance(x, basestring)", "isinstance(x, str)"),
    ("isinstance(x, (unicode, bytes))", "isinstance(x, (str, bytes))"),
    ("[i for i in xrange(n)]", "[i for i in range(n)]"),
    ("reduce(max, [x, n])", "reduce(max, [x, n])"),
    ("long(x), unichr(n)", "int(x), chr(n)"),
]
DIFFERENT = [
    "unicode(x)",
    "isinstance(x, basestring), n / x",
    "cmp(x, n)",
    "isinstance(x, basestring), round(x)",
]


@pytest.mark.parametrize(("before", "wanted"), SAME)
def test_what_is_the_same_in_both_is_written(before: str, wanted: str) -> None:
    result = migrated(HEAD.format(before))
    assert result.status == 0 and wanted in result.changes[0].after
    assert ("from functools import reduce" in result.changes[0].after) == ("reduce" in before)


@pytest.mark.parametrize("text", DIFFERENT)
def test_what_differs_is_left_and_the_user_may_say_it(text: str) -> None:
    left = migrated(HEAD.format(text)).left
    assert left and {each.code for each in left} == {"T2T609"}
    assert left[0].message.startswith("--python 2 or --python 3 says")


def test_python3_is_said() -> None:
    result = migrated(HEAD.format("isinstance(x, basestring), n / x"), python="3")
    assert result.status == 0 and "isinstance(x, str), n / x" in result.changes[0].after
    assert migrated(HEAD.format("unicode(x)"), python="3").status == 0


def test_python2_is_said() -> None:
    result = migrated(HEAD.format("isinstance(x, basestring), n / x"), python="2")
    assert result.status == 0 and "isinstance(x, str), python2_division(n, x)" in result.changes[0].after


@pytest.mark.parametrize(
    ("use", "listed"),
    [
        ("len(sizes)", True),
        ("sizes[0]", True),
        ("sum(sizes)", False),
        ("lens[sizes]", False),
    ],
)
def test_a_map_that_is_used_as_a_list(use: str, listed: bool) -> None:
    """Python 3 stops at its length and at an item of it: it is a list in either Python."""
    text = after(
        TF
        + dedent(
            """\
            tf.placeholder(tf.float32)
            sizes = map(int, '1,2'.split(','))
            print({use})
            """
        ).format(use=use)
    )
    assert ("sizes = list(map(int, '1,2'.split(',')))\n" in text) is listed


def test_a_list_beside_a_division_is_in_doubt() -> None:
    """`--python 3` makes the list."""
    text = TF + dedent(
        """\
        tf.placeholder(tf.float32)
        sizes = map(int, '1,2'.split(','))
        print(len(sizes) * 3 / 2)
        """
    )
    left = migrated(text).left
    assert [each.code for each in left] == ["T2T609"] and "makes a list by map" in left[0].message
