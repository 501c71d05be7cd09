"""Nothing of the user's own goes."""

from tf2towers.certain.conservation import lost_calls

BEFORE = """\
import os, json


def average(x):
    return json.dumps(x)


os.remove('a')
print(average(1))
print(2)
"""


def test_a_call_that_is_gone() -> None:
    assert lost_calls(BEFORE, BEFORE.replace("print(2)\n", "")) == [("builtins.print", 9)]
    assert lost_calls(BEFORE, BEFORE.replace("os.remove('a')\n", "")) == [("os.remove", 8)]


def test_a_function_that_is_gone_is_gone_with_what_it_called() -> None:
    after = BEFORE.replace("def average(x):\n    return json.dumps(x)\n\n\n", "").replace(
        "average(1)", "mean(1)"
    )
    assert lost_calls(BEFORE, after) == []


def test_a_function_that_nothing_calls_any_more() -> None:
    assert lost_calls(BEFORE, BEFORE.replace("average(1)", "mean(1)")) == [("average", 9)]
