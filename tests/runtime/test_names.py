"""The names that a migrated script imports."""

from pathlib import Path

from tf2towers import runtime


def test_no_module_takes_a_names_place() -> None:
    """`from tf2towers.runtime import towers` gives a module that is named so, once anything has loaded it."""
    modules = {path.stem for path in Path(runtime.__file__).parent.iterdir()}
    assert modules & set(runtime.__all__) == set()
