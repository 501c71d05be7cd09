"""The calls of a parameter-server program: server, supervisor, monitored session, hooks, optimizer."""

from __future__ import annotations

import libcst as cst

from tf2towers.names.cluster_calls import ClusterCall, cluster_calls
from tf2towers.program.clusters.cluster import Cluster
from tf2towers.program.python_code.call_arguments import is_none, named
from tf2towers.program.python_code.search import code_of
from tf2towers.rewrites.expressions.call_arguments import keyword, trimmed
from tf2towers.rewrites.files.file_context import FileContext

_WITH_STORE = frozenset({"SupervisedTraining", "MonitoredTraining"})


def cluster_call(
    canonical: str,
    original: cst.Call,
    call: cst.Call,
    cluster: Cluster,
    variables: str,
    context: FileContext,
    rewriter: cst.CSTTransformer,
) -> cst.BaseExpression | None:
    """The runtime's call for a TF1 one, with the store that is named `variables`; None for any other symbol."""
    found = cluster_calls().get(canonical)
    if found is None:
        return None
    args = [
        arg
        for name, arg in named(call, found.order)
        if name in found.kept or (name == "summary_op" and is_none(arg.value))  # no summaries by themselves
    ]
    args = _named_behind_a_gap(call, found, args)
    if original is cluster.server and cluster.synchronous is not None:
        args.append(keyword("synchronous", code_of(cluster.synchronous.visit(rewriter))))  # type: ignore[arg-type]
    if found.runtime in _WITH_STORE:
        args.insert(0, cst.Arg(cst.Name(variables)))
    func = cst.Name(context.need(found.runtime))
    return call.with_changes(func=func, args=[] if not args else trimmed(args))


def _named_behind_a_gap(call: cst.Call, found: ClusterCall, kept: list[cst.Arg]) -> list[cst.Arg]:
    """Positional arguments behind one that is dropped get their keyword."""
    made: list[cst.Arg] = []
    gone = False
    for place, (_, arg) in enumerate(named(call, found.order)):
        if not any(arg is other for other in kept):
            gone = True
        elif arg.keyword is None and (gone or (found.runtime in _WITH_STORE)):
            equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
            made.append(arg.with_changes(keyword=cst.Name(found.order[place]), equal=equal))
        else:
            made.append(arg)
    return made


def supervisor_call(method: str, call: cst.Call, in_with: bool) -> cst.Call:
    """A method of the supervisor: sessions are started, and no longer handed around."""
    assert isinstance(call.func, cst.Attribute)
    if method == "managed_session" or (method == "prepare_or_wait_for_session" and in_with):
        return call.with_changes(func=call.func.with_changes(attr=cst.Name("managed")), args=[])
    if method == "prepare_or_wait_for_session":
        return call.with_changes(func=call.func.with_changes(attr=cst.Name("start")), args=[])
    if method == "summary_computed":
        return call.with_changes(args=trimmed(call.args[1:]))
    if method == "start_standard_services":
        return call.with_changes(args=[])
    return call
