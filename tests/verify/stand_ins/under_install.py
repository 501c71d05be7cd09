"""Everything that wants a process in which `install()` was called: `python under_install.py FOLDER OUT`.

OUT is a JSON object: "scripts", script name -> what it printed, or its error; "cases", case of tests/runtime -> what
differs from TF 1.15; "names", what of the tables does not resolve.
"""

import contextlib
import functools
import importlib
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

RUNTIME = Path(__file__).parents[2] / "runtime"
sys.path.insert(0, str(RUNTIME))


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


def differences() -> dict[str, str]:
    """The cases of tests/runtime built as TF1 does, in a graph and a session, against what TF 1.15 wrote down."""
    from cases import running

    found = {}
    api = running.Api(tf, tf.layers, tf.contrib.slim, tf.contrib.layers, Rnn())
    for kind in ("layer", "slim", "rnn"):
        cases = importlib.import_module(f"cases.{kind}_cases").CASES
        goldens = json.loads((RUNTIME / "goldens" / f"{kind.replace('layer', 'layers')}.json").read_text())
        for title, case in cases.items():
            try:
                compare(in_session(case, api, running), goldens[title], running)
            except Exception as error:
                found[f"{kind}: {title}"] = f"{type(error).__name__}: {error}"
    return found


class Rnn:
    """tf.nn's loops and tf.contrib.rnn's cells, under one name as in `tf2towers.runtime.rnn`."""

    def __getattr__(self, name):
        for module in (tf.nn.rnn_cell, tf.contrib.rnn, tf.nn):
            if hasattr(module, name):
                value = getattr(module, name)
                # rounds of a loop in a session overlap, and dropout then draws in either order
                return functools.partial(value, parallel_iterations=1) if name == "dynamic_rnn" else value
        raise AttributeError(name)


def in_session(case, api, running):
    """As `make_goldens.golden`, which ran in TF 1.15."""
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [
            tf.placeholder_with_default(running.fixed(f"input{i}", shape), shape)
            for i, shape in enumerate(case.shapes)
        ]
        fetches = running.build(case, api, inputs)
        session.run(tf.global_variables_initializer())
        variables = tf.global_variables()
        if not case.keep_initial:
            for variable in variables:
                variable.load(
                    running.fixed(running.variable_name(variable), variable.shape.as_list()), session
                )
        found = running.facts(api, fetches)
        found["variables"] = [
            [running.variable_name(variable), variable.shape.as_list()] for variable in variables
        ]
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS) + tf.get_collection("elsewhere")
        found["values"], _ = session.run([fetches, updates if case.one_run else []])
        for update in [] if case.one_run else updates:
            session.run(update)
        trainable = set(found["trainable"])
        after = {
            name: variable
            for variable in variables
            if (name := running.variable_name(variable)) not in trainable
        }
        found["after"] = session.run(after)
        return found


def compare(found, golden, running):
    """Names, scopes and shapes exactly; numbers to 1e-4 of the largest of their kind."""
    for fact in ("variables", "trainable", "model_variables", "updates", "operations", "shapes"):
        assert found[fact] == golden[fact], f"{fact}: {found[fact]} != {golden[fact]}"
    for kind in ("values", "after"):
        assert sorted(found[kind]) == sorted(golden[kind]), kind
        largest = max((value["norm"] for value in golden[kind].values()), default=0.0)
        for name, expected in golden[kind].items():
            actual = running.digest(found[kind][name])
            assert actual["shape"] == expected["shape"], name
            tolerance = 1e-4 * max(expected["norm"], 0.01 * largest) + 1e-7
            apart = max(
                abs(a - b)
                for a, b in zip(
                    [actual["norm"], *actual["some"]], [expected["norm"], *expected["some"]], strict=True
                )
            )
            assert apart <= tolerance, f"{kind} {name}: {apart} apart"


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
        "cases": differences(),
        "names": unresolved(),
    }
    Path(out).write_text(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
