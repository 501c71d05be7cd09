"""The committed tables are what the generator yields from the installed TensorFlow; their targets exist."""

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest
from codemod_texts import printed, table

from tf2towers.codemod.symbols import PARTS, find_replacement, read_table, symbol_table, taken_arguments
from tf2towers.codemod.tables import library_changes

ROOT = Path(__file__).parents[2]
needs_tensorflow = pytest.mark.tensorflow


@needs_tensorflow
def test_tables_are_up_to_date() -> None:
    pytest.importorskip("tensorflow")
    printed(ROOT / "tables" / "dump_tf2.py", "--check")


def test_the_table_of_symbols_is_up_to_date() -> None:
    printed(ROOT / "tables" / "make_symbols.py", "--check")


@needs_tensorflow
def test_hand_kept_targets_exist_and_take_the_keywords() -> None:
    tf = pytest.importorskip("tensorflow")
    import inspect

    for name, target, _, _ in table("renames.tsv"):  # a migrated script's `tf` is `tensorflow.compat.v1`
        assert _reach(tf.compat.v1, target) is not None, name
    for name, old, new, accepted in read_table("data/keywords.tsv"):
        parameters = inspect.signature(_what_stands_for(tf, name)).parameters
        takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
        assert new in parameters or takes_any or not new, name
        if (name, old) != ("tf.sparse_concat", "concat_dim"):  # taken, but axis is asked for, too
            assert takes_any or (old in parameters) == (accepted == "yes"), (name, old)
    for name, order, _, _, _ in read_table("data/argument_orders.tsv"):
        parameters = inspect.signature(_what_stands_for(tf, name)).parameters
        assert set(order.split(",")) <= set(parameters), name


@needs_tensorflow
def test_functions_take_the_arguments_of_the_table() -> None:
    """The table has what the oldest TensorFlow takes as well, so it may have less."""
    pytest.importorskip("tensorflow")
    made = printed(ROOT / "tables" / "make_arguments.py")
    rows = dict(row.split("\t") for row in made.splitlines()[1:])
    tables = {name: taken_arguments(name) for name in rows}
    assert sum(known is not None for known in tables.values()) > 1500
    for name, known in tables.items():
        assert known is None or [word for word in rows[name].split() if word in known] == list(known), name


@needs_tensorflow
def test_generated_functions_are_there_without_references() -> None:
    """Those of `gen_*_ops` that the table has: `tables/make_generated.py` compares them with TF 1.15's, too."""
    pytest.importorskip("tensorflow")
    import inspect

    count = 0
    for module, kind, *names in read_table("data/private_names.tsv"):
        for name in names[0].split() if kind == "generated" else ():
            function = inspect.unwrap(_reach(None, f"tensorflow{module[2:]}.{name}"))
            assert "is a ref." not in inspect.getsource(function), (module, name)
            count += 1
    assert count > 1000


def test_the_runtime_has_what_its_parts_have() -> None:
    """Scripts import the names of the runtime's parts from the runtime itself."""
    from tf2towers import runtime

    rows = [row.target.replace(":", ".") for row in symbol_table().values() if row.kind == "runtime"]
    rows += [change.target for change in library_changes().values() if change.is_in_runtime]
    names = {row[len(part) + 1 :].partition(".")[0] for row in rows for part in PARTS if row.startswith(part)}
    assert len(names) > 20 and names <= {*runtime.__all__}


@needs_tensorflow
def test_targets_exist() -> None:
    """Those of our runtime, of tf_keras and tf_slim: what a migrated script imports is there to be imported."""
    pytest.importorskip("tensorflow")
    from tf2towers.runtime.patches.slim import tf_slim_finds_its_names

    tf_slim_finds_its_names()
    homes = {row.target for row in symbol_table().values() if row.kind in ("runtime", "session")}
    assert len(homes) > 400
    missing = []
    for home in sorted(homes):
        module, _, name = home.partition(":")
        value: object = importlib.import_module(module)
        for part in filter(None, name.split(".")):
            try:
                value = getattr(value, part)
            except AttributeError:
                try:
                    value = importlib.import_module(f"{module}.{part}")
                except ImportError:
                    missing.append(home)
    assert missing == []


def _what_stands_for(tf: object, name: str) -> Callable[..., object]:
    """The function that a migrated script calls for one of TF 1."""
    found = find_replacement(name)
    if found.runtime is not None:
        return _reach(importlib.import_module(found.runtime.module), f"home.{found.runtime.name}")
    if found.kind == "private":
        module, _, function = found.target.rpartition(".")
        return getattr(importlib.import_module(module), function)
    return _reach(tf.compat.v1, found.target)


def _reach(root: object, dotted: str) -> object:
    if not dotted.startswith(("tf.", "home.")):  # of the runtime, or of a module that has no public name
        module, _, name = dotted.replace(":", ".").rpartition(".")
        return getattr(importlib.import_module(module), name)
    for part in dotted.split(".")[1:]:
        root = getattr(root, part)
    return root
