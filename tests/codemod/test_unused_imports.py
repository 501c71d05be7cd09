"""Imports that the rewrites leave without a use, and the order of those that come to them."""

from textwrap import dedent

import pytest
from codemod_texts import after

USED = """\
import tensorflow as tf
{imports}

print(tf.Session().run(tf.constant(1)), {use})
"""
FROM = "from tensorflow.python.saved_model import"
PRIVATE = f"{FROM} signature_constants"


@pytest.mark.parametrize(
    ("imports", "use", "stays"),
    [
        (PRIVATE, "signature_constants.PREDICT_INPUTS", ""),
        (f"{PRIVATE} as names", "names.PREDICT_INPUTS", ""),
        (PRIVATE, "1", PRIVATE),  # the script's own
        (PRIVATE, "signature_constants", PRIVATE),
        (PRIVATE, "signature_constants.PREDICT_INPUTS, dir(signature_constants)", PRIVATE),
        (f"# signature_constants are in it\n{PRIVATE}", "signature_constants.PREDICT_INPUTS", PRIVATE),
        (f"{PRIVATE}, builder", "signature_constants.PREDICT_INPUTS, builder", f"{FROM} builder"),
    ],
)
def test_a_private_module_of_which_nothing_is_used_any_more(imports: str, use: str, stays: str) -> None:
    text = after(USED.format(imports=imports, use=use))
    assert (FROM in text) == bool(stays) and f"\n{stays}" in text
    assert "tf.saved_model.PREDICT_INPUTS" in text or "PREDICT" not in use


def test_tensorflow_is_imported_before_the_runtime_that_is_there_already() -> None:
    text = after(
        dedent(
            """\
            import tensorflow as tf
            from tf2towers.runtime import python2_division

            losses = []
            for i in range(2):
                with tf.device('/gpu:%d' % i):
                    with tf.variable_scope('v', reuse=i > 0):
                        losses.append(tf.get_variable('w', []))
            print(tf.Session().run(losses), python2_division(1, 2))
            """
        )
    )
    assert text.startswith(
        "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import Session, TowerStrategy, graph_mode, "
    )
