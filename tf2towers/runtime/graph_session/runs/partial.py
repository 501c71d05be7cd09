"""`partial_run`: a run in parts, each fed and fetched by itself, in which nothing runs twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf


class PartialRun:
    """What a run in parts has done so far.

    Args:
        run: runs (fetches, targets, feeds) of the graph; the values of the fetches.
        fetches: all that will be fetched, tensors and operations.
        feeds: all that will be fed.
    """

    def __init__(
        self, run: Callable[[Any, Any, Any], list[Any]], fetches: Sequence[Any], feeds: Sequence[Any]
    ) -> None:
        self._run = run
        self._feeds = {tensor.name for tensor in feeds}
        self._fetches = {fetch.name for fetch in fetches}
        self._values: dict[str, tuple[Any, Any]] = {}  # what was fed or computed: name -> tensor, value
        self._done: set[str] = set()  # operations that have run
        self._all = _needed(
            [fetch.op if isinstance(fetch, tf.Tensor) else fetch for fetch in fetches], self._feeds, set()
        )

    def part(self, fetches: Sequence[Any], targets: Sequence[Any], feeds: dict[Any, Any]) -> list[Any]:
        """One part: its feeds, then its fetches.

        Raises:
            tf.errors.InvalidArgumentError: something was fed twice, or was not named when the run was set up.
        """
        for tensor in feeds:
            if tensor.name not in self._feeds or tensor.name in self._values:
                problem = (
                    "was already fed"
                    if tensor.name in self._values
                    else "was not specified in partial_run_setup"
                )
                raise tf.errors.InvalidArgumentError(None, None, f"The feed {tensor.name} {problem}.")
        for element in [*fetches, *targets]:
            if element.name not in self._fetches:
                message = f"The fetch {element.name} was not specified in partial_run_setup."
                raise tf.errors.InvalidArgumentError(None, None, message)
        self._values.update({tensor.name: (tensor, value) for tensor, value in feeds.items()})
        now = _needed([fetch.op for fetch in fetches] + list(targets), set(self._values), self._done)
        later = [element for name, element in self._all.items() if name not in self._done and name not in now]
        between = {
            tensor.name: tensor
            for operation in later
            for tensor in operation.inputs
            if tensor.op.name in now and tensor.dtype not in (tf.resource, tf.variant)
        }
        wanted = {fetch.name: fetch for fetch in fetches if fetch.name not in self._values} | between
        known = {
            tensor: value
            for tensor, value in self._values.values()
            if any(t is tensor for t in _inputs(now, wanted))
        }
        ends = [target for target in targets if target.name not in self._done]
        if wanted or ends:
            values = self._run(list(wanted.values()), ends, known)
            self._values.update(
                {name: (wanted[name], value) for name, value in zip(wanted, values, strict=True)}
            )
        self._done |= set(now)
        return [self._values[fetch.name][1] for fetch in fetches]


def _needed(ends: Sequence[Any], known: set[str], done: set[str]) -> dict[str, Any]:
    """The operations that are to run for these, when the known tensors are there."""
    found: dict[str, Any] = {}
    pending = list(ends)
    while pending:
        operation = pending.pop()
        outputs = operation.outputs
        if (
            operation.name in found
            or operation.name in done
            or (outputs and all(output.name in known for output in outputs))
        ):
            continue
        found[operation.name] = operation
        pending += [tensor.op for tensor in operation.inputs if tensor.name not in known]
        pending += operation.control_inputs
    return found


def _inputs(operations: dict[str, Any], wanted: dict[str, Any]) -> list[Any]:
    return [tensor for operation in operations.values() for tensor in operation.inputs] + list(
        wanted.values()
    )
