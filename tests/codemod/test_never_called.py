"""What TF 2 lacks, in functions that nothing calls."""

import json
from pathlib import Path
from textwrap import dedent

import pytest
from codemod_texts import codes, migrated, notebook

from tf2towers.codemod.migrate import migrate
from tf2towers.source.python2.reading import read_notebook
from tf2towers.source.script import Script

SHARED = """import tensorflow as tf

def loss(x):
    return mean(x)

def mean(x):
    return tf.reduce_mean(x)

def configure():
    return tf.contrib.tpu.rewrite(inner())

def inner():
    return tf.contrib.tpu.initialize_system()
"""
MAIN = """\
import tensorflow as tf
import shared

sess = tf.Session()
sess.run(shared.loss(tf.ones([2])))
"""


def left(folder: Path, main: str, shared: str = SHARED) -> list[str]:
    (folder / "shared.py").write_text(shared)
    (folder / "main.py").write_text(main)
    result = migrate(Script.read(folder / "main.py"))
    assert all(finding.kind in ("left", "note") for finding in result.findings)
    return [finding.message.split(" ")[0] for finding in result.findings if finding.kind == "left"]


def test_a_function_that_nothing_calls(tmp_path: Path) -> None:
    assert left(tmp_path, MAIN) == []


CALLS = [
    "shared.configure()\n",
    "call = getattr(shared, name)\n",
    "calls = {'configure': 1}\n",
    "from shared import configure as made\n",
    "exec(text)\n",
]


@pytest.mark.parametrize("call", CALLS)
def test_one_that_something_may_call(tmp_path: Path, call: str) -> None:
    assert left(tmp_path, MAIN + call) == [
        "tf.contrib.tpu.rewrite",
        "tf.contrib.tpu.initialize_system",
    ]


OWN = SHARED.replace("import tensorflow as tf\n", "")


def test_a_function_of_the_script_that_nothing_calls(tmp_path: Path) -> None:
    assert left(tmp_path, MAIN + OWN, "") == []
    assert left(tmp_path, MAIN + OWN + "    print(configure)\n", "") == []  # it names itself
    shared = dedent(
        """\
        import tensorflow as tf

        def loss(x):
            import main
            return main.mean(x)
        """
    )
    assert left(tmp_path, MAIN + OWN, shared) == []


@pytest.mark.parametrize(
    "lines",
    [
        "configure()\n",
        "if __name__ == '__main__':\n    configure()\n",
        "call = globals()[name]\n",
        "import fire\nfire.Fire()\n",
        "import sys\ncall = getattr(sys.modules[__name__], name)\n",
        "register = {'a': 'main.configure'}\n",
    ],
)
def test_one_of_the_script_that_something_may_call(tmp_path: Path, lines: str) -> None:
    assert len(left(tmp_path, MAIN + OWN + lines, "")) == 2


def test_one_of_the_script_that_a_module_calls(tmp_path: Path) -> None:
    shared = dedent(
        """\
        import tensorflow as tf

        def loss(x):
            import main
            return main.configure()
        """
    )
    assert len(left(tmp_path, MAIN + OWN, shared)) == 2


def test_main_is_called_by_its_name(tmp_path: Path) -> None:
    """`tf.app.run()` looks it up."""
    lines = dedent(
        """\
        def main(_):
            tf.contrib.gone()

        tf.app.run()
        """
    )
    assert left(tmp_path, MAIN + lines, "") == ["tf.contrib.gone"]


def test_functions_of_a_notebook_count_as_called(tmp_path: Path) -> None:
    """What its magics call is not read: `%time train()`."""
    cells = [MAIN, "def train():\n    tf.contrib.gone()\n", "%time train()"]
    (tmp_path / "shared.py").write_text(SHARED)
    (tmp_path / "main.ipynb").write_text(json.dumps(notebook(cells)))
    assert codes(migrate(read_notebook(str(tmp_path / "main.ipynb")))) == ["T2T620"]


def test_a_module_that_is_given_by_itself_is_for_others_to_call(tmp_path: Path) -> None:
    lines = dedent(
        """\
        import tensorflow as tf

        x = tf.float32

        def f():
            return tf.contrib.gone()
        """
    )
    assert left(tmp_path, lines, "") == ["tf.contrib.gone"]


@pytest.mark.parametrize(
    "lines",
    [
        "class Cell(tf.contrib.gone.Cell):\n    pass\n",
        "class Cell:\n    kind = tf.contrib.gone\n",
        dedent(
            """\
            class Cell:
                class Of:
                    kind = tf.contrib.gone
            """
        ),
        dedent(
            """\
            class Cell:
                def f(self, x=tf.contrib.gone()):
                    pass
            """
        ),
        "def f(x=tf.contrib.gone()):\n    pass\n",
        "def f(x: tf.contrib.gone):\n    pass\n",
        "def f(x=configure()):\n    pass\n",
        "class Cell:\n    made = configure()\n",
        dedent(
            """\
            class Of(type):
                pass

            class Cell(metaclass=Of):
                def f(self):
                    tf.contrib.gone()
            """
        ),
        dedent(
            """\
            class Of:
                def __init_subclass__(cls):
                    made.append(cls)

            class Cell(Of):
                def f(self):
                    tf.contrib.gone()
            """
        ),
        "def __getattr__(name):\n    return tf.contrib.gone\n",
    ],
)
def test_what_runs_where_it_is_defined(tmp_path: Path, lines: str) -> None:
    """A function or class that nothing names is defined all the same."""
    assert left(tmp_path, MAIN, SHARED + lines) != []


@pytest.mark.parametrize(
    "lines",
    [
        dedent(
            """\
            class Cell:
                def f(self):
                    return tf.contrib.gone()
            """
        ),
        dedent(
            """\
            class Cell:
                def f(self):
                    def g(x=tf.contrib.gone()):
                        pass
                    return g
            """
        ),
        dedent(
            """\
            def f():
                class Cell(tf.contrib.gone.Cell):
                    pass
                return Cell
            """
        ),
    ],
)
def test_what_runs_where_it_is_called(tmp_path: Path, lines: str) -> None:
    assert left(tmp_path, MAIN, SHARED + lines) == []


LOOKING_UP = [
    "call = eval('configure')\n",
    "import inspect\ncalls = inspect.getmembers(shared)\n",
    "import importlib\nmodule = importlib.import_module('shared')\n",
    "calls = vars(shared)\n",
    "calls = shared.__dict__\n",
    dedent(
        """\
        def f(module):
            return vars(module)

        f(shared)
        """
    ),
    "held = [shared]\ncall = getattr(held[0], name)\n",
    dedent(
        """\
        import shared as its
        held = its
        call = getattr(held, name)
        """
    ),
    dedent(
        """\
        import sys
        module = sys.modules[name]
        call = getattr(module, name)
        """
    ),
    dedent(
        """\
        import imp
        module = imp.load_source('shared', 'shared.py')
        call = getattr(module, name)
        """
    ),
    dedent(
        """\
        if name:
            import shared as its
        else:
            import os as its
        call = getattr(its, name)
        """
    ),
    "its = shared if name else None\ncall = getattr(its, name)\n",
]
LOOKING_UP_NOTHING = [
    "vars = tf.trainable_variables()\n",
    "y = tf.ones([]).eval(session=sess)\n",
    "kind = getattr(tf, name)\n",
    dedent(
        """\
        import argparse
        args = argparse.ArgumentParser().parse_args()
        print(vars(args), args.__dict__)
        """
    ),
    dedent(
        """\
        class Held:
            pass

        held = Held()
        held.__dict__['x'] = 1
        print(vars(held.x), getattr(held, name))
        """
    ),
    dedent(
        """\
        def f(x):
            return vars(x), getattr(x, name)

        f(tf.ones([]))
        """
    ),
    "def dead(name):\n    return globals()[name]\n",
    dedent(
        """\
        def dead(name):
            import importlib
            return importlib.import_module('models.' + name)
        """
    ),
    dedent(
        """\
        def dead():
            import nobody_has_it
            import tflearn
        """
    ),
]


@pytest.mark.parametrize("lines", LOOKING_UP)
def test_names_looked_up_by_other_means(tmp_path: Path, lines: str) -> None:
    assert len(left(tmp_path, MAIN + lines)) == 2


@pytest.mark.parametrize("lines", LOOKING_UP_NOTHING)
@pytest.mark.parametrize("where", ["main", "shared", "plain"])
def test_what_looks_no_function_up(tmp_path: Path, lines: str, where: str) -> None:
    """So it is of what is looked up in a function that nothing calls, also in a module without TensorFlow."""
    if where == "plain" and "def dead" not in lines:
        return
    name = "name = 'relu'\nsess = None\n" if "def dead" not in lines else ""
    (tmp_path / "plain.py").write_text(lines if where == "plain" else "")
    main = "import plain\n" + MAIN + (name + lines if where == "main" else "")
    found = left(tmp_path, main, SHARED + (name + lines if where == "shared" else ""))
    assert found == (["TensorFlow"] if "getattr(tf" in lines else [])


def test_a_module_that_is_imported_by_a_computed_text(tmp_path: Path) -> None:
    called = LOOKING_UP_NOTHING[-2] + "dead('a')\n"
    assert left(tmp_path, MAIN + called, "") == ["modules"]
    assert left(tmp_path, MAIN + LOOKING_UP_NOTHING[-1] + "dead()\n", "") == ["the", "tflearn"]


def test_uses_that_nothing_reaches_keep_their_import_where_another_use_needs_it() -> None:
    text = dedent(
        """\
        import tensorflow as tf
        from tensorflow.contrib import timeseries

        x = tf.placeholder(tf.float32, [])
        def unused():
            return timeseries.StructuralEnsembleRegressor(x)
        {}tf.Session()
        """
    )
    alone = migrated(text.format(""))
    assert not alone.left
    once = alone.changes[0].after
    assert "import timeseries" not in once and "tf.contrib.timeseries.StructuralEnsembleRegressor(x)" in once
    both = migrated(text.format("y = timeseries.ARRegressor(x)\n"))
    assert codes(both)[:1] == ["T2T620"]
    other = both.changes[0].after
    assert "from tensorflow.contrib import timeseries" in other
    assert " timeseries.StructuralEnsembleRegressor(x)" in other
    assert not migrated(once).changed and not migrated(other).changed


REACHED = [
    "if tf.__version__ < '0.9':\n    x = tf.contrib.gone(x)\n",
    "if tf.__version__ >= '0.9':\n    x = tf.contrib.gone(x)\n",
    "if tf.__version__ >= '1.4':\n    x = tf.contrib.gone(x)\n",  # 1.15 is below 1.4 as a text
    dedent(
        """\
        new = tf.__version__.startswith('1.')
        new = x is x
        if not new:
            x = tf.contrib.gone(x)
        """
    ),
    "if tf.__version__ < '0.9' or x is x:\n    x = tf.contrib.gone(x)\n",
    "if tf.__version__ < wanted:\n    x = tf.contrib.gone(x)\n",
    "if False:\n    x = tf.contrib.gone(x)\n",
    dedent(
        """\
        input = input
        if input:
            x = tf.contrib.gone(x)
        """
    ),
]


@pytest.mark.parametrize("test", REACHED)
def test_what_may_be_reached_is_left(tmp_path: Path, test: str) -> None:
    head = dedent(
        """\
        import tensorflow as tf
        from distutils.version import LooseVersion
        x = tf.ones([2])
        """
    )
    assert left(tmp_path, f"{head}{test}tf.Session().run(x)\n", "") == ["tf.contrib.gone"]


@pytest.mark.parametrize(
    "line", ["import tensorflow.contrib.rnn as rnn", "from tensorflow.contrib import rnn"]
)
def test_a_module_is_imported_anew_where_nothing_reaches_what_it_has_lost(program, line: str) -> None:
    old = "def old():\n    return rnn.rnn_cell.gone(2)\n"
    cells = dedent(
        """\
        import tensorflow as tf
        {line}
        tf.Session()
        {old}cell = rnn.GRUCell(2)
        """
    ).format(line=line, old=old)
    result = program({"cells.py": cells}, "cells.py")
    assert result.status == 0
    assert ", rnn_cell as rnn\n" in result.changes[0].after and "contrib" not in result.changes[0].after


ALONE = """
if __name__ == '__main__':
    import batches_of_our_own
    import tflearn
    print(tf.contrib.tpu.rewrite(), mean(batches_of_our_own.one()))
"""


def test_what_runs_only_where_a_module_is_the_script_itself(tmp_path: Path) -> None:
    assert left(tmp_path, MAIN, SHARED + ALONE) == []
    assert left(tmp_path, MAIN, SHARED + ALONE.replace("mean(", "configure(")) == []


def test_where_it_may_run_all_the_same(tmp_path: Path) -> None:
    way = "import runpy\nrunpy.run_path('shared.py', run_name='__main__')\n"
    assert len(left(tmp_path, MAIN + way, SHARED + ALONE)) == 3
    assert len(left(tmp_path, MAIN, SHARED + ALONE.replace("==", "!="))) == 3
    assert len(left(tmp_path, MAIN, SHARED + ALONE + "else:\n    mean(configure())\n")) == 5


def test_what_the_script_itself_runs(tmp_path: Path) -> None:
    assert len(left(tmp_path, MAIN + "from shared import *\n" + ALONE)) == 3
