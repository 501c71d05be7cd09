"""The runtime's functions do with numbers what Python 2 did; Python 2.7 printed the expected values."""

import pytest

from tests.runtime.tasks import run_python
from tf2towers.runtime import (
    python2_arguments,
    python2_decode,
    python2_division,
    python2_division_in_place,
    python2_filter,
    python2_map,
    python2_message,
    python2_round,
    python2_seed,
)


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [(7, 2, 3), (-7, 2, -4), (7, 2.0, 3.5), (7.0, 2, 3.5), (True, 2, 0), (1j, 2, 0.5j)],
)
def test_division_of_numbers(left, right, result):
    found = python2_division(left, right)
    assert found == result and type(found) is type(result)
    assert python2_division_in_place(left, right) == result


@pytest.mark.parametrize(
    ("number", "digits", "result"),
    [
        (0.5, 0, 1.0), (1.5, 0, 2.0), (2.5, 0, 3.0), (-2.5, 0, -3.0), (2.4, 0, 2.0), (7, 0, 7.0),
        (0.125, 2, 0.13), (2.675, 2, 2.67), (-0.125, 2, -0.13), (1234.5, -2, 1200.0), (1250.0, -2, 1300.0),
        (0.49999999999999994, 0, 0.0), (1e300, 2, 1e300), (float("inf"), 0, float("inf")),
    ],
)  # fmt: skip
def test_round_gives_floats_away_from_zero(number, digits, result):
    found = python2_round(number, digits)
    assert found == result and isinstance(found, float)


@pytest.mark.parametrize("text", ["é", "é".encode(), "é".encode("latin1")])
def test_text_that_may_have_been_bytes(text):
    encoding = "latin1" if text == b"\xe9" else "utf-8"
    assert python2_decode(text, encoding) == "é"


def test_bytes_that_are_no_text():
    assert python2_decode(b"a\xff", "utf-8", "ignore") == "a"
    with pytest.raises(UnicodeDecodeError):
        python2_decode(b"a\xff", "utf-8")


def test_division_of_arrays():
    np = pytest.importorskip("numpy")
    whole = np.array([7, -7, 8])
    assert python2_division(whole, 2).tolist() == [3, -4, 4]
    assert python2_division(whole, 2.0).tolist() == [3.5, -3.5, 4.0]
    assert python2_division(np.int64(7), 2) == 3
    assert python2_division(np.array([7], np.uint8), np.array([2])).tolist() == [3]
    assert python2_division(np.float32(7), 2) == 3.5
    same = python2_division_in_place(whole, 2)
    assert same is whole and whole.tolist() == [3, -4, 4]
    parts = np.array([7.0])
    assert python2_division_in_place(parts, 2) is parts and parts.tolist() == [3.5]


@pytest.mark.tensorflow
def test_division_of_tensors():
    tf = pytest.importorskip("tensorflow")
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None])
        assert python2_division(x, 2).op.type == "RealDiv" and python2_division(x, 2).op.name == "div_1"
        n = tf.constant([7, -7])
        floors = [python2_division(n, 2), python2_division(20, n)]
        assert [floor.dtype for floor in floors] == [tf.int32, tf.int32]
        with tf.compat.v1.Session() as session:
            assert [value.tolist() for value in session.run(floors)] == [[3, -4], [2, -3]]
            quotient = python2_division(6, tf.constant([4.0]))
            assert session.run(quotient).tolist() == [1.5]
        assert python2_division(tf.compat.v1.Dimension(7), 2) == 3
        v = tf.compat.v1.get_variable("v", [2])
        assert python2_division(v, 2).op.type == "RealDiv"


def test_nothing_is_loaded_for_plain_numbers():
    code = "import sys; from tf2towers.runtime import python2_division; python2_division(1, 2); " + (
        "assert 'numpy' not in sys.modules"
    )
    run_python("-c", code)


def test_map_and_filter_give_what_python2s_gave():
    assert python2_map(None, [1, 2, 3], [4, 5]) == [(1, 4), (2, 5), (3, None)]
    assert python2_map(lambda a, b: (b, a), [1], [2, 3]) == [(2, 1), (3, None)]
    assert python2_map(str, *[[1, 2]]) == ["1", "2"] and python2_map(None, [1]) == [1]
    assert python2_filter(str.isalpha, "a1b2") == "ab" and python2_filter(None, (0, 1)) == (1,)
    assert python2_filter(None, [0, 1]) == [1] and python2_filter(None, {0: 1, 2: 3}) == [2]


#: seed -> what Python 2.7.18 drew as `drawn` does
DRAWN = {
    3: ([1, 5, 7, 6, 0, 3, 8, 9, 4, 2], 23, [9, 4, 6], "c", 32),
    "abc": ([1, 8, 9, 6, 2, 3, 4, 7, 5, 0], 19, [7, 5, 9], "c", 8),
}


@pytest.mark.parametrize("seed", [3, "abc"])
def test_seeded_numbers(seed):
    import random

    state, before = random.getstate(), dict(vars(random._inst))
    try:
        python2_seed(seed)
        assert drawn(random) == DRAWN[seed]
    finally:
        vars(random._inst).clear()
        vars(random._inst).update(before)
        random.setstate(state)


def drawn(source):
    x = list(range(10))
    source.shuffle(x)
    return (
        x,
        source.randint(0, 100),
        source.sample(range(10), 3),
        source.choice("abcdef"),
        source.randrange(5, 50, 3),
    )


class Described(Exception):
    message = "its own"


class Listed(Exception):
    def __getitem__(self, place):
        return "an item"


@pytest.mark.parametrize(
    ("error", "message", "first"),
    [
        (ValueError("one"), "one", "one"),
        (OSError(2, "two"), "", 2),
        (KeyError(3), 3, 3),
        (Described("a"), "its own", "a"),
        (Listed("a"), "a", "an item"),
    ],
)
def test_message_and_items_of_an_error_are_python2s(error, message, first):
    assert (python2_message(error), python2_arguments(error)[0]) == (message, first)
