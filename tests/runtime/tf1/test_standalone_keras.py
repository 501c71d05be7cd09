"""Graphs of standalone Keras: names, first values, outputs in both phases and gradients are those of Keras 2.2.4."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.runtime.tasks import QUIET, run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

GOLDENS = json.loads((Path(__file__).parents[1] / "goldens" / "standalone_keras.json").read_text())
#: of an array's norm: two releases' kernels (`exp`)
TOLERANCE = 5e-6


@pytest.fixture(scope="module")
def found(results_of: Callable[[str], Any]) -> Any:
    """The results that `drive_standalone_keras.py` wrote."""
    return results_of("drive_standalone_keras.py")


@pytest.mark.parametrize("name", sorted(GOLDENS))
def test_same_as_keras_2(name: str, found: dict[str, Any]) -> None:
    made, golden = found[name], GOLDENS[name]
    for fact in ("variables", "trainable", "regularization", "drawn next"):
        assert made[fact] == golden[fact], fact
    for shape, known in zip(made["shapes"], golden["shapes"], strict=True):
        # Keras 2 did not know a loop's steps
        assert [size and found for found, size in zip(shape, known, strict=True)] == known
    assert made["start"] == golden["start"]
    for fact in ("updated", "outputs", "gradients"):
        for phase in range(2):
            for number, (value, known) in enumerate(zip(made[fact][phase], golden[fact][phase], strict=True)):
                tolerance = TOLERANCE * abs(known[0]) + 1e-9
                np.testing.assert_allclose(value, known, rtol=0, atol=tolerance, err_msg=f"{fact} {number}")


#: of a recurrent layer; NumPy's library chooses the signs
FIRST_VALUES = """
from tf2towers.runtime import Session, graph_mode
graph_mode()
import numpy as np
import tensorflow as tf
from tf2towers.runtime.tf1.standalone_keras.layers import GRU, SimpleRNN

sequences = tf.ones([4, 6, 3])
for make, size in ((lambda: GRU(5), (5, 15)), (lambda: SimpleRNN(4, recurrent_initializer="orthogonal"), (4, 4))):
    np.random.seed(7)
    layer = make()
    layer(sequences)
    np.random.seed(7)
    np.random.randint(10**7)  # the kernel's seed
    left, _, right = np.linalg.svd(np.random.normal(size=size), full_matrices=False)
    with Session() as session:
        session.run(tf.compat.v1.global_variables_initializer())
        found = session.run(layer.weights[1])
    assert np.allclose(found, left if left.shape == size else right, atol=1e-6)
"""


def test_recurrent_weights_begin_with_the_singular_vectors_of_numpys_draws() -> None:
    run_python("-c", FIRST_VALUES)


#: a layer's weights and a variable of the backend are memory, as Keras 2.2.4 on TensorFlow 1.15 printed
MEMORY = """
from tf2towers.runtime import Session, graph_mode
graph_mode()
import tensorflow as tf
from tf2towers.runtime.tf1.standalone_keras import backend, layers

dense = layers.Dense(2, bias_initializer="ones")
dense(tf.ones([4, 3]))
fetches = []
for variable in (dense.bias, backend.variable([1.0, 1.0])):
    kept = tf.identity(variable)
    with tf.control_dependencies([kept]):
        update = tf.compat.v1.assign_add(variable, [1.0, 1.0])
    with tf.control_dependencies([update]):
        fetches += [variable - kept, kept]
with Session() as session:
    session.run(tf.compat.v1.global_variables_initializer())
    assert [value.tolist() for value in session.run(fetches)] == [[0.0, 0.0], [2.0, 2.0]] * 2
"""


def test_variables_are_memory() -> None:
    run_python("-c", MEMORY)


#: two towers that share a model of standalone Keras
TRAINER = """
import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.layers import BatchNormalization, Dense, Dropout
from keras.models import Sequential
from keras.objectives import mean_squared_error

np.random.seed(1)
norm = BatchNormalization()
model = Sequential([Dense(4, activation="relu", input_shape=(3,)), norm, Dropout(0.5), Dense(2)])
images, labels = tf.placeholder(tf.float32, [8, 3]), tf.placeholder(tf.float32, [8, 2])
optimizer, tower_grads = tf.train.MomentumOptimizer(0.1, 0.9), []
for i in range(2):
    with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
        rows = slice(4 * i, 4 * i + 4)
        loss = tf.reduce_mean(mean_squared_error(labels[rows], model(images[rows])))
        tower_grads.append(optimizer.compute_gradients(loss, model.trainable_weights))
grads = [(tf.reduce_mean(tf.stack([g for g, _ in pair]), 0), pair[0][1]) for pair in zip(*tower_grads)]
train = optimizer.apply_gradients(grads)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(4):
        given = {images: np.random.rand(8, 3), labels: np.random.rand(8, 2), K.learning_phase(): 1}
        print(sess.run([train, loss, norm.updates[-2:]], given)[1:])
"""


@pytest.mark.trainers
def test_a_trainer_is_migrated_and_verified(tmp_path: Path) -> None:
    """`verify` runs the original on TensorFlow 2 as well, where `keras` is the runtime's."""
    (tmp_path / "train.py").write_text(TRAINER)
    for arguments in (["migrate", "train.py", "-o", "migrated"], ["verify", "train.py", "migrated/train.py"]):
        out, _ = run_python("-m", "tf2towers", *arguments, folder=tmp_path, seconds=600, **QUIET)
    assert "PARITY" in out


#: every module and name that `migrate` sends a script to
SERVED = """
from importlib import import_module
from tf2towers.codemod.standalone_keras import served_names
from tf2towers.runtime import graph_mode

graph_mode()
home = import_module("tf2towers.runtime.tf1.standalone_keras").__name__
for module, names in served_names().items():
    made = import_module(home + module.removeprefix("keras"))
    assert all(hasattr(made, name) for name in names), (module, [n for n in names if not hasattr(made, n)])
"""


def test_all_names_of_keras_that_are_served_are_there() -> None:
    run_python("-c", SERVED)
