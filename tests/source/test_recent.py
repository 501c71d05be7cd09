"""What is kept of the last texts: bounded by their length, the longest unused goes first."""

from __future__ import annotations

import ast
import gc
import weakref
from pathlib import Path
from textwrap import dedent

import libcst as cst

from tf2towers.codemod.meanings import Meanings
from tf2towers.codemod.tree import tree_of
from tf2towers.source.python2.reached import bindings_of, nodes_of
from tf2towers.source.recent import Recent, forget


def test_the_longest_unused_goes_first():
    kept: Recent[str] = Recent(limit=10)
    kept.keep("a", "A", 4)
    kept.keep("b", "B", 4)
    assert kept.get("a") == "A"
    kept.keep("c", "C", 4)
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == ("A", None, "C")


def test_a_text_longer_than_the_limit_is_kept_alone():
    kept: Recent[str] = Recent(limit=10)
    kept.keep("a", "A", 4)
    kept.keep("long", "L", 40)
    assert (kept.get("a"), kept.get("long")) == (None, "L")


def test_programs_share_the_tree_of_a_module_as_long_as_its_text_stays():
    path = Path("module.py")
    first = tree_of("x = 1\n", path)
    assert tree_of("x = 1\n", path) is first
    assert tree_of("x = 2\n", path) is not first
    forget()
    assert tree_of("x = 1\n", path) is not first


def test_a_tree_goes_with_what_was_found_in_it():
    tree = ast.parse("import a\nx = 1\n")
    assert nodes_of(tree) is nodes_of(tree) and bindings_of(tree) is bindings_of(tree)
    known = weakref.ref(tree)
    del tree
    gc.collect()
    assert known() is None


def test_two_programs_find_the_same_in_a_shared_tree():
    text = dedent(
        """\
        def f():
            def g():
                nonlocal x
                x = 1
            x = 0
            return [y := 2 for _ in x], y
        """
    )
    tree = tree_of(text, Path("shared.py"))
    found = [
        [(name.value, len(meanings.bindings(name))) for name in tree.all(cst.Name)]
        for meanings in (Meanings(tree), Meanings(tree))
    ]
    assert found[0] == found[1]
