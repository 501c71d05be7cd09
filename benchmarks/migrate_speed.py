"""Measures `tf2towers migrate` against LibCST's own work on the same files, for docs/performance.md.

    python benchmarks/migrate_speed.py [--pairs N] [SCRIPT ...]
    python benchmarks/migrate_speed.py [--pairs N] --tree FOLDER

LibCST's own work is the lower limit: it parses every file that `migrate` parses, resolves scopes,
qualified names, parents and positions, and generates the code. Both are measured in one process
that has done the work before (warm), and as whole processes, with all their imports. They run in
turn, and the result is the median of the ratios of each pair's processor time, so that a change of
the machine's speed does not matter. Processes load byte code, as those of an installed package do,
whatever PYTHONDONTWRITEBYTECODE says.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import libcst as cst
from libcst.metadata import (
    ExpressionContextProvider,
    MetadataWrapper,
    ParentNodeProvider,
    PositionProvider,
    QualifiedNameProvider,
    ScopeProvider,
)

ROOT = Path(__file__).parents[1]
PROVIDERS = (
    ScopeProvider, ExpressionContextProvider, QualifiedNameProvider, ParentNodeProvider, PositionProvider,
)  # fmt: skip
#: upper limits for the ratio, and for the seconds of a folder without TF 1
RATIO, TREE_SECONDS = 1.3, 5.0
TREE_FILES = 1_000
LINES = (1_000, 3_000, 10_000)
BYTE_CODE = tempfile.TemporaryDirectory()
TITLE = "## `tf2towers migrate`, by LibCST's own work"

LAYER = """

def layer_{number}(x, units):
    # a layer that nothing calls
    with tf.variable_scope('layer_{number}'):
        weights = tf.get_variable('weights', [x.get_shape()[1].value, units])
        biases = tf.get_variable('biases', [units], initializer=tf.zeros_initializer())
        return tf.nn.relu(tf.nn.xw_plus_b(x, weights, biases))
"""

#: the program that does LibCST's own work in a process, with the same garbage collector thresholds
#: as `migrate`
FLOOR = """
import gc, sys
gc.set_threshold(100_000, 20, 100)
import libcst as cst
from libcst.metadata import (
    ExpressionContextProvider, MetadataWrapper, ParentNodeProvider, PositionProvider, QualifiedNameProvider,
    ScopeProvider,
)
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        wrapper = MetadataWrapper(cst.parse_module(file.read()), unsafe_skip_copy=True)
    wrapper.resolve_many((
        ScopeProvider, ExpressionContextProvider, QualifiedNameProvider, ParentNodeProvider, PositionProvider,
    ))
    wrapper.module.code
"""


def seconds(command: list[str], statuses: tuple[int, ...] = (0,)) -> float:
    """Processor seconds (user and system) of one process, and of the processes that it has waited for.

    Raises:
        subprocess.CalledProcessError: the process ended with another status.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    cached = os.environ | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": BYTE_CODE.name}
    done = subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, env=cached
    )
    if done.returncode not in statuses:
        raise subprocess.CalledProcessError(done.returncode, command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_long_script(folder: Path, lines: int) -> Path:
    """Writes the CIFAR-10 tower trainer with layers added up to a number of lines, and the modules that it imports."""
    text = (ROOT / "legacy/cifar10_towers.py").read_text()
    start = text.index("\ndef tower_loss")
    count = max(0, lines - text.count("\n")) // LAYER.count("\n")
    layers = "".join(LAYER.format(number=number) for number in range(count))
    script = folder / f"lines_{lines}.py"
    script.write_text(text[:start] + layers + text[start:])
    for module in ("cifar10_model.py", "trainer_data.py"):
        (folder / module).write_text((ROOT / "legacy" / module).read_text())
    return script


def migrate_once(script: Path) -> None:
    """Migrates a script in this process, without the command line, and without what was kept of the last time."""
    from tf2towers.codemod.migrate import migrate
    from tf2towers.source.recent import forget
    from tf2towers.source.script import Script

    forget()
    migrate(Script.read(script))


def files_parsed(script: Path) -> list[Path]:
    """The files that LibCST parses during the migration of a script."""
    from tf2towers.codemod.tree import Tree

    found: list[Path] = []
    make = Tree.__init__

    def noted(tree: Tree, text: str, path: Path) -> None:
        found.append(path)
        make(tree, text, path)

    with mock.patch.object(Tree, "__init__", noted):
        migrate_once(script)
    return found


def resolve_once(files: list[Path]) -> None:
    """Does LibCST's own work on some files."""
    for path in files:
        wrapper = MetadataWrapper(cst.parse_module(path.read_text(encoding="utf-8")), unsafe_skip_copy=True)
        wrapper.resolve_many(PROVIDERS)
        assert wrapper.module.code


def processor_seconds(work: Callable[[], object]) -> float:
    """Processor seconds of some work in this process."""
    before = time.process_time()
    work()
    return time.process_time() - before


def _ratio(pairs: list[tuple[float, float]]) -> str:
    """The table's cells for some pairs: both medians, and the median of the ratios."""
    floor, taken = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(after / before for before, after in pairs)
    return f"{floor:.2f} | {taken:.2f} | **{ratio:.2f}**"


def row(script: Path, pairs: int) -> str:
    """The row of the table for a script."""
    files = files_parsed(script)
    names = ["-c", FLOOR, *map(str, files)]
    floor, migrate = [sys.executable, *names], [sys.executable, "-m", "tf2towers", "migrate", str(script)]
    resolve_once(files), seconds(floor), seconds(migrate)  # fills the caches
    warm = [
        (processor_seconds(lambda: resolve_once(files)), processor_seconds(lambda: migrate_once(script)))
        for _ in range(pairs)
    ]
    whole = [(seconds(floor), seconds(migrate)) for _ in range(pairs)]
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in files)
    return f"| {script.name} | {len(files)} | {lines:,} | {_ratio(warm)} | {_ratio(whole)} |"


def tree_seconds(folder: Path) -> tuple[float, int]:
    """Processor seconds for a folder without TF 1 (Python's modules, and the trainers of `modern`), and its bytes."""
    shutil.copytree(ROOT / "modern", folder / "modern", ignore=shutil.ignore_patterns("__pycache__"))
    count = len(list(folder.rglob("*.py")))
    library = Path(sysconfig.get_path("stdlib"))
    sources = [path for path in sorted(library.rglob("*.py")) if "site-packages" not in path.parts]
    for number, source in enumerate(sources[: TREE_FILES - count]):
        place = folder / f"part_{number // 20:02d}"
        place.mkdir(exist_ok=True)
        shutil.copyfile(source, place / f"{number:03d}_{source.name}")
    size = sum(path.stat().st_size for path in folder.rglob("*.py"))
    command = [sys.executable, "-m", "tf2towers", "migrate", str(folder)]
    return statistics.median(seconds(command) for _ in range(3)), size


def in_page(page: str) -> str:
    """The part that a page has, without what follows; empty where it has none."""
    found = re.search(rf"{re.escape(TITLE)}\n.*?(?=\n## |\Z)", page, re.DOTALL)
    return found[0].rstrip("\n") if found else ""


def section(pairs: int = 5, scripts: list[Path] | None = None) -> str:
    """The part of docs/performance.md, as Markdown."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = [write_long_script(folder, lines) for lines in LINES]
        wanted = scripts or [ROOT / "legacy/cifar10_towers.py", *made]
        rows = [row(script, pairs) for script in wanted]
        tree, size = tree_seconds(folder / "tree")
    return f"""{TITLE}

`benchmarks/migrate_speed.py`, on {datetime.date.today()}: processor seconds, medians of {pairs} pairs.
LibCST's own work is to parse every file that `migrate` parses, to resolve scopes, qualified names, parents and
positions, and to generate the code.
A ratio of at most {RATIO} is what we ask for. `lines_N.py` is the CIFAR-10 trainer with layers up to N lines.

| script | files | lines | LibCST, warm | migrate | ratio | LibCST, process | migrate | ratio |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
{chr(10).join(rows)}

A tree of {TREE_FILES:,} files without TF 1 ({size / 1e6:.1f} MB: Python's library and `modern/`) takes {tree:.1f} s,
where at most {TREE_SECONDS:.0f} s is what we ask for.
"""


def folder_line(folder: Path, pairs: int) -> str:
    """The ratio for all scripts of a folder together, whose shared modules LibCST reads once."""
    files: list[Path] = []
    for path in sorted(folder.rglob("*.py")):
        with contextlib.suppress(cst.ParserSyntaxError, UnicodeDecodeError):  # Python 2, mostly
            cst.parse_module(path.read_text(encoding="utf-8"))
            files.append(path)
    command = [sys.executable, "-m", "tf2towers", "migrate", "-j", "1", "--no-diff", str(folder)]
    floor = [sys.executable, "-c", FLOOR, *map(str, files)]
    whole = [(seconds(floor), seconds(command, (0, 1))) for _ in range(pairs)]
    return f"| {folder.name} | {len(files)} | LibCST, process | migrate | ratio |\n| | | {_ratio(whole)} |"


def main() -> None:
    """Prints the section, or the line of a folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scripts", nargs="*", type=Path)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--tree", type=Path, help="a folder of scripts")
    options = parser.parse_args()
    if options.tree is not None:
        print(folder_line(options.tree, options.pairs))
    else:
        print(section(options.pairs, options.scripts))


if __name__ == "__main__":
    main()
