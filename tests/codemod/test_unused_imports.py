"""Imports that the rewrites leave without a use, and the order of those that come to them."""

from textwrap import dedent

import pytest
from codemod_texts import after, texts

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


NET = """\
import tensorflow as tf

slim = tf.contrib.slim


def net(x):
    return slim.fully_connected(x, 2)
"""
TRAINS = """\
import net
import tensorflow as tf

print(tf.Session(), net.net(1))
"""


@pytest.mark.parametrize(
    ("more", "trains", "stays"),
    [
        ("", TRAINS, False),
        (
            dedent(
                """\


            def make():
                return tf.constant(1)
            """
            ),
            TRAINS,
            True,
        ),
        (
            dedent(
                """\


            def make():
                return eval('tf.constant(1)')
            """
            ),
            TRAINS,
            True,
        ),
        (
            dedent(
                """\


            def make(x):
                return getattr(x, 'tf')
            """
            ),
            TRAINS,
            True,
        ),
        ("", f"{TRAINS}print(net.tf.constant(1))\n", True),
        ("", TRAINS.replace("import net\nimport tensorflow as tf\n", "from net import *\n"), True),
        ("", f"from net import tf as t\n{TRAINS}print(t.constant(1))\n", True),
        ("", f"{TRAINS}print(getattr(net, 'tf'))\n", True),
    ],
)
def test_a_module_that_no_longer_names_tensorflow(more: str, trains: str, stays: bool, program) -> None:
    written = texts(program({"train.py": trains, "net.py": NET + more}))
    assert ("import tensorflow.compat.v1 as tf" in written["net.py"]) == stays
    assert stays or written["net.py"].startswith(
        dedent(
            """\
        from tf2towers.runtime import slim


        def net(x):
        """
        )
    )


@pytest.mark.parametrize(
    "imported",
    ["nest = tf.contrib.framework.nest", "from tensorflow.contrib.framework import nest"],
)
def test_a_module_of_contrib_that_is_a_public_one_keeps_its_name(imported: str) -> None:
    text = after(
        f"import tensorflow as tf\n{imported}\n\nx = tf.placeholder('float')\nprint(nest.flatten([x]))\n"
    )
    assert "print(nest.flatten([x]))" in text
    assert "nest = tf.nest" in text or "from tensorflow.compat.v1 import nest" in text
