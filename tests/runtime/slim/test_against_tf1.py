"""Our `tf.contrib.layers` and `tf.contrib.slim` against the real ones of TF 1.15."""

import pytest
import tensorflow as tf

from tf2towers.runtime import slim

from .. import against_golden
from ..cases.running import Api
from ..cases.slim_cases import CASES


@pytest.mark.parametrize("title", sorted(CASES))
def test_same_as_tf1(title: str) -> None:
    found = against_golden.run(CASES[title], Api(tf.compat.v1, slim=slim))
    against_golden.assert_same(found, against_golden.goldens("slim")[title])
