"""Parents, contexts and places of nodes are those of LibCST's providers, for each kind of statement and expression."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import (
    Assignment,
    ByteSpanPositionProvider,
    ExpressionContextProvider,
    MetadataWrapper,
    ParentNodeProvider,
    Scope,
    ScopeProvider,
)

from tf2towers.source.cst_nodes import scopes_of, text_of, walk_module, write_module

ALL_KINDS = '''
from __future__ import annotations
import a.b, c as d
from .e import (f as g, h,)
from i import *

@j.k(1)
class L[T](M, metaclass=N):
    """text"""
    o: P = q
    r: int

async def s[U](t, /, u: V = w, *x, y=1, **z) -> A:
    global b, c
    async with d as (e, f[g]), h: await i
    async for j.k, *l in m: pass
    else: yield
    nonlocal n
    return [o async for p, q in r if s for t in u], {v: w for x in y}, {*z}, (a for b in c)

def d(*, e): yield from f
try: raise g from h
except (I, J) as k: del l.m, n[o], (p, q)
except R: assert s, t
else: u += v
finally: w[x, 1:y:z, ...] = a.b = (c, *d) = [e, f] = -g if not h else lambda i, *j: i(k, *l, m=n, **o)
try: pass
except* p: pass
while (q := r) < s is not t in u: break
else: continue
if v and w or x: print(f"{y!r:>{z}} text", 'a' "b", b'c', 1, 2., 3j, None, True) ; 4
elif 5: pass
match a:
    case [b, *c] | (1, d): pass
    case {"e": f, **g} if h: pass
    case I(j, k=l) as m: pass
    case n.o | None | 1 | "p": pass
type q[*R, **S] = t
'''
FILES = sorted((Path(__file__).parents[2] / "legacy").glob("*.py"))


@pytest.mark.parametrize("text", [ALL_KINDS, *(file.read_text() for file in FILES)])
def test_walked_nodes_have_the_metadata_of_libcst(text: str) -> None:
    module = cst.parse_module(text)
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    walked = walk_module(module)

    assert walked.contexts == wrapper.resolve(ExpressionContextProvider)
    parents = wrapper.resolve(ParentNodeProvider)
    assert set(walked.nodes) - {module} == walked.parents.keys()
    assert all(parents[node] is parent for node, parent in walked.parents.items())
    written, spans, _, lines = write_module(module)
    offsets = wrapper.resolve(ByteSpanPositionProvider)
    assert text.isascii()
    assert spans == {node: (span.start, span.start + span.length) for node, span in offsets.items()}
    assert written == text_of(module) == module.code == text
    assert text_of(module, lines) == text_of(module, dict(list(lines.items())[::2])) == text
    own, theirs = scopes_of(module, walked.contexts), wrapper.resolve(ScopeProvider)
    assert own.keys() == theirs.keys() & {*walked.nodes}
    for node, scope in own.items():
        other = theirs[node]
        assert (scope is None) == (other is None)
        if scope is not None and other is not None:
            assert type(scope) is type(other)
            assert getattr(scope, "node", None) is getattr(other, "node", None)
            assert _bindings(scope) == _bindings(other)


def _bindings(scope: Scope) -> list[tuple[str, object, set[cst.CSTNode]]]:
    """What binds names in a scope, and what reads each."""
    bound = [each for each in scope.assignments if isinstance(each, Assignment)]
    return sorted(
        ((each.name, each.node, {access.node for access in each.references}) for each in bound),
        key=lambda row: (row[0], id(row[1])),
    )


def test_nodes_come_in_the_order_of_the_text() -> None:
    walked = walk_module(module := cst.parse_module(ALL_KINDS))
    spans = write_module(module).spans
    starts = [spans[node][0] for node in walked.nodes if isinstance(node, cst.Name)]
    assert starts == sorted(starts)


def test_offsets_are_those_of_characters() -> None:
    module = cst.parse_module("é = 'ä'\nname = é\n")
    spans = write_module(module).spans
    assert [spans[node] for node in walk_module(module).nodes if isinstance(node, cst.Name)] == [
        (0, 1),
        (8, 12),
        (15, 16),
    ]
