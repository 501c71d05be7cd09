"""Whole programs: where `graph_mode()` stands, local modules, the seeds of this repository."""

import shutil
from pathlib import Path
from textwrap import dedent

import pytest
from codemod_texts import TF, V1, after, codes, migrated, printed, texts

from tf2towers.codemod.migrate import migrate
from tf2towers.source.script import Script

FILES = sorted((Path(__file__).parents[2] / "legacy").glob("*.py"))
#: without modules of functions that TensorFlow 2 has as well
LEGACY = [
    path for path in FILES if "import tensorflow" in path.read_text() and path.name != "cifar10_input.py"
]


@pytest.mark.parametrize("path", LEGACY, ids=lambda path: path.name)
def test_the_seeds_migrate(path, tmp_path):
    result = migrate(Script.read(path))
    assert result.status == 0 and result.changed
    for change in result.changes:
        (tmp_path / change.path.name).write_text(change.after)
        assert max(map(len, change.after.splitlines())) <= max(120, *map(len, change.before.splitlines()))
    for copied in result.copied:
        if copied.parent == path.parent:
            shutil.copy(copied, tmp_path)
    again = migrate(Script.read(tmp_path / path.name))
    assert again.status == 0 and not again.changed


#: a script -> its first lines afterwards
MODE = """\
from tf2towers.runtime import Session, graph_mode

graph_mode()
"""
SLIM = MODE.replace("\n\n", ", slim as tf1_slim\n\n", 1)
PLACES = [
    (
        f"{TF}cells = tf.nn.rnn_cell\nimport os\n",
        dedent(
            """\
         import tensorflow.compat.v1 as tf
         from tf2towers.runtime import Session, graph_mode, rnn_cell

         graph_mode()

         cells = rnn_cell
         import os
         """
        ),
    ),
    (f"{TF}\nx = tf.constant(1)\n", f"{V1}{MODE}\nx = tf.constant(1)"),
    (
        f"'''Doc.'''\nfrom __future__ import print_function\nimport os\nos.environ['X'] = '1'\n{TF}x = 1\n",
        f"'''Doc.'''\nfrom __future__ import print_function\nimport os\nos.environ['X'] = '1'\n{V1}{MODE}\nx = 1",
    ),
    (
        f"{TF}tf.disable_v2_behavior()\nimport os\n",
        f"{V1}from tf2towers.runtime import Session, graph_mode\ngraph_mode()\nimport os",
    ),
    (
        dedent(
            """\
        import tensorflow as tf


        def f():
            tf.disable_eager_execution()
        """
        ),
        f"{V1}{MODE}\n\ndef f():\n    pass",
    ),
    (f"{TF}x = tf.constant(1)\nimport os\n", f"{V1}{MODE}\nx = tf.constant(1)"),
    (f"{TF}tf.app.run()\nimport os\n", f"{V1}{MODE}\ntf.app.run()\nimport os"),  # it runs `main`
    (f"{TF}import building\nimport quiet\n", f"{V1}{MODE}\nimport building"),
    (f"{TF}import flags\nimport quiet\n", f"{V1}{MODE}\nimport flags"),
    (f"{TF}import quiet\nimport indirect\n", f"{V1}import quiet\n{MODE}\nimport indirect"),
    (
        f"{TF}from tf2towers.runtime import towers\n",
        dedent(
            """\
         import tensorflow.compat.v1 as tf
         from tf2towers.runtime import Session, graph_mode, towers

         graph_mode()
         """
        ),
    ),
    (
        dedent(
            """\
        import tensorflow as tf
        import os\\

        x = 1
        """
        ),
        f"{V1}import os\\\n\n{MODE}\nx = 1",
    ),
    (
        dedent(
            """\
        import tensorflow as tf
        slim = tf.contrib.slim
        import os
        slim = tf.contrib.slim
        """
        ),
        f"{V1}{SLIM}\nslim = tf1_slim\nimport os",
    ),
    (f"{TF}import os; x = (1,\n 2)\n", f"{V1}import os; x = (1,\n 2)\n{MODE}"),
    (
        dedent(
            """\
        import tensorflow as tf
        import os; \\
         x = 1
        y = 2
        """
        ),
        f"{V1}import os; \\\n x = 1\n{MODE}\ny = 2",
    ),
    (
        f"{TF}import os; \\\n x = tf.constant(1); y = 2\n",
        f"{V1}import os\n{MODE}\nx = tf.constant(1); y = 2\n",
    ),
    (
        f"import os; os.environ['X'] = '1'; {TF[:-1]}; sess = tf.Session()\n",
        f"import os; os.environ['X'] = '1'; {V1}{MODE}\nsess = Session()\n",
    ),
    (f"{TF}import os  # a comment \\\nx = 1\n", f"{V1}import os  # a comment \\\n{MODE}\nx = 1"),
]


@pytest.mark.parametrize(("before", "wanted"), PLACES)
def test_where_graph_mode_stands(before, wanted, program):
    modules = {
        "building.py": dedent(
            """\
            import tensorflow as tf

            x = tf.constant(1)
            """
        ),
        "quiet.py": TF
        + dedent(
            """\
            FLAGS = tf.app.flags.FLAGS


            def f():
                return tf.constant(1)
            if __name__ == '__main__':
                f()
            """
        ),
        "flags.py": f"{TF}tf.app.flags.DEFINE_string('log_dir', '', '')\n",
        "indirect.py": "import building\n",
    }
    text = program({**modules, "train.py": before + "\ns = tf.Session()\n"}).changes[0].after
    assert text.startswith(wanted), text
    assert program({"train.py": text}).changes[0].after == text


def test_local_modules_of_every_kind(tree):
    files = {
        "train.py": """
            import os, sys
            sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib'))
            import inside
            from package import model
            from package.sub.deep import net
            import plain

            inside.run()
            """,
        "lib/inside.py": dedent(
            """\
            import tensorflow as tf


            def run():
                return tf.Session()
            """
        ),
        "package/__init__.py": "",
        "package/model.py": "from . import helper\nfrom .sub import deep\n",
        "package/helper.py": dedent(
            """\
            import tensorflow as tf


            def f():
                return tf.log(1.0)
            """
        ),
        "package/sub/__init__.py": dedent(
            """\
            import tensorflow as tf


            def g():
                return tf.placeholder(1)
            """
        ),
        "package/sub/deep.py": dedent(
            """\
            from ..helper import f
            import tensorflow as tf

            net = tf.get_variable
            """
        ),
        "plain.py": "x = 1\n",
    }
    folder = tree(files)
    result = migrate(Script.read(folder / "train.py"))
    assert result.status == 0, result.left
    changed = {name for name, text in texts(result).items() if (folder / name).read_text() != text}
    parts = {"package/helper.py", "package/sub/__init__.py", "package/sub/deep.py"}
    assert changed == {"train.py", "lib/inside.py", *parts}
    main = result.changes[0].after
    assert main.count("graph_mode()") == 1 and "from tf2towers.runtime import graph_mode" in main
    assert all("graph_mode" not in change.after for change in result.changes[1:])


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("version = '1.0'\n", []),
        ("def version():\n    return 1\n", []),
        ("class version:\n    pass\n", []),
        (
            dedent("""\
            if input():
                version = 1
            else:
                version = 'two'
            """),
            [],
        ),
        ("import tensorflow as version\n", ["T2T624"]),
        ("version = open('version').read()\n", ["T2T624"]),
        ("other = 1\n", ["T2T624"]),
    ],
)
def test_what_a_package_itself_defines(made, expected, program):
    files = {
        "package/__init__.py": made,
        "package/part.py": dedent("""\
            import tensorflow as tf
            def build():
                from . import version
                return tf.placeholder(tf.float32)
            """),
        "train.py": dedent("""\
            import tensorflow as tf
            from package.part import build
            build()
            tf.Session()
            """),
    }
    assert codes(program(files)) == expected


def test_a_module_that_cannot_be_read(program):
    result = program({"old.py": "print 'x\n", "train.py": f"{TF}import old\ntf.Session()\n"})
    assert codes(result) == ["T2T624"]
    assert "cannot be read" in result.left[0].message


def test_a_program_in_python_2_is_converted_whole(program):
    files = {
        "train.py": TF
        + dedent(
            """\
            import old, package.a
            tf.Session()
            x = map(f, y)
            z = x / y
            """
        ),
        "old.py": "print 'x'\n",
        "plain.py": "x = y / 2\n",
        "package/__init__.py": "",
        "package/a.py": dedent(
            """\
            import b
            import plain
            x = zip(b.x)
            """
        ),
        "package/b.py": "x = 1 / 2\n",
    }
    result = program(files)
    assert result.status == 0
    found = texts(result)
    assert found["old.py"] == "print('x')\n"
    assert found["plain.py"].endswith("x = python2_division(y, 2)\n")
    assert found["package/a.py"] == dedent(
        """\
        from . import b
        import plain
        x = list(zip(b.x))
        """
    )
    assert found["package/b.py"] == "x = 1 // 2\n"
    assert "x = list(map(f, y))\nz = python2_division(x, y)\n" in found["train.py"]
    assert [change.before for change in result.changes if change.path.name == "old.py"] == ["print 'x'\n"]


def test_a_program_in_python_2_has_one_import_of_the_runtime(program):
    files = {
        "train.py": TF
        + dedent(
            """\
            import builds
            import os
            sess = tf.Session()
            z = x / y
            """
        ),
        "builds.py": f"{TF}x = tf.constant(1)\nprint x\n",
    }
    assert texts(program(files))["train.py"] == (
        dedent(
            """\
            import tensorflow.compat.v1 as tf
            from tf2towers.runtime import Session, graph_mode, python2_division

            graph_mode()

            import builds
            import os
            sess = Session()
            z = python2_division(x, y)
            """
        )
    )


def test_neighbours_by_their_bare_names_are_python_2(program):
    """Python 3 finds no module of a package by its bare name: the whole program is Python 2."""
    files = {
        "train.py": dedent(
            """\
            import tensorflow as tf
            from package import net
            tf.Session()
            steps = 7 / 2
            """
        ),
        "package/__init__.py": "from model import net\n",
        "package/model.py": dedent(
            """\
            import tensorflow as tf
            import data
            from numpy import array
            net = tf.placeholder
            """
        ),
        "package/data.py": "half = 1 / 2\n",
        "package/numpy/kept.txt": "",
    }
    result = program(files)
    assert result.status == 0
    found = texts(result)
    assert "steps = 7 // 2\n" in found["train.py"]
    assert found["package/__init__.py"] == "from .model import net\n"
    assert "from . import data\nfrom numpy import array\n" in found["package/model.py"]
    assert found["package/data.py"] == "half = 1 // 2\n"
    # one that says itself that it wants no such imports is not found, in Python 2 neither
    files["package/__init__.py"] = "from __future__ import absolute_import\nfrom model import net\n"
    result = program(files)
    assert [(finding.code, finding.path.name) for finding in result.left] == [("T2T624", "__init__.py")]


def test_a_package_of_a_neighbours_name_is_what_python_3_finds(program):
    """`utils/utils.py` beside `utils/data.py`: `utils` is the package, also where a module of it is missing."""
    files = {
        "train.py": dedent(
            """\
            import tensorflow as tf
            from utils import data
            tf.Session()
            steps = 7 / 2
            """
        ),
        "utils/__init__.py": "from .models import net\n",
        "utils/utils.py": "import tensorflow as tf\n",
        "utils/data.py": "from utils.missing import net\n",
        "utils/models.py": "from models.large import net\n",  # a package beside `utils` that is missing
    }
    result = program(files)
    missing = {(finding.code, finding.message.split()[2]) for finding in result.left}
    assert missing == {("T2T624", "utils.missing"), ("T2T624", "models.large")}
    assert "steps = 7 / 2\n" in texts(result)["train.py"]


@pytest.mark.parametrize(
    ("lines", "code"), [("import no_such_module_a", "T2T624"), ("import tflearn", "T2T625")]
)
def test_modules_without_tensorflow_lead_nowhere_too(lines, code, program):
    files = {"train.py": f"{TF}import glue\ntf.Session()\n", "glue.py": f"import os\n{lines}\n"}
    left = program(files).left
    assert [(finding.code, finding.path.name, finding.line) for finding in left] == [(code, "glue.py", 2)]


@pytest.mark.parametrize(
    ("file", "text", "left"),
    [
        ("package/fast.pyx", "import numpy as np\n", 0),
        ("package/fast.pyx", "import tensorflow\n", 1),
        ("package/fast.cpython-311-x86_64-linux-gnu.so", "", 0),
        ("package/fast.cpython-311-x86_64-linux-gnu.so", "__pyx_n_s_tensorflow", 1),
        ("package/fast.txt", "", 1),
    ],
)
def test_a_compiled_module(file, text, left, program):
    files = {
        "train.py": f"{TF}from package.glue import nms\ntf.Session()\n",
        "package/__init__.py": "",
        "package/glue.py": "from .fast import nms\n",
        file: text,
    }
    result = program(files)
    assert [finding.code for finding in result.findings if finding.code == "T2T624"] == ["T2T624"]
    assert len(result.left) == left
    copied = [] if left else [Path(file).name]
    assert [path.name for path in result.copied if path.suffix != ".py"] == copied


@pytest.mark.parametrize(
    ("extension", "source", "left"),
    [
        ("package/setup.py: Extension('fast', ['quick.pyx'], language='c++')", "import numpy\n", 0),
        ("setup.py: Extension(name='package.fast', sources=['package/quick.pyx'])", "import numpy\n", 0),
        ("package/setup.py: Extension('fast', ['quick.pyx'])", "import tensorflow\n", 1),
        ("package/setup.py: # Extension('fast', ['quick.pyx'])", "import numpy\n", 1),
        ("package/setup.py: Extension('fast', ['quick.pyx', 'lost.cu'])", "import numpy\n", 1),
        ("setup.py: Extension('fast', ['package/quick.pyx'])", "import numpy\n", 1),
    ],
)
def test_a_module_that_a_setup_builds_of_a_file_with_another_name(extension, source, left, program):
    setup, _, text = extension.partition(": ")
    files = {
        "train.py": f"{TF}from package.fast import nms\ntf.Session()\n",
        "package/__init__.py": "",
        "package/quick.pyx": source,
        setup: f"ext_modules = [\n    {text}\n]\n",
    }
    result = program(files)
    assert len(result.left) == left
    copied = [path.name for path in result.copied if path.name in ("quick.pyx", "setup.py")]
    assert copied == ([] if left else ["quick.pyx", "setup.py"])


@pytest.mark.parametrize(
    ("proto", "left"),
    [
        ({"package/fast.proto": 'syntax = "proto2";\npackage tensorflow.models;\n'}, []),
        ({"package/fast.proto": 'import "tensorflow/core/framework/graph.proto";\n'}, ["T2T624"]),
        ({"fast.proto": 'syntax = "proto2";\n'}, ["T2T624"]),
        ({}, ["T2T624"]),
    ],
)
@pytest.mark.parametrize("module", ["fast_pb2", "fast_pb2_grpc"])
def test_a_module_that_protoc_makes(proto, left, module, program):
    files = {
        "train.py": dedent(
            """\
            import tensorflow as tf
            import package.{module}
            tf.Session()
            """
        ).format(module=module),
        "package/__init__.py": "",
        "package/other.proto": "",
    }
    assert codes(program({**files, **proto})) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("DESCRIPTOR = _descriptor.FileDescriptor(name='a.proto', serialized_pb=b'')\n", ["T2T628"]),
        ("DESCRIPTOR = _descriptor_pool.Default().AddSerializedFile(b'')\n", []),
    ],
)
@pytest.mark.parametrize(
    "line",
    # the reader is a module without TensorFlow
    ["import p.a_pb2", "from p import a_pb2", "from p.a_pb2 import DESCRIPTOR", "import reader"],
)
def test_a_module_that_an_old_protoc_made(text, left, line, program):
    head = "from google.protobuf import descriptor as _descriptor, descriptor_pool as _descriptor_pool\n"
    files = {
        "train.py": dedent(
            """\
            import tensorflow as tf
            {line}
            tf.Session()
            """
        ).format(line=line),
        "p/__init__.py": "",
        "p/a_pb2.py": head + text,
        "reader.py": "import p.a_pb2\n",
    }
    assert codes(program(files)) == left


@pytest.mark.parametrize(
    "line", ["name = {'tf': 'tensorflow'}.get(name)", "name = name.replace('tf.', 'tensorflow.')"]
)
def test_tensorflow_by_a_computed_text(line):
    text = dedent(
        """\
        import importlib
        import tensorflow as tf


        def found(name):
            {line}
            return importlib.import_module(name)


        tf.Session()
        found('os')
        """
    ).format(line=line)
    assert codes(migrated(text)) == ["T2T624"]


def test_a_program_that_python_3_can_read_keeps_its_divisions(program):
    train = TF + dedent(
        """\
        tf.Session()
        x = 1 / 2
        def f():
            import old
        """
    )
    result = program({"train.py": train, "old.py": "print 1 / 2\n"})
    assert result.status == 0
    assert "x = 1 / 2\n" in texts(result)["train.py"]
    assert texts(result)["old.py"] == "print(1 // 2)\n"


def test_python_3_imports_no_converter(tree):
    folder = tree({"train.py": "import tensorflow as tf\ntf.Session()\n"})
    code = (
        "import sys; from tf2towers.cli.main import main; status = main(['migrate', 'train.py'])\n"
        "assert not [name for name in sys.modules if 'fissix' in name or name.endswith('python2.convert')]\n"
        "sys.exit(status)"
    )
    printed("-c", code, folder=folder)


@pytest.mark.parametrize("guarded", ["import no_such_module_a", "from no_such_module_a.b import c"])
def test_a_module_the_program_can_do_without(guarded):
    text = dedent(
        """\
        import tensorflow as tf
        try:
            {guarded}
        except ImportError:
            c = None
        tf.Session()
        """
    ).format(guarded=guarded)
    result = migrated(text)
    assert result.status == 0
    assert [finding.code for finding in result.findings] == ["T2T624"]


@pytest.mark.parametrize("ends", ["print('no')\n    raise", "sys.exit('no')", "raise RuntimeError('no')"])
def test_a_module_the_program_ends_without(ends):
    text = dedent(
        """\
        import sys
        import tensorflow as tf
        try:
            import no_such_module_a
        except ImportError:
            {ends}
        tf.Session()
        """
    ).format(ends=ends)
    result = migrated(text)
    assert [(finding.code, finding.line) for finding in result.left] == [("T2T624", 4)]


@pytest.mark.parametrize(
    "end",
    [
        "\n\n\n \t\t\n",
        "\n\n   \n",
        dedent(
            """\



    """
        ),
    ],
)
def test_a_text_that_ends_in_lines_of_spaces(end):
    """LibCST gives such lines back as fewer."""
    text = f"import tensorflow as tf\nif 1:\n\tsess = tf.Session(){end}"
    assert after(text).endswith(f"sess = Session(){end}")


def test_the_edits_are_the_only_changes():
    text = (
        "import tensorflow as tf  # TF\n\n\n\nx = tf.log( 1.0 )   # a  comment\n\t\nsess=tf.Session( )\n# end"
    )
    assert after(text) == (
        "import tensorflow.compat.v1 as tf  # TF\n"
        "from tf2towers.runtime import Session, graph_mode\n\ngraph_mode()\n\n\n\n"
        "x = tf.log( 1.0 )   # a  comment\n\t\nsess=Session( )\n# end"
    )


#: the models of a program, and a module beside them
BUILDS = {"models/a.py": "1.0", "models/b.py": "2.0", "other.py": "3.0"}
MODELS = {name: f"{TF}\n\ndef build():\n    return tf.log({number})\n" for name, number in BUILDS.items()}
BOTH = {"a.py", "b.py"}


@pytest.mark.parametrize(
    ("line", "status", "reached"),
    [
        ("module = importlib.import_module('models.' + name)", 0, BOTH),
        ("module = importlib.import_module('models.%s' % name)", 0, BOTH),
        ("module = importlib.import_module(f'models.{name}')", 0, BOTH),
        ("module = importlib.import_module('.{}'.format(name), package='models')", 0, BOTH),
        ("module = importlib.import_module('..b', package='models.a')", 0, {"b.py"}),
        ("module = importlib.import_module('.'.join(['models', name]))", 0, BOTH),
        ("module = __import__('models.a')", 0, {"a.py"}),
        ("module = __import__('numpy')", 0, set()),
        ("module = imp.load_source('a', 'models/a.py')", 0, {"a.py"}),
        ("module = importlib.import_module('nets.' + name)", 1, set()),
        ("module = importlib.import_module(name)", 1, set()),
    ],
)
def test_a_module_imported_by_a_text(line, status, reached, program):
    needed = "imp" if "imp." in line else "importlib"
    files = {
        "train.py": TF
        + dedent(
            """\
            from choice import chosen
            tf.Session()
            chosen('a').build()
            """
        ),
        "choice.py": dedent(
            """\
            import {needed}


            def chosen(name):
                {line}
                return module
            """
        ).format(needed=needed, line=line),
    }
    result = program({**MODELS, **files})
    assert {change.path.name for change in result.changes} - {"choice.py"} == {"train.py", *reached}
    assert codes(result) == ["T2T624"] * status


FLAG = "tf.app.flags.DEFINE_string('model', {!r}, '')\nFLAGS = tf.app.flags.FLAGS\n"
PARSER = dedent(
    """\
    parser = argparse.ArgumentParser()
    parser.add_argument('-m', '--model', default={!r})
    FLAGS = parser.parse_args()
    """
)


@pytest.mark.parametrize(
    ("lines", "reached"),
    [
        ("module = importlib.import_module(name)\nmodule.build()", None),
        (FLAG.format("models.a") + "module = importlib.import_module(FLAGS.model)\nprint(vars(module))", BOTH),
        (PARSER.format("models.b") + "module = importlib.import_module(FLAGS.model)\nprint(vars(module))", BOTH),
        (PARSER.format("models.b") + "module = __import__(FLAGS.model, fromlist=['x'])\nprint(vars(module))", BOTH),
        (FLAG.format("other") + "module = importlib.import_module(FLAGS.model)\nprint(vars(module))", None),
        (FLAG.format("") + "module = importlib.import_module(FLAGS.model)\nprint(vars(module))", None),
        (dedent(
            """\
            import pkgutil
            for _, name, _ in pkgutil.iter_modules(['models']):
                importlib.import_module(name)
            """
        ),
         None),
        (FLAG.format("no.such") + "module = importlib.import_module(FLAGS.model)\nprint(vars(module))", None),
    ],
)  # fmt: skip
def test_the_modules_of_a_folder_that_a_computed_text_says(lines, reached, program):
    """None: which file it is shows only when the program runs."""
    train = dedent(
        """\
        import argparse, imp, importlib, os, sys
        {TF}tf.Session()
        name = sys.argv[1]
        {lines}
        """
    ).format(TF=TF, lines=lines)
    result = program({**MODELS, "train.py": train})
    assert {change.path.name for change in result.changes} == {"train.py", *(reached or ())}
    assert codes(result) == ["T2T624"] * (reached is None)


@pytest.mark.parametrize(
    ("call", "late"),
    [
        ("with Net() as net:\n    pass\n", "import os as Net\n"),  # a name that is bound again at the end
        ("nets = list(map(build, [1, 2]))\n", "import json\n"),
        ("table = lambda: tf.Session\ntools = {'run': table()}\n", "import json\n"),
        ("made = {'net': build}\nmade['net'](1)\n", "import json\n"),
    ],
)
def test_new_imports_stand_before_what_may_call_the_programs_own(call: str, late: str) -> None:
    text = dedent(
        """\
        import tensorflow as tf


        class Net:
            def __enter__(self):
                return tf.Session()

            def __exit__(self, *_):
                pass


        def build(size):
            return tf.Session()


        """
    )
    assert after(text + call + late).startswith(f"{V1}from tf2towers.runtime import Session, graph_mode\n")


def test_lambdas_in_lambdas() -> None:
    """What is looked at once for each lambda around it takes forever at 60."""
    text = f"import tensorflow as tf\nx = {'lambda: ' * 60}tf.Session\nimport json\n"
    new = after(text)
    assert new.index("import Session") < new.index("lambda")


TABLED = "import importlib\nMODELS = {'a': 'models.vgg', 'b': 'alone'}\n"
ARGPARSE = "import argparse, importlib\nparser = argparse.ArgumentParser()\n"


@pytest.mark.parametrize(
    ("lines", "status", "reached"),
    [
        (TABLED + "m = importlib.import_module(MODELS['a'])\n", 0, "models/vgg.py alone.py"),
        (TABLED + "name = MODELS.get('a')\nm = __import__(name)\n", 0, "models/vgg.py alone.py"),
        (TABLED.replace("alone", "absent") + "m = importlib.import_module(MODELS['a'])\n", 1, ""),
        (
            ARGPARSE
            + "parser.add_argument('--model', choices=['alone', 'other'])\n"
            + "m = importlib.import_module(parser.parse_args().model)\n",
            0,
            "alone.py other.py",
        ),
        ("import imp\nm = imp.load_source('m', 'models/vgg.py')\n", 0, "models/vgg.py"),
        ("import imp\nm = imp.load_source('m', 'models/%s.py' % n)\n", 0, "models/vgg.py models/res.py"),
        ("import imp, os\nm = imp.load_source('m', os.path.join('models', n + '.py'))\n", 0, "models/res.py"),
        ("import imp\nm = imp.load_source('m', 'absent/vgg.py')\n", 1, ""),
        ("import imp\nm = imp.load_source('m', n)\n", 1, ""),
        (
            ARGPARSE
            + "from importlib.util import spec_from_file_location\n"
            + "parser.add_argument('--file', default='models/vgg.py')\n"
            + "s = spec_from_file_location('m', parser.parse_args().file)\n",
            0,
            "models/vgg.py models/res.py",
        ),
    ],
)
def test_modules_that_a_table_a_flag_or_a_path_names(
    tmp_path: Path, lines: str, status: int, reached: str
) -> None:
    tower = dedent(
        """\
        import tensorflow as tf

        x = tf.placeholder(tf.float32)
        """
    )
    (tmp_path / "models").mkdir()
    for name in ("models/vgg.py", "models/res.py", "alone.py", "other.py"):
        (tmp_path / name).write_text(tower)
    (tmp_path / "models" / "__init__.py").write_text("")
    (tmp_path / "train.py").write_text(f"import sys\n{tower}n = sys.argv[1]\n{lines}")
    result = migrate(Script.read(tmp_path / "train.py"))
    assert result.status == status
    changed = {str(change.path.relative_to(tmp_path)) for change in result.changes}
    assert set(reached.split()) <= changed and (reached or changed == {"train.py"})
