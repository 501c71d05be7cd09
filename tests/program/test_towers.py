"""Tower loops found, and the device each tower is on."""

import libcst as cst
import pytest
from reading import read

from tf2towers.program.towers.tower_loop import find_tower_loops, range_count

BODY = "opt.compute_gradients(loss)"


def found(text):
    module, names, _ = read(text)
    return find_tower_loops(module, names)


@pytest.mark.parametrize(
    ("head", "device", "name"),
    [
        ("for i in range(4)", "'/gpu:%d' % i", "'/gpu:%d' % i"),
        ("for i in range(4)", "'/gpu:{}'.format(i)", "'/gpu:{}'.format(i)"),
        ("for d in devices", "d", "d"),
        ("for i, d in enumerate(devices)", "d", "d"),
        ("for i in range(2)", "assign('/gpu:%d' % i, ps='/cpu:0')", "'/gpu:%d' % i"),
    ],
)
def test_device(head, device, name):
    (loop,) = found(f"{head}:\n    with tf.device({device}):\n        {BODY}\n")
    assert cst.Module([]).code_for_node(loop.device) == name
    assert loop.has_gradients


def test_device_in_a_name():
    (loop,) = found(
        f"for i in range(2):\n    name = '/gpu:%d' % i\n    with tf.device(name):\n        {BODY}\n"
    )
    assert cst.Module([]).code_for_node(loop.device) == "'/gpu:%d' % i"


@pytest.mark.parametrize(
    "text",
    [
        f"for i in range(2):\n    with tf.device('/gpu:0'):\n        {BODY}\n",
        f"for i in range(2):\n    {BODY}\n",
        f"with tf.device('/gpu:0'):\n    {BODY}\n",
        f"for i in range(2):\n    with other.device('/gpu:%d' % i):\n        {BODY}\n",
    ],
)
def test_no_tower_loop(text):
    assert found(text) == []


def test_loop_without_gradients_is_told_apart():
    (loop,) = found("for i in range(2):\n    with tf.device('/gpu:%d' % i):\n        f(i)\n")
    assert not loop.has_gradients


def test_tf_gradients_count():
    (loop,) = found("for i in range(2):\n    with tf.device('/gpu:%d' % i):\n        tf.gradients(y, x)\n")
    assert loop.has_gradients


def test_owner():
    loop = f"    for i in range(2):\n        with tf.device('/gpu:%d' % i):\n            {BODY}\n"
    assert found(f"def f():\n{loop}")[0].owner.name.value == "f"
    assert isinstance(found(f"if True:\n{loop}")[0].owner, cst.Module)


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("range(n)", "n"),
        ("xrange(n)", "n"),
        ("range(0, n)", "n"),
        ("range(1, n)", None),
        ("range(0, n, 2)", None),
        ("xs", None),
    ],
)
def test_range_count(code, count):
    module, names, _ = read(f"_ = {code}\n")
    value = range_count(module.body[-1].body[0].value, names)
    assert (cst.Module([]).code_for_node(value) if value is not None else None) == count
