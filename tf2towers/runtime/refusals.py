"""What only a flag asks for, and TensorFlow 2 has not: it raises, and says which flag it was."""

from __future__ import annotations

from typing import NoReturn


def not_served(symbol: str, test: str) -> NoReturn:
    """Raises where a migrated script reaches what it has no counterpart for.

    Args:
        symbol: what TF1 called it, `tf.contrib.quantize.create_training_graph`.
        test: the test of a flag that leads there, as the script has it.
    """
    raise NotImplementedError(
        f"{symbol} has no counterpart in TensorFlow 2. It is reached by `{test}`, which its flag's default does not "
        "lead to: run the script without that flag, or write it anew"
    )
