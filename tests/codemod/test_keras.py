"""Keras in a TF1 graph, where the table of symbols says that the runtime's stands for it."""

import pytest
from codemod_texts import migrated

from tf2towers.codemod.rules import t2t621_keras_in_graph
from tf2towers.codemod.symbols import Found, RuntimeName, find_replacement

HOME = "tf2towers.runtime.tf1"
HEAD = "import tensorflow as tf\nx = tf.placeholder(tf.float32, [2, 2])\n"
LINES = [
    (
        "import keras\ny = keras.layers.Dense(2)(x)\n",
        f"from {HOME} import keras\ny = keras.layers.Dense(2)(x)\n",
    ),
    (
        "import keras as k\ny = k.layers.Dense(2)(x)\n",
        f"import {HOME}.keras as k\ny = k.layers.Dense(2)(x)\n",
    ),
    (
        "from keras.layers import Dense, Flatten as F\ny = Dense(2)(x)\n",
        f"from {HOME}.keras.layers import Dense, Flatten as F\ny = Dense(2)(x)\n",
    ),
    (
        "from keras import backend as K\ny = K.mean(x)\n",
        f"from {HOME}.keras import backend as K\ny = K.mean(x)\n",
    ),
    ("import keras.backend as K\ny = K.mean(x)\n", f"import {HOME}.keras.backend as K\ny = K.mean(x)\n"),
    (
        "import os, keras as k\ny = k.layers.Dense(2)(x)\n",
        f"import os, {HOME}.keras as k\ny = k.layers.Dense(2)(x)\n",
    ),
]
LEFT = [
    "from keras.gone import Dense\n",
    "from keras import gone\n",
    "import os, keras\n",
    "import keras as k\ny = k.gone.Dense(2)(x)\n",
]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> None:
    def replacement(canonical: str) -> Found:
        if canonical == "tf.keras" or canonical.startswith("tf.keras."):
            if ".gone" in canonical:
                return Found("left", code="T2T621", why="gone")
            return Found("runtime", runtime=RuntimeName(HOME, canonical[3:]))
        return find_replacement(canonical)

    monkeypatch.setattr(t2t621_keras_in_graph, "find_replacement", replacement)


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize(("before", "after"), LINES)
def test_what_the_runtime_serves(before: str, after: str) -> None:
    result = migrated(HEAD + before)
    assert not result.left and after.splitlines()[0] in result.changes[0].after
    assert after.splitlines()[1] in result.changes[0].after


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("lines", LEFT)
def test_what_it_does_not(lines: str) -> None:
    assert {finding.code for finding in migrated(HEAD + lines).left} == {"T2T621"}


def test_a_table_that_serves_none() -> None:
    if find_replacement("tf.keras").runtime is None:
        assert [each.code for each in migrated(HEAD + "import keras\n").left] == ["T2T625"]
