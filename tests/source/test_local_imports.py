"""Which local modules a script reaches."""

from pathlib import Path
from textwrap import dedent

import pytest

from tf2towers.source.local_imports import LocalImports
from tf2towers.source.script import Script


def tree(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def reached(root: Path, script: str) -> list[str]:
    return [str(path.relative_to(root)) for path in LocalImports(Script.read(root / script)).modules]


CASES: list[tuple[str, dict[str, str], str]] = [
    # what the script says, the modules beside it, which of them it reaches
    ("import os, numpy", {}, ""),
    ("import model", {"model.py": "", "other.py": ""}, "model.py"),
    ("import model", {"model.py": "import layers", "layers.py": ""}, "model.py layers.py"),
    ("from model import loss", {"model.py": ""}, "model.py"),
    ("def f():\n  import model", {"model.py": ""}, "model.py"),
    ("import a", {"a.py": "import b", "b.py": "import a, train"}, "a.py b.py"),
    ("import net.model as m", {"net/__init__.py": "", "net/model.py": ""}, "net/__init__.py net/model.py"),
    ("from net import model", {"net/__init__.py": "", "net/model.py": ""}, "net/__init__.py net/model.py"),
    ("from net import model", {"net/model.py": ""}, "net/model.py"),
    ("import net", {"net/__init__.py": "from .m import f", "net/m.py": ""}, "net/__init__.py net/m.py"),
    ("from net import *", {"net.py": ""}, "net.py"),
    ("import net.deep.er", {"net/deep/er.py": "from .. import u", "net/u.py": ""}, "net/deep/er.py net/u.py"),
    ("from . import model", {"model.py": ""}, "model.py"),
    ("import old", {"old.py": "print 'python 2'"}, "old.py"),
    ("import tensorflow as tf", {"tensorflow/data.txt": ""}, ""),
]


@pytest.mark.parametrize(("source", "files", "expected"), CASES)
def test_which_modules_a_script_imports(
    tmp_path: Path, source: str, files: dict[str, str], expected: str
) -> None:
    tree(tmp_path, {"train.py": source, **files})
    assert reached(tmp_path, "train.py") == expected.split()


def test_from_the_root_of_the_package_the_script_is_in(tmp_path: Path) -> None:
    files = dict.fromkeys(["pkg/__init__.py", "pkg/sub/__init__.py", "pkg/util.py"], "")
    files["pkg/sub/model.py"] = "from ..util import x\n"
    train = dedent(
        """\
        from pkg.sub import model
        from pkg import util
        import model
        """
    )
    tree(tmp_path, files | {"pkg/sub/train.py": train})
    assert sorted(reached(tmp_path, "pkg/sub/train.py")) == sorted(files)


def test_imports_by_the_name_they_are_used_by(tmp_path: Path) -> None:
    train = dedent(
        """\
        import net.model
        from . import data
        import os
        """
    )
    tree(tmp_path, {"train.py": train, "net/__init__.py": "", "net/model.py": "", "data.py": ""})
    imports = LocalImports(Script.read(tmp_path / "train.py"))
    found = {"net.model": tmp_path / "net/model.py", ".data": tmp_path / "data.py"}
    assert imports.imports_of(tmp_path / "train.py") == found
    assert imports.imports_of(tmp_path / "data.py") == {}


def test_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, {"a/train.py": "import model\n", "a/model.py": ""})
    monkeypatch.chdir(tmp_path)
    assert LocalImports(Script.read("a/../a/train.py")).modules == [tmp_path / "a/model.py"]


def test_the_package_of_the_script_imports_it(tmp_path: Path) -> None:
    tree(tmp_path, {
        "pkg/__init__.py": "from .train import main\nfrom . import extra\n",
        "pkg/train.py": "from shared import model\n", "pkg/extra.py": "import tensorflow as tf\n",
        "shared/__init__.py": "", "shared/model.py": "from pkg.train import BATCH\n",
    })  # fmt: skip
    found = LocalImports(Script.read(tmp_path / "pkg/train.py"))
    names = [str(path.relative_to(tmp_path)) for path in found.modules]
    assert names == ["shared/__init__.py", "shared/model.py", "pkg/__init__.py", "pkg/extra.py"]
    script = tmp_path / "pkg/train.py"
    assert found.imports_of(tmp_path / "pkg/__init__.py")[".train"] == script
    assert found.imports_of(tmp_path / "shared/model.py")["pkg.train"] == script


#: what a file says about sys.path, and where the module that it imports lies
PATHS = [
    (
        dedent(
            """\
            def f():
              lib = HERE + '/lib'
              sys.path.append(lib)
            f()"""
        ),
        "lib",
    ),
    ("sys.path.insert(0, '%s/lib' % HERE)", "lib"),
    ("sys.path.append(f'{HERE}/lib')", "lib"),
    ("sys.path.append('other')", "../other"),  # started in the folder above
    ("sys.path.append(os.getcwd())", ".."),
]


@pytest.mark.parametrize(("source", "folder"), PATHS)
def test_folders_of_sys_path(tmp_path: Path, source: str, folder: str) -> None:
    start = "import os, sys\nHERE = os.path.dirname(os.path.abspath(__file__))\n"
    home = tmp_path / "tools"
    tree(home, {"train.py": f"{start}{source}\nimport net\n"})
    tree((home / folder).resolve(), {"net.py": ""})
    assert LocalImports(Script.read(home / "train.py")).modules == [(home / folder / "net.py").resolve()]


def test_a_module_adds_a_folder_for_those_before_it(tmp_path: Path) -> None:
    files = {
        "train.py": "import _init_paths\nfrom net.model import loss\n",
        "_init_paths.py": dedent(
            """\
            import os.path as osp, sys
            this_dir = osp.dirname(__file__)
            lib_path = osp.join(this_dir, '..', 'lib')
            sys.path.insert(0, lib_path)
            """
        ),
    }
    tree(tmp_path / "tools", files)
    tree(tmp_path / "lib", {"net/model.py": ""})
    found = LocalImports(Script.read(tmp_path / "tools" / "train.py")).modules
    assert {path.name for path in found} == {"_init_paths.py", "model.py"}


INSTALLED = [
    # the files of a project, the script, the modules that it reaches
    ({"setup.py": "setup(name='net', packages=['net'])", "net/__init__.py": "", "net/model.py": "",
      "bin/train.py": "from net import model"}, "bin/train.py", ["net/__init__.py", "net/model.py"]),
    ({"setup.py": "setup(package_dir={'': 'lib'})", "lib/net/__init__.py": "", "net/__init__.py": "",
      "train.py": "import net"}, "train.py", ["net/__init__.py"]),
    ({"setup.py": "setup(package_dir={'': 'lib'})", "lib/net/__init__.py": "",
      "bin/train.py": "import net"}, "bin/train.py", ["lib/net/__init__.py"]),
    ({"net/tools/train.py": "from net.tools import data", "net/tools/data.py": "import net.model",
      "net/model.py": ""}, "net/tools/train.py", ["net/tools/data.py", "net/model.py"]),
    ({"bin/train.py": "import model", "model.py": ""}, "bin/train.py", []),  # nothing says so
]  # fmt: skip


@pytest.mark.parametrize(("files", "script", "modules"), INSTALLED)
def test_what_a_project_installs(
    tmp_path: Path, files: dict[str, str], script: str, modules: list[str]
) -> None:
    tree(tmp_path, files)
    assert reached(tmp_path, script) == modules


def test_folders_of_a_configuration_and_by_a_function(tmp_path: Path) -> None:
    config = dedent(
        """\
        import os.path as osp
        import sys


        class Config:
            here = osp.dirname(osp.abspath(__file__))
            root = osp.join(here, '..')


        cfg = Config()
        sys.path.insert(0, osp.join(cfg.root, 'lib'))
        from tools import add
        add(osp.join(Config.root, 'data'))
        import dataset
        """
    )
    files = {
        "main/train.py": "import config, model",
        "main/config.py": config,
        "lib/tools.py": dedent(
            """\
            import sys


            def add(path):
                if path not in sys.path:
                    sys.path.append(path)
            """
        ),
        "lib/model.py": "",
        "data/dataset.py": "",
    }
    tree(tmp_path, files)
    wanted = ["data/dataset.py", "lib/model.py", "lib/tools.py", "main/config.py"]
    assert sorted(reached(tmp_path, "main/train.py")) == wanted


def test_a_package_above_the_script(tmp_path: Path) -> None:
    files = dict.fromkeys(["pkg/__init__.py", "pkg/envs/__init__.py", "pkg/envs/game.py"], "")
    main = dedent(
        """\
        from pkg.envs import game
        import pkg.absent
        import other
        """
    )
    tree(tmp_path, {**files, "scripts/training/worker.py": main, "other.py": ""})
    assert sorted(reached(tmp_path, "scripts/training/worker.py")) == sorted([*files, "other.py"])
