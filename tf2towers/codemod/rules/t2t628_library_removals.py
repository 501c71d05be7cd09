"""T2T628: what NumPy, SciPy and Python have lost; the edits of T2T611 find it."""

from __future__ import annotations

from tf2towers.codemod.rule import Example, Rule

RULE = Rule(
    code="T2T628",
    title="What NumPy, SciPy or Python have lost",
    does="refuses",
    why="""
    The NumPy and the Python that TensorFlow 2 runs with lack some of what they had at the time of TF1. T2T611 writes
    the counterparts that are certain; the program would stop at the rest.
    """,
    todo="Write what the message names, or what the library's release notes say, and run the script once as it was.",
    examples=(
        Example(
            "a function of NumPy 1",
            """
                import numpy as np
                import tensorflow as tf

                kind = np.find_common_type([np.float32], [])
                tf.Session().run(tf.zeros([2], kind))
                """,
            left=True,
        ),
    ),
)
