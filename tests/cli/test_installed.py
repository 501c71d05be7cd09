"""A command whose needs are not installed says so in one sentence, with what installs them; its help is there."""

import sys
from pathlib import Path
from textwrap import dedent

from tests.runtime.tasks import run_python
from tf2towers.cli.main import main

from .conftest import Capture, Put

#: an interpreter without them: no such module is found, and none may be imported
BARE = """
import sys
from importlib.abc import MetaPathFinder
gone = {"tensorflow", "numpy", "keras", "matplotlib", "tqdm", "sklearn"}
class Nothing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in gone:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Nothing())
from importlib import util
import tf2towers.cli.running as installed
installed.find_spec = lambda name: None if name in gone else util.find_spec(name)
from tf2towers.cli.main import main
for line in sys.argv[1:]:
    print(main(line.split()), file=sys.stderr)
"""
COMMANDS = ["migrate", "explain", "rules", "verify", "launch", "compare"]


def test_without_the_extras(put: Put) -> None:
    put("a.py", "import tensorflow as tf\ntf.Session()\n")
    lines = [f"{command} --help" for command in COMMANDS]
    lines += ["verify a.py a.py", "compare a.py a.py --report r"]
    lines += ["migrate --verify a.py -o out", "migrate a.py -o out"]
    _, errors = run_python("-c", BARE, *lines)
    assert "Traceback" not in errors, errors
    *helps, verify, two, compare, two_again, migrate, two_more, _, wrote, zero = errors.splitlines()
    assert helps == ["0"] * len(COMMANDS) and [two, two_again, two_more, zero] == ["2", "2", "2", "0"]
    missing = "tensorflow and numpy are not"
    assert verify.startswith(f"tf2towers verify: {missing} installed here; this installs what ")
    assert f"{sys.executable} -m pip install 'tf2towers[all]'" in verify
    assert "tensorflow and matplotlib are not installed" in compare
    assert migrate.startswith(f"tf2towers migrate: {missing}")
    assert wrote == "wrote out/a.py"


def test_what_cannot_be_run_says_what_to_do(put: Put, capsys: Capture) -> None:
    put("old.py", "import tensorflow as tf\nprint tf.Session(), 7 / 2\n")
    put("new.py", "")
    put("a.ipynb", "{}")
    for command in ("compare", "verify"):
        assert main([command, "a.ipynb", "new.py"]) == 2
        assert "a.ipynb: this is not a notebook, or it has an old format" in capsys.readouterr().err
    for words in (["compare", "new.py", "old.py"], ["verify", "new.py", "old.py"]):
        assert main(words) == 2
        assert "`tf2towers migrate --python3 -o DIR old.py` writes it in Python 3" in capsys.readouterr().err
    assert main(["migrate", "--python3", "-o", "out", "old.py"]) == 0
    assert "(in Python 3 now, and with TF 1 as before)" in capsys.readouterr().err
    assert Path("out/old.py").read_text() == "import tensorflow as tf\nprint(tf.Session(), 7 // 2)\n"
    put(
        "old.py",
        dedent(
            """\
        import tensorflow as tf
        print tf.Session()
        def half(x):
            print x / 2
        """
        ),
    )
    assert main(["migrate", "--python3", "-o", "alone", "old.py"]) == 0
    assert "requirements" not in capsys.readouterr().err
    assert "import python2_division" in Path("alone/old.py").read_text()
    assert Path("alone/tf2towers/runtime/python2.py").exists()  # so that it runs where TF 1 does
