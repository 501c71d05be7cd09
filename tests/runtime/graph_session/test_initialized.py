"""`tf.assert_variables_initialized` fails until every variable has a value; the ranks are what TF 1.15 gave."""

from __future__ import annotations

import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow
v1 = tf.compat.v1


@pytest.mark.parametrize("listed", [None, [], "all"])
def test_fails_until_all_are_initialized(listed: object) -> None:
    from tf2towers.runtime import Session, assert_variables_initialized

    with tf.Graph().as_default(), Session() as session:
        first = v1.get_variable("first", [3, 3], use_resource=True)
        second = v1.get_local_variable("second", [2], use_resource=True)
        checked = assert_variables_initialized([first, second] if listed == "all" else listed)
        alone = assert_variables_initialized([first])
        with tf.control_dependencies([checked]):
            later = tf.constant(3) + 0
        for missing in (second, first):
            for fetch in (checked, later):
                with pytest.raises(tf.errors.FailedPreconditionError):
                    session.run(fetch)
            session.run(missing.initializer)
        assert [session.run(fetch).tolist() for fetch in (checked, alone, later)] == [[2, 1], 2, 3]
