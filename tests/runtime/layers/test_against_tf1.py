"""Our `tf.layers` against the real ones of TF 1.15: names, scopes, values, gradients, moving averages."""

import pytest
import tensorflow as tf

from tf2towers.runtime import layers

from .. import against_golden
from ..cases.layer_cases import CASES
from ..cases.running import Api


@pytest.mark.parametrize("title", sorted(CASES))
def test_same_as_tf1(title: str) -> None:
    found = against_golden.run(CASES[title], Api(tf.compat.v1, layers))
    against_golden.assert_same(found, against_golden.goldens("layers")[title])
