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

PYTHON2 = [
    f"import cPickle as pickle\n{TF}{RUN}",
    f"from itertools import izip\n{TF}{RUN}",
    f"{TF}for i in xrange(2):\n    pass\n{RUN}",
    f"{TF}def main(_):\n    train()\ndef train():\n    if FLAGS.x:\n        print(unicode('a'))\n{RUN}tf.app.run()\n",
    f"{TF}class Trainer(object):\n    def __init__(self):\n        self.n = reduce(max, [1])\n{RUN}Trainer()\n",
    f"{TF}class Trainer(object):\n    def fit(self):\n        return long(1)\n{RUN}Trainer().fit()\n",
    f"{TF}def show(args):\n    for k, v in vars(args).iteritems():\n        print(k)\n{RUN}show(FLAGS)\n",
    f"{TF}def show(**kwargs):\n    print(kwargs.iteritems())\n{RUN}show(a=1)\n",
    f"{TF}class Net(object):\n    def __init__(self):\n        self.setup()\n    def setup(self):\n"
    "        raise NotImplementedError\n    def feed(self, a):\n        return isinstance(a, basestring)\n\n"
    f"class Mine(Net):\n    def setup(self):\n        self.feed('x')\n{RUN}Mine()\n",
    f"{TF}class Net(object):\n    def layers(self):\n        return xrange(2)\n"
    "class Other(object):\n    def layers(self):\n        return []\n"
    f"{RUN}nets = {{'net': Net}}\nfor net in nets.values():\n    print(net().layers())\n",
    f"{TF}class Net(object):\n    def build(self):\n        return long(1)\n"
    "class Mine(Net):\n    def build(self):\n        return super(Mine, self).build()\n"
    f"{RUN}Mine().build()\n",
    f"{TF}class Net(object):\n    @property\n    def size(self):\n        return long(1)\n{RUN}print(Net().size)\n",
    f"import threading\n{TF}def work():\n    return unicode('a')\n{RUN}threading.Thread(target=work).start()\n",
    f"{TF}sess = tf.Session()\ntry:\n    for i in xrange(3):\n        sess.run([])\n"
    f"except Exception as error:\n    print(error)\n{RUN}",
    f"{TF}def main(args):\n    if args.version:\n        return\n    print(xrange(2))\n{RUN}main(FLAGS)\n",
    f"{TF}a, b = {{}}, {{}}\nlosses = tf.add_n(a.values() + b.values())\n{RUN}",
]
PYTHON3 = [
    f"try:\n    import cPickle as pickle\nexcept ImportError:\n    import pickle\n{TF}{RUN}",
    f"from six.moves import xrange\n{TF}for i in xrange(2):\n    pass\n{RUN}",
    f"import sys\n{TF}if sys.version_info[0] < 3:\n    input = raw_input\n{RUN}",
    f"try:\n    unicode\nexcept NameError:\n    unicode = str\n{TF}{RUN}",
    f"{TF}def never():\n    return xrange(3)\n{RUN}",
    f"{TF}def reduce(x):\n    return x\n{RUN}reduce(1)\n",
    f"{TF}from lib import frame\nfor k, v in frame().iteritems():\n    pass\n{RUN}",  # whose, nobody knows
    f"{TF}def f(a, b):\n    return a.values() + b.values()\n{RUN}f(FLAGS, FLAGS)\n",
    f"{TF}import pandas as pd\nfor k, v in pd.DataFrame().iteritems():\n    pass\n{RUN}",
    f"{TF}class D:\n    def iteritems(self):\n        return []\nx = D().iteritems()\n{RUN}",
    f"{TF}import six\nx = six.iteritems({{}})\n{RUN}",
    f"{TF}try:\n    x = {{}}.iteritems()\nexcept AttributeError:\n    x = {{}}.items()\n{RUN}",
    f"{TF}a = {{}}\nx = list(a.keys()) + list(a.keys())\n{RUN}",
    f"{TF}class Net(object):\n    def feed(self, a):\n        return isinstance(a, basestring)\n{RUN}Net()\n",
    f"{TF}class Net(object):\n    def run(self):\n        return xrange(2)\n{RUN}Net()\nsess.run([])\n",
    f"{TF}class Net(object):\n    def names(self):\n        return unicode(1)\n"
    f"class Mine(Net):\n    def names(self):\n        return str(1)\n{RUN}Mine().names()\n",
    f"{TF}class Net(object):\n    def __unicode__(self):\n        return unicode(1)\n{RUN}Net()\n",
    f"{TF}def text(x):\n    if PY3:\n        return str(x)\n    return unicode(x)\n{RUN}text(1)\n",
    f"{TF}def text(x):\n    try:\n        return unicode(x)\n    except:\n        return x\n{RUN}text(1)\n",
    f"{TF}from functools import *\n{RUN}reduce(max, [1])\n",
]
#: names of Python 2 in programs that show none
LEFT = [
    f"{TF}def text(x):\n    raise ValueError(unicode(x))\n{RUN}text(1)\n",
    f"{TF}class Exception(object):\n    pass\ndef text(x):\n    raise StandardError(x)\n{RUN}text(1)\n",
    f"{TF}import nets\nclass Net(nets.Base):\n    def feed(self, a):\n        isinstance(a, basestring)\n{RUN}Net()\n",
    f"{TF}def text(x):\n    if x.version == 2:\n        return unicode(x)\n    return x\n{RUN}text(1)\n",
    f"{TF}try:\n    x = {{}}.rows\n    for i in xrange(3):\n        pass\nexcept AttributeError:\n    pass\n{RUN}",
    f"{TF}texts = lambda x: unicode(x)\n{RUN}texts(1)\n",
]
#: scripts for both Pythons
BOTH = [
    f"{TF}try:\n    input = raw_input\nexcept:\n    pass\n{RUN}",
    f"import six\n{TF}def text(x):\n    return x if six.PY3 else unicode(x)\n{RUN}text(1)\n",
    f"import sys\n{TF}if sys.version_info[0] < 3:\n    def text(x):\n        return unicode(x)\n{RUN}",
    f"import sys\n{TF}kinds = (str,) if sys.version_info > (3,) else (basestring,)\n{RUN}",
    f"import six\n{TF}is_text = lambda x: six.PY2 and isinstance(x, unicode)\n{RUN}is_text(1)\n",
    f"import six\nimport builtins\n{TF}builtins.unicode = str\nx = lambda: unicode(1)\n{RUN}",
    f"{TF}try:\n    from itertools import izip as zip\n    range = xrange\nexcept ImportError:\n    pass\n{RUN}",
    f"import sys\n{TF}if sys.version < '3':\n    text = unicode\nelse:\n    text = str\n{RUN}",
    f"{TF}def names(file):\n    return file.names, [long for long in file]\n{RUN}names(1)\n",
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


STAR = f"{TF}from common import *\nfor i in xrange(2):\n    pass\n{RUN}"
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
