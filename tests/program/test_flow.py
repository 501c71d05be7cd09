"""What statements read, bind and change."""

import libcst as cst
import pytest

from tf2towers.program.python_code.data_flow import flow_of, root_name, target_names, upward_exposed


def statements(text):
    return cst.parse_module(text).body


@pytest.mark.parametrize(
    ("text", "reads", "binds", "mutates"),
    [
        ("a = b + c", "bc", "a", ""),
        ("a, (b, c) = d", "d", "abc", ""),
        ("a += b", "ab", "a", ""),
        ("a[i] = b", "aib", "", "a"),
        ("a.x = b", "ab", "", "a"),
        ("a.append(b)", "ab", "", "a"),
        ("a.b.append(c)", "ac", "", "a"),
        ("f(k=v)", "fv", "", ""),
        ("a.b.c", "a", "", ""),
        ("x = [i for i in y if i > z]", "yz", "x", ""),
        ("x = {k: v for k, v in y}", "y", "x", ""),
        ("f = lambda q: q + r", "r", "f", ""),
        ("for i in a:\n    b = i\n", "ai", "ib", ""),
        ("with a as b:\n    c = b\n", "ab", "bc", ""),
        ("def g(p, q=d):\n    return p + e\n", "de", "g", ""),
        ("import a.b", "", "a", ""),
        ("from m import n as o", "", "o", ""),
    ],
)
def test_flow(text, reads, binds, mutates):
    flow = flow_of(*statements(text))
    assert (flow.reads, flow.binds, flow.mutates) == (set(reads), set(binds), set(mutates))


@pytest.mark.parametrize(
    ("text", "exposed"),
    [
        ("a = 1\nb = a", ""),
        ("b = a\na = 1", "a"),
        ("if t:\n    a = 1\nb = a", "ta"),
        ("if t:\n    a = 1\nelse:\n    a = 2\nb = a", "t"),
        ("with s:\n    a = 1\nb = a", "s"),
        ("for i in r:\n    a = i\nb = a", "ra"),
        ("n += 1", "n"),
        ("a = 1; b = a", ""),
    ],
)
def test_what_a_turn_gets_from_the_one_before(text, exposed):
    assert upward_exposed(statements(text)) == set(exposed)


@pytest.mark.parametrize(
    ("code", "name"), [("x", "x"), ("x.y[0].z", "x"), ("f(a).b", "f"), ("1", None), ("(a + b).c", None)]
)
def test_root_name(code, name):
    assert root_name(cst.parse_expression(code)) == name


def test_target_names():
    assert target_names(cst.parse_expression("(a, [b, c], d.e)")) == {"a", "b", "c"}
