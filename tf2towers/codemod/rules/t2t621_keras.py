"""T2T621: tf.keras inside a TF1 graph."""

from __future__ import annotations

from tf2towers.codemod.rule import Example, Rule

RULE = Rule(
    code="T2T621",
    title="tf.keras inside a TF1 graph",
    does="refuses",
    why="""
    Behind tf.keras stands Keras 3. Its layers, models and optimizers make variables of their own kind: no graph's
    collections have them, their names and first values are not promised to be TF 1's, and what batch normalization
    updates is no UPDATE_OPS. Layers without variables (Flatten, pooling, Concatenate) have a counterpart.
    """,
    todo="Write the layers with tf.layers or tf.get_variable, or migrate the model to Keras by hand.",
    examples=(
        Example(
            "a Keras layer on a placeholder",
            "import tensorflow as tf\n\nx = tf.placeholder(tf.float32, [None, 4])\ny = tf.keras.layers.Dense(2)(x)\n",
            left=True,
        ),
    ),
)
