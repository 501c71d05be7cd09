"""`CudnnLSTM` against the formula of cuDNN's documentation, and TensorFlow 1.15's `CudnnCompatibleLSTMCell`.

The numbers are what TensorFlow 1.15.5 gave on a CPU for such cells, whose one bias was the sum of
both here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow
v1 = tf.compat.v1

UNITS, DEPTH = 3, 2
INPUTS = np.random.RandomState(7).uniform(-1, 1, (4, 2, DEPTH)).astype(np.float32)
#: depths of the cells, what the layer is made and called with, outputs by place, last outputs,
#: memories, gradients
CASES: dict[str, Any] = {
    "two layers": (
        [DEPTH, UNITS],
        {"num_layers": 2},
        {},
        [3.798325, -2.584969, -16.62139],
        [-0.6366171, -0.309406],
        [-1.435706, -0.1530759],
        [0.552443, 0.9000528, 0.5381109, 2.213877],
    ),
    "both directions, with lengths": (
        [DEPTH, DEPTH],
        {"num_layers": 1, "direction": "bidirectional"},
        {"sequence_lengths": [4, 2]},
        [1.621013, -15.57592, -35.57206, -8.715189, -27.36776, -22.00026],
        [-1.091172, -0.6197531],
        [-1.837419, -2.21764],
        [0.7929817, 1.816882, 0.3815226, 0.9091022],
    ),
}


def _weights(depths: list[int]) -> list[list[np.ndarray]]:
    """A matrix and two biases for each cell."""
    draw, columns = np.random.RandomState(8), 4 * UNITS
    shapes = [[(depth + UNITS, columns), (columns,), (columns,)] for depth in depths]
    return [[draw.uniform(-1, 1, shape).astype(np.float32) for shape in cell] for cell in shapes]


def _formula(inputs: np.ndarray, matrix: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """The outputs [time, batch, units] of a cell, as the documentation of `cudnnRNNMode_t` has them."""
    memory = output = np.zeros((inputs.shape[1], UNITS))
    outputs = []
    for given in inputs:
        gates = np.concatenate([given, output], 1) @ matrix + bias
        write, new, keep, show = np.split(gates, 4, axis=1)
        chance = [1 / (1 + np.exp(-gate)) for gate in (write, keep, show)]
        memory = chance[1] * memory + chance[0] * np.tanh(new)
        output = chance[2] * np.tanh(memory)
        outputs.append(output)
    return np.stack(outputs)


@pytest.mark.parametrize("title", CASES)
def test_cudnn_lstm_computes_its_formula(title: str) -> None:
    from tf2towers.runtime.tf1.cudnn_rnn import CudnnLSTM

    depths, made, called, *wanted = CASES[title]
    weights = _weights(depths)
    with tf.Graph().as_default(), v1.Session() as session:
        layer = CudnnLSTM(num_units=UNITS, **made)
        outputs, (last, memory) = layer(tf.constant(INPUTS), **called)
        (kernel,) = v1.trainable_variables()
        assert kernel.op.name == "cudnn_lstm/opaque_kernel"
        loss = tf.reduce_sum(outputs * outputs) + tf.reduce_sum(last * memory)
        (gradient,) = v1.gradients(loss, [kernel])
        kernel.load(np.concatenate([part.ravel() for cell in weights for part in cell]), session)
        found, last, memory, gradient = session.run([outputs, last, memory, gradient])
    places = np.arange(found.size).reshape(found.shape)
    sums = [(found * places).sum((0, 1)), last.sum((1, 2)), memory.sum((1, 2))]
    norms, start = [], 0
    for cell in weights:
        matrix, first, second = np.split(gradient[start:], np.cumsum([part.size for part in cell]))[:3]
        assert first.tolist() == second.tolist()
        norms += [np.linalg.norm(matrix), np.linalg.norm(first)]
        start += sum(part.size for part in cell)
    for numbers, known in zip([*sums, norms], wanted, strict=True):
        np.testing.assert_allclose(numbers, known, rtol=1e-5, atol=1e-5)
    if "sequence_lengths" not in called:
        by_formula = INPUTS
        for matrix, first, second in weights:
            by_formula = _formula(by_formula, matrix, first + second)
        np.testing.assert_allclose(found, by_formula, rtol=1e-5, atol=1e-6)


def test_first_weights_and_dropout() -> None:
    from tf2towers.runtime.tf1.cudnn_rnn import CudnnLSTM

    with tf.Graph().as_default(), v1.Session() as session:
        layer = CudnnLSTM(2, UNITS, direction="bidirectional", dropout=0.5, seed=1, name="cells")
        inputs = tf.ones([5, 2, DEPTH])
        trained, _ = layer(inputs)
        plain, state = layer(inputs, training=False)
        again, end = layer(inputs, initial_state=state, training=False)
        turned = [tf.transpose(each, [1, 0, 2]) for each in (inputs, *state, again, *end)]
        batch_major, turned_end = layer(turned[0], turned[1:3], time_major=False, training=False)
        session.run(v1.global_variables_initializer())
        for one, other in zip(turned[3:], [batch_major, *turned_end], strict=True):
            np.testing.assert_array_equal(*session.run([one, other]))
        (kernel,) = v1.global_variables()
        assert kernel.shape == [2 * 12 * (DEPTH + UNITS + 2) + 2 * 12 * (3 * UNITS + 2)]
        weights, *found = session.run([kernel, trained, plain, again])
    matrix, biases = weights[: 12 * (DEPTH + UNITS)], weights[12 * (DEPTH + UNITS) :][:24]
    assert not biases.any() and 0.5 < abs(matrix).max() <= np.sqrt(6 / (DEPTH + UNITS))
    assert found[0].shape == (5, 2, 2 * UNITS)
    assert all(np.abs(one - found[1]).max() > 1e-3 for one in (found[0], found[2]))
