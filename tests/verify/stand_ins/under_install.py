"""Everything that wants a process in which `install()` was called: `python under_install.py FOLDER OUT`.

OUT is a JSON object: "scripts", script name -> what it printed, or its error; "names", what of the tables does not
resolve.
"""

import contextlib
import io
import json
import os
import runpy
import sys
import traceback
from pathlib import Path

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

from tf2towers.verify.recorder import placement
from tf2towers.verify.stand_ins import install

install(placement.install)
import tensorflow as tf  # noqa: E402


def run_script(path: Path) -> str:
    """What the script printed; its traceback after that."""
    tf.reset_default_graph()
    printed = io.StringIO()
    sys.argv = [str(path)]
    with contextlib.redirect_stdout(printed):
        try:
            runpy.run_path(str(path), run_name="__main__")
        except Exception:
            traceback.print_exc(file=printed)
    return printed.getvalue()


def unresolved() -> list[str]:
    """The names of the tables that a script cannot reach, as `tf.a.b.c` and as `from tensorflow.a.b import c`."""
    missing = []
    tables = (Path(__file__).parents[3] / "tables" / name for name in ("runtime.tsv", "renames.tsv"))
    rows = [line for table in tables for line in table.read_text(encoding="utf-8").splitlines()[1:]]
    for canonical in sorted({row.partition("\t")[0] for row in rows if row}):
        parent, _, name = canonical.rpartition(".")
        for reach in (canonical, f"from tensorflow{parent[2:]} import {name}"):
            try:
                exec(reach, {"tf": tf})
            except Exception as error:
                missing.append(f"{reach}: {error}")
    return missing


def main(folder, out):
    os.chdir(folder)
    found = {
        "scripts": {path.stem: run_script(path) for path in sorted(Path(folder).glob("*.py"))},
        "names": unresolved(),
    }
    Path(out).write_text(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
