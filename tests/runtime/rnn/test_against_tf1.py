"""Our recurrent cells, in the loops of TF 2, against the real ones of TF 1.15."""

import pytest
import tensorflow as tf

from tf2towers.runtime import rnn

from .. import against_golden
from ..cases.rnn_cases import CASES
from ..cases.running import Api


@pytest.mark.parametrize("title", sorted(CASES))
def test_same_as_tf1(title: str) -> None:
    found = against_golden.run(CASES[title], Api(tf.compat.v1, rnn=rnn))
    against_golden.assert_same(found, against_golden.goldens("rnn")[title])
