"""Runs a script unedited and reports each of its training steps: a JSON line each, on a pipe.

    python tf2towers/compare/watch/__main__.py [--tf1] [--same-draws] SCRIPT [ARGS]

`--tf1`: the script is one of TensorFlow 1, and TensorFlow 2 has to be that for it. `--same-draws`: both sides build
the same graph, and draw the same first weights if each operation is seeded by its name scope. For the environment see
`lines`.
"""

import os
import runpy
import sys
from typing import List


def main(arguments: List[str]) -> None:
    """Runs the script as `__main__`; what it raises goes on, SystemExit too."""
    flags = []
    while arguments[0] in ("--tf1", "--same-draws"):
        flags.append(arguments[0])
        arguments = arguments[1:]
    script, rest = arguments[0], arguments[1:]
    del sys.path[0]  # this file's folder
    steps, prepare = _load()
    prepare(steps, "--tf1" in flags, "--same-draws" in flags)
    sys.argv = [script, *rest]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    try:
        runpy.run_path(script, run_name="__main__")
    finally:
        steps.end()


def _load():  # type: ignore[no-untyped-def]
    """What watches. The folder of this package stays off the path: it may be another Python's site-packages."""
    root = os.path.abspath(__file__)
    for _ in range(4):
        root = os.path.dirname(root)
    sys.path.append(root)
    from tf2towers.compare.watch.lines import Lines
    from tf2towers.compare.watch.preparation import prepare
    from tf2towers.compare.watch.steps import Steps

    sys.path.pop()
    return Steps(Lines.from_environment()), prepare


if __name__ == "__main__":
    main(sys.argv[1:])
