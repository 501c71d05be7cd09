"""T2T605: the towers are the replicas of a strategy, and their loop is a replica function."""

from __future__ import annotations

from collections.abc import Iterator

from tf2towers.codemod.edits import Edit
from tf2towers.codemod.file import File
from tf2towers.codemod.rule import Rule
from tf2towers.codemod.towers.writing import written


def edits(file: File) -> Iterator[Edit]:
    """A strategy with its scope, and a replica function or a loop over the towers, for each tower loop."""
    yield from written(file).edits


RULE = Rule(
    code="T2T605",
    title="The towers are the replicas of a strategy",
    why="""
    A loop that enters `tf.device` with a GPU of each round is the tower loop. Its devices make a `TowerStrategy`, a
    `tf.distribute.MirroredStrategy` whose replicas are the towers. The scope of the strategy stands where
    `with tf.device('/cpu:0')` stood around the loop, if what it is made of is known there; else it is added to the
    `with` that makes the graph, or stands around the towers. The loop's body becomes a function that `strategy.run`
    calls for each tower, in order: by the scopes of its names alone. A name that is read after the loop is returned,
    the last tower's, or `nonlocal`. A loop that would not certainly be the same as a function stays one, over
    `strategy.towers(...)`. Where the number of towers is not seen, `TowerStrategy()` takes those that the graph names.
    """,
    edits=edits,
    sources=("tf.distribute.MirroredStrategy",),
    examples=(),
)
