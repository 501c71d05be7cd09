"""Variables of a program that has other names for them."""

from __future__ import annotations

from tf2towers.verify.rewrites.variable_pairing import pair

TF1 = {
    "conv1/weights": (5, 5, 3, 8), "conv1/biases": (8,), "local/weights": (8, 4), "local/biases": (4,),
    "conv1/moving_mean": (8,), "global_step": (), "conv1/weights/Momentum": (5, 5, 3, 8),
}  # fmt: skip
TRAINABLE = ["conv1/weights", "conv1/biases", "local/weights", "local/biases"]
KERAS = {
    "conv1/kernel": (5, 5, 3, 8), "conv1/bias": (8,), "dense/kernel": (8, 4), "dense/bias": (4,),
    "conv1_norm/moving_mean": (8,), "sgd/iteration": (), "sgd/conv1_kernel_momentum": (5, 5, 3, 8),
}  # fmt: skip


def test_variables_of_the_same_names_are_pairs() -> None:
    assert pair(TF1, TRAINABLE, TF1, TRAINABLE) == {name: name for name in TF1}


def test_variables_of_keras_layers_are_paired_in_order() -> None:
    pairs = pair(TF1, TRAINABLE, KERAS, ["conv1/kernel", "conv1/bias", "dense/kernel", "dense/bias"])
    assert pairs == {
        "conv1/weights": "conv1/kernel", "conv1/biases": "conv1/bias", "local/weights": "dense/kernel",
        "local/biases": "dense/bias", "conv1/moving_mean": "conv1_norm/moving_mean", "global_step": "sgd/iteration",
    }  # fmt: skip


def test_names_count_before_the_order() -> None:
    """gamma and beta have one shape, and may be made in another order."""
    original = {"norm/beta": (4,), "norm/gamma": (4,)}
    migrated = {"bn/gamma": (4,), "bn/beta": (4,)}
    pairs = pair(original, list(original), migrated, list(migrated))
    assert pairs == {"norm/beta": "bn/beta", "norm/gamma": "bn/gamma"}


def test_no_variable_is_in_two_pairs() -> None:
    pairs = pair({"a/weights": (2,), "b/weights": (2,)}, [], {"c/kernel": (2,)}, [])
    assert len(set(pairs.values())) == len(pairs) <= 1
