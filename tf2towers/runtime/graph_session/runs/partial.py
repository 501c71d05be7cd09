"""`partial_run`: a run in parts, each fed and fetched by itself, in which nothing runs twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import tensorflow as tf


class PartialRun:
    """What a run in parts has done so far.

    Attributes:
        failed: whether a part ended with an error of its operations; then there is no other part.

    Args:
        run: runs (fetches, targets, feeds) of the graph; the values of the fetches.
        fetches: all that will be fetched, tensors and operations.
        feeds: all that will be fed.
    """

    def __init__(
        self, run: Callable[[Any, Any, Any], list[Any]], fetches: Sequence[Any], feeds: Sequence[Any]
    ) -> None:
        self._run = run
        self.failed = False
        self._to_feed = {tensor.name: False for tensor in feeds}  # name -> whether it was fed
        self._to_fetch = {fetch.name: False for fetch in fetches}
        self._values: dict[str, tuple[Any, Any]] = {}  # what later parts need: name -> tensor, value
        self._known = set[str]()  # what was fed or computed
        self._done: set[str] = set()  # operations that have run
        self._all = _needed(
            [fetch.op if isinstance(fetch, tf.Tensor) else fetch for fetch in fetches],
            set(self._to_feed),
            set(),
        )

    @property
    def is_over(self) -> bool:
        """Whether all was fed and fetched."""
        return all(self._to_feed.values()) and all(self._to_fetch.values())

    def part(self, fetches: Sequence[Any], targets: Sequence[Any], feeds: dict[Any, Any]) -> list[Any]:
        """One part: its feeds, then its fetches.

        Raises:
            tf.errors.InvalidArgumentError: something was fed or fetched before, or not named at the setup.
        """
        _check("feed", "fed", feeds, self._to_feed)
        _check("fetch", "fetched", fetches, self._to_fetch)
        for target in targets:
            if target.name not in self._to_fetch:
                _refuse(f"The fetch {target.name} was not specified in partial_run_setup.")
        self._to_feed.update(dict.fromkeys((tensor.name for tensor in feeds), True))
        self._values.update({tensor.name: (tensor, value) for tensor, value in feeds.items()})
        self._known.update(tensor.name for tensor in feeds)
        now = _needed([fetch.op for fetch in fetches] + list(targets), self._known, self._done)
        later = [element for name, element in self._all.items() if name not in self._done and name not in now]
        between = {
            tensor.name: tensor
            for operation in later
            for tensor in operation.inputs
            if tensor.op.name in now and tensor.dtype not in (tf.resource, tf.variant)
        }
        to_come = {name for name, fetched in self._to_fetch.items() if not fetched}
        between |= {
            output.name: output
            for operation in now.values()
            for output in operation.outputs
            if output.name in to_come
        }
        wanted = {fetch.name: fetch for fetch in fetches if fetch.name not in self._values} | between
        inputs = _inputs(now, wanted)
        known = {tensor: value for tensor, value in self._values.values() if any(t is tensor for t in inputs)}
        ends = [target for target in targets if target.name not in self._done]
        if wanted or ends:
            self.failed = True  # until it is known better
            values = self._run(list(wanted.values()), ends, known)
            self.failed = False
            self._values.update(
                {name: (wanted[name], value) for name, value in zip(wanted, values, strict=True)}
            )
            self._known.update(wanted)
        self._done |= set(now)
        self._to_fetch.update(dict.fromkeys((element.name for element in (*fetches, *targets)), True))
        results = [self._values[fetch.name][1] for fetch in fetches]
        needed = {tensor.name for operation in later for tensor in operation.inputs}
        needed |= {name for name, fetched in self._to_fetch.items() if not fetched}
        self._values = {name: kept for name, kept in self._values.items() if name in needed}
        return results


def _check(kind: str, past: str, given: Iterable[Any], expected: dict[str, bool]) -> None:
    """Raises for what was not named when the run was set up, or came before; in TF1's words."""
    for element in given:
        if element.name not in expected:
            _refuse(f"The {kind} {element.name} was not specified in partial_run_setup.")
        if expected[element.name]:
            _refuse(f"The {kind} {element.name} was already {past}.")


def _refuse(message: str) -> NoReturn:
    raise tf.errors.InvalidArgumentError(None, None, message)


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
