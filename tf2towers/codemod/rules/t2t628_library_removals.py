"""T2T628: what NumPy, SciPy and Python have lost; the edits of T2T611 find it."""

from __future__ import annotations

from tf2towers.codemod.rule import Example, Rule


class LibraryRemovals(Rule):
    """What NumPy, SciPy or Python have lost

    The NumPy and the Python that TensorFlow 2 runs with lack some of what they had at the time of TF1. T2T611 writes
    the counterparts that are certain; the program would stop at the rest.

    Where a release of the library that runs beside TensorFlow 2.21 still has it, the use is a note, with status 0: the
    migration of TensorFlow is complete. The run ends with the lines for a requirements.txt (`gym==0.25.2`), each tried
    on Python 3.11. `--strict` makes notes count.
    """

    does = "refuses"
    todo = """
    Write what the message names, or what the library's release notes say, and run the script once as it was.
    """
    examples = (
        Example(
            "a function of NumPy 1",
            """
                import numpy as np
                import tensorflow as tf

                size = np.alen([1, 2])
                tf.Session().run(tf.zeros([size]))
                """,
            left=True,
        ),
    )
