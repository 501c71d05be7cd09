"""The committed tables are what the generator yields from the installed TensorFlow; their targets exist."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tf2towers.exact.lookup import own, taken_arguments
from tf2towers.names.tables import lookup, read_table

ROOT = Path(__file__).parents[2]
needs_tensorflow = pytest.mark.tensorflow


@needs_tensorflow
def test_tables_are_up_to_date() -> None:
    pytest.importorskip("tensorflow")
    environment = {name: value for name, value in os.environ.items() if name != "TF_USE_LEGACY_KERAS"}
    command = [sys.executable, str(ROOT / "tables" / "make_symbols.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr


@needs_tensorflow
def test_hand_kept_targets_exist_and_take_the_keywords() -> None:
    tf = pytest.importorskip("tensorflow")
    import inspect

    for name, target, _, _ in read_table("renames.tsv"):
        assert _reach(tf, target) is not None, name
    for name, old, new, accepted in read_table("keywords.tsv"):
        target = lookup(name).target
        assert isinstance(target, str)
        parameters = inspect.signature(_reach(tf, target)).parameters
        assert new in parameters or not new, name
        if (name, old) != ("tf.sparse_concat", "concat_dim"):  # taken, but axis is asked for, too
            assert (old in parameters) == (accepted == "yes"), (name, old)
    for name, order, _, _, _ in read_table("argument_orders.tsv"):
        target = lookup(name).target
        assert isinstance(target, str)
        assert set(order.split(",")) <= set(inspect.signature(_reach(tf, target)).parameters), name


@needs_tensorflow
def test_functions_take_the_arguments_of_the_table() -> None:
    """The table has what the oldest TensorFlow takes as well, so it may have less."""
    pytest.importorskip("tensorflow")
    environment = {name: value for name, value in os.environ.items() if name != "TF_USE_LEGACY_KERAS"}
    command = [sys.executable, str(ROOT / "tables" / "make_arguments.py")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    rows = dict(row.split("\t") for row in done.stdout.splitlines()[1:])
    tables = {name: taken_arguments(name) for name in rows}
    assert sum(known is not None for known in tables.values()) > 1500
    for name, known in tables.items():
        assert known is None or [word for word in rows[name].split() if word in known] == list(known), name


@needs_tensorflow
def test_generated_functions_are_there_without_references() -> None:
    """Those of `gen_*_ops` that the table has: `tables/make_generated.py` compares them with TF 1.15's, too."""
    pytest.importorskip("tensorflow")
    import inspect

    table = ROOT / "tf2towers" / "exact" / "data" / "generated.tsv"
    count = 0
    for row in table.read_text().splitlines()[1:]:
        module, names = row.split("\t")
        for name in names.split():
            function = inspect.unwrap(_reach(None, f"tensorflow{module[2:]}.{name}"))
            assert "is a ref." not in inspect.getsource(function), (module, name)
            count += 1
    assert count > 1000


@needs_tensorflow
def test_targets_exist() -> None:
    """Those of our runtime, of tf_keras and tf_slim: what a migrated script imports is there to be imported."""
    pytest.importorskip("tensorflow")
    from tf2towers.runtime.graph_session.private import tf_slim_finds_its_names

    tf_slim_finds_its_names()
    homes = {(module, name) for _, module, name in read_table("runtime.tsv")}
    homes |= {(target.module, target.name) for target in own().values()}
    assert len(homes) > 400
    missing = []
    for module, name in sorted(homes):
        value: object = importlib.import_module(module)
        for part in name.split("."):
            try:
                value = getattr(value, part)
            except AttributeError:
                try:
                    value = importlib.import_module(f"{module}.{part}")
                except ImportError:
                    missing.append((module, name))
    assert missing == []


def _reach(root: object, dotted: str) -> object:
    if dotted.startswith("tensorflow."):  # of a module that has no public name
        module, _, name = dotted.rpartition(".")
        return getattr(importlib.import_module(module), name)
    for part in dotted.split(".")[1:]:
        root = getattr(root, part)
    return root
