"""Local modules that are values: TensorFlow may be taken from them, by the name that it has there."""

from pathlib import Path
from textwrap import dedent

import pytest
from codemod_texts import codes

from tf2towers.codemod.migrate import migrate
from tf2towers.source.script import Script

#: a script, beside a module `common` of which `tf` is TensorFlow
LEFT = {
    "an argument": """
        import common

        def build(module):
            return module.tf.placeholder(module.tf.float32, [None, 2])

        print(build(common))
        """,
    "what a method returns": """
        import common

        class Maker(object):
            def get(self, module):
                return module.tf

        tf = Maker().get(common)
        print(tf.placeholder(tf.float32, [None, 2]))
        """,
    "in a dictionary": """
        import common

        module = {"a": common}["a"]
        print(module.tf.placeholder(module.tf.float32, [None, 2]))
        """,
}
FOLLOWED = {
    "another name": """
        import common

        module = common
        print(module.tf.placeholder(module.tf.float32, [None, 2]))
        """,
    "of which only its own functions are taken": """
        import common
        import tensorflow as tf

        modules = {"a": common}
        print(modules["a"].build(tf.placeholder(tf.float32, [None, 2])))
        """,
    "that is loaded again": """
        import importlib

        import common

        class Model(object):
            tf = 1

        importlib.reload(common)
        print(Model().tf)
        """,
}


def _codes(folder: Path, text: str) -> list[str]:
    (folder / "common.py").write_text(
        dedent("""\
        import tensorflow as tf


        def build(x):
            return tf.log(x)
        """)
    )
    (folder / "script.py").write_text(dedent(text))
    return codes(migrate(Script.read(folder / "script.py")))


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_what_is_taken_from_a_module_is_unknown(tmp_path: Path, text: str) -> None:
    assert _codes(tmp_path, text) == ["T2T626"]


@pytest.mark.parametrize("text", FOLLOWED.values(), ids=FOLLOWED)
def test_what_is_taken_is_known(tmp_path: Path, text: str) -> None:
    assert _codes(tmp_path, text) == []
