"""Programs that Python 3 can read, and that are Python 2 all the same: Python 3 would stop in them."""

from pathlib import Path
from textwrap import dedent

import pytest

from tf2towers.codemod.migrate import migrate
from tf2towers.report.result import MigrationResult
from tf2towers.source.script import Script

TF = "import tensorflow as tf\n"
RUN = """\

sess = tf.Session()
half = 3 / 2
"""


def program(text: str) -> str:
    """A program, with `RUN` in the place of the line of that name."""
    return dedent(text).replace("RUN\n", RUN)


PYTHON2 = [
    f"import cPickle as pickle\n{TF}{RUN}",
    f"from itertools import izip\n{TF}{RUN}",
    f"{TF}for i in xrange(2):\n    pass\n{RUN}",
    program(
        """\
        import tensorflow as tf
        def main(_):
            train()
        def train():
            if FLAGS.x:
                print(unicode('a'))
        RUN
        tf.app.run()
        """
    ),
    program(
        """\
        import tensorflow as tf
        class Trainer(object):
            def __init__(self):
                self.n = reduce(max, [1])
        RUN
        Trainer()
        """
    ),
    program(
        """\
        import tensorflow as tf
        class Trainer(object):
            def fit(self):
                return long(1)
        RUN
        Trainer().fit()
        """
    ),
    program(
        """\
        import tensorflow as tf
        def show(args):
            for k, v in vars(args).iteritems():
                print(k)
        RUN
        show(FLAGS)
        """
    ),
    program(
        """\
        import tensorflow as tf
        def show(**kwargs):
            print(kwargs.iteritems())
        RUN
        show(a=1)
        """
    ),
    program(
        """\
        import tensorflow as tf
        class Net(object):
            def __init__(self):
                self.setup()
            def setup(self):
                raise NotImplementedError
            def feed(self, a):
                return isinstance(a, basestring)

        class Mine(Net):
            def setup(self):
                self.feed('x')
        RUN
        Mine()
        """
    ),
    program(
        """\
        import tensorflow as tf
        class Net(object):
            def layers(self):
                return xrange(2)
        class Other(object):
            def layers(self):
                return []
        RUN
        nets = {'net': Net}
        for net in nets.values():
            print(net().layers())
        """
    ),
    program(
        """\
        import tensorflow as tf
        class Net(object):
            def build(self):
                return long(1)
        class Mine(Net):
            def build(self):
                return super(Mine, self).build()
        RUN
        Mine().build()
        """
    ),
    program(
        """\
        import tensorflow as tf
        class Net(object):
            @property
            def size(self):
                return long(1)
        RUN
        print(Net().size)
        """
    ),
    program(
        """\
        import threading
        import tensorflow as tf
        def work():
            return unicode('a')
        RUN
        threading.Thread(target=work).start()
        """
    ),
    program(
        """\
        import tensorflow as tf
        sess = tf.Session()
        try:
            for i in xrange(3):
                sess.run([])
        except Exception as error:
            print(error)
        RUN
        """
    ),
    program(
        """\
        import tensorflow as tf
        def main(args):
            if args.version:
                return
            print(xrange(2))
        RUN
        main(FLAGS)
        """
    ),
    f"{TF}a, b = {{}}, {{}}\nlosses = tf.add_n(a.values() + b.values())\n{RUN}",
]
PYTHON3 = [
    program(
        """\
        try:
            import cPickle as pickle
        except ImportError:
            import pickle
        import tensorflow as tf
        RUN
        """
    ),
    program(
        """\
        from six.moves import xrange
        import tensorflow as tf
        for i in xrange(2):
            pass
        RUN
        """
    ),
    program(
        """\
        import sys
        import tensorflow as tf
        if sys.version_info[0] < 3:
            input = raw_input
        RUN
        """
    ),
    program(
        """\
        try:
            unicode
        except NameError:
            unicode = str
        import tensorflow as tf
        RUN
        """
    ),
    f"{TF}def never():\n    return xrange(3)\n{RUN}",
    program(
        """\
        import tensorflow as tf
        def reduce(x):
            return x
        RUN
        reduce(1)
        """
    ),
    program(
        """\
        import tensorflow as tf
        from lib import frame
        for k, v in frame().iteritems():
            pass
        RUN
        """
    ),  # whose, nobody knows
    program(
        """\
        import tensorflow as tf
        def f(a, b):
            return a.values() + b.values()
        RUN
        f(FLAGS, FLAGS)
        """
    ),
    program(
        """\
        import tensorflow as tf
        import pandas as pd
        for k, v in pd.DataFrame().iteritems():
            pass
        RUN
        """
    ),
    program(
        """\
        import tensorflow as tf
        class D:
            def iteritems(self):
                return []
        x = D().iteritems()
        RUN
        """
    ),
    f"{TF}import six\nx = six.iteritems({{}})\n{RUN}",
    program(
        """\
        import tensorflow as tf
        try:
            x = {}.iteritems()
        except AttributeError:
            x = {}.items()
        RUN
        """
    ),
    f"{TF}a = {{}}\nx = list(a.keys()) + list(a.keys())\n{RUN}",
    program(
        """\
        import tensorflow as tf
        class Net(object):
            def feed(self, a):
                return isinstance(a, basestring)
        RUN
        Net()
        """
    ),
    program(
        """\
        import tensorflow as tf
        class Net(object):
            def run(self):
                return xrange(2)
        RUN
        Net()
        sess.run([])
        """
    ),
    program(
        """\
        import tensorflow as tf
        class Net(object):
            def names(self):
                return unicode(1)
        class Mine(Net):
            def names(self):
                return str(1)
        RUN
        Mine().names()
        """
    ),
    program(
        """\
        import tensorflow as tf
        class Net(object):
            def __unicode__(self):
                return unicode(1)
        RUN
        Net()
        """
    ),
    program(
        """\
        import tensorflow as tf
        def text(x):
            if PY3:
                return str(x)
            return unicode(x)
        RUN
        text(1)
        """
    ),
    program(
        """\
        import tensorflow as tf
        def text(x):
            try:
                return unicode(x)
            except:
                return x
        RUN
        text(1)
        """
    ),
    f"{TF}from functools import *\n{RUN}reduce(max, [1])\n",
]
#: names of Python 2 in programs that show none
LEFT = [
    program(
        """\
        import tensorflow as tf
        def text(x):
            raise ValueError(unicode(x))
        RUN
        text(1)
        """
    ),
    program(
        """\
        import tensorflow as tf
        class Exception(object):
            pass
        def text(x):
            raise StandardError(x)
        RUN
        text(1)
        """
    ),
    program(
        """\
        import tensorflow as tf
        import nets
        class Net(nets.Base):
            def feed(self, a):
                isinstance(a, basestring)
        RUN
        Net()
        """
    ),
    program(
        """\
        import tensorflow as tf
        def text(x):
            if x.version == 2:
                return unicode(x)
            return x
        RUN
        text(1)
        """
    ),
    program(
        """\
        import tensorflow as tf
        try:
            x = {}.rows
            for i in xrange(3):
                pass
        except AttributeError:
            pass
        RUN
        """
    ),
    f"{TF}texts = lambda x: unicode(x)\n{RUN}texts(1)\n",
]
#: scripts for both Pythons
BOTH = [
    program(
        """\
        import tensorflow as tf
        try:
            input = raw_input
        except:
            pass
        RUN
        """
    ),
    program(
        """\
        import six
        import tensorflow as tf
        def text(x):
            return x if six.PY3 else unicode(x)
        RUN
        text(1)
        """
    ),
    program(
        """\
        import sys
        import tensorflow as tf
        if sys.version_info[0] < 3:
            def text(x):
                return unicode(x)
        RUN
        """
    ),
    f"import sys\n{TF}kinds = (str,) if sys.version_info > (3,) else (basestring,)\n{RUN}",
    program(
        """\
        import six
        import tensorflow as tf
        is_text = lambda x: six.PY2 and isinstance(x, unicode)
        RUN
        is_text(1)
        """
    ),
    program(
        """\
        import six
        import builtins
        import tensorflow as tf
        builtins.unicode = str
        x = lambda: unicode(1)
        RUN
        """
    ),
    program(
        """\
        import tensorflow as tf
        try:
            from itertools import izip as zip
            range = xrange
        except ImportError:
            pass
        RUN
        """
    ),
    program(
        """\
        import sys
        import tensorflow as tf
        if sys.version < '3':
            text = unicode
        else:
            text = str
        RUN
        """
    ),
    program(
        """\
        import tensorflow as tf
        def names(file):
            return file.names, [long for long in file]
        RUN
        names(1)
        """
    ),
]
TEXTS = [
    *((text, "3 // 2", None) for text in PYTHON2), *((text, "3 / 2", None) for text in PYTHON3),
    *((text, "3 / 2", True) for text in LEFT), *((text, "3 / 2", False) for text in BOTH),
]  # fmt: skip


def migrated(folder: Path, files: dict[str, str]) -> MigrationResult:
    for name, text in files.items():
        (folder / name).write_text(text)
    return migrate(Script.read(folder / "train.py"))


@pytest.mark.parametrize(("text", "half", "is_left"), TEXTS)
def test_what_shows_python_2(tmp_path: Path, text: str, half: str, is_left: bool | None) -> None:
    result = migrated(tmp_path, {"train.py": text})
    assert f"half = {half}\n" in result.changes[0].after
    if is_left is not None:
        assert ("T2T609" in [finding.code for finding in result.left], bool(result.left)) == (
            is_left,
            is_left,
        )


STAR = program(
    """\
    import tensorflow as tf
    from common import *
    for i in xrange(2):
        pass
    RUN
    """
)
#: the files of a program, and what is in their new texts
PROGRAMS = [
    (
        {"helper.py": "def rows(n):\n    return [i / 2 for i in xrange(n)]\n",
         "train.py": f"{TF}import helper{RUN}helper.rows(3)\n"},
        {"train.py": "half = 3 // 2\n", "helper.py": "[i // 2 for i in range(n)]"},
    ),
    (
        {"network.py": dedent(
            """\
            class Network(object):
                def feed(self, a):
                    return isinstance(a, basestring)
            """
        ),
         "nets.py": dedent(
             """\
             from network import Network as Base
             class Net(Base):
                 def setup(self):
                     self.feed(1)
             """
         ),
         "train.py": f"{TF}import nets{RUN}net = nets.Net()\nnet.setup()\n"},
        {"train.py": "half = 3 // 2\n", "network.py": "isinstance(a, str)"},
    ),
    (  # errors of Python 2 are those of Python 3
        {"helper.py": dedent(
            """\
            def rows(x):
                try:
                    x.rows()
                    x.close()
                    x = None
                except StandardError:
                    raise StandardError(x)
            """
        ),
         "train.py": f"{TF}import helper{RUN}helper.rows(3)\n"},
        {"train.py": "half = 3 / 2\n", "helper.py": "    except Exception:\n        raise Exception(x)\n"},
    ),
    ({"commands.py": "x = 1\n", "train.py": f"import commands\n{TF}{RUN}"}, {"train.py": "half = 3 / 2\n"}),
    (  # prints with parentheses stay calls
        {"train.py": f"{TF}for i in xrange(2):\n    print('step', i){RUN}"},
        {"train.py": "    print('step', i)\n"},
    ),
    # names that come by a star of the program
    ({"common.py": "import os\n", "train.py": STAR}, {"train.py": "half = 3 // 2\n"}),
    ({"common.py": "from six.moves import xrange\n", "train.py": STAR}, {"train.py": "half = 3 / 2\n"}),
]  # fmt: skip


@pytest.mark.parametrize(("files", "expected"), PROGRAMS)
def test_a_program_of_python2_is_converted(
    tmp_path: Path, files: dict[str, str], expected: dict[str, str]
) -> None:
    result = migrated(tmp_path, files)
    texts = {change.path.name: change.after for change in result.changes}
    assert not result.left and all(part in texts[name] for name, part in expected.items())


def test_a_name_in_a_module_is_left_and_noted_where_nothing_leads(tmp_path: Path) -> None:
    rows = dedent(
        """\
        def rows(x):
            raise ValueError(unicode(x))
        def never(x):
            return unicode(x)
        """
    )
    files = {"helper.py": TF + rows, "train.py": f"{TF}import helper{RUN}helper.rows(3)\n"}
    result = migrated(tmp_path, files)
    assert [(finding.line, finding.code) for finding in result.left] == [(3, "T2T609")]
    assert [finding.line for finding in result.findings if finding.kind == "note"] == [5]
