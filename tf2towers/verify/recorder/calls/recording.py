"""Records every session call of a program: its inputs, results, applied gradients, and all variables after it."""

import contextlib
import copy
import json
import os
import sys
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

import numpy as np

from .. import graph as graphs
from ..program import place_in_file
from ..run_arguments import feeds_of, fetched_ops, summaries
from ..session_runs import around_every_run
from ..training import name_of as name_of_variable
from ..updates import watch_updates
from ..variables import Effects, Variables
from ..writing import Before, Writer
from . import values

_DEVICE = ("GPU:", "CPU:")


class Alone(object):
    """The schedule of a process outside clusters: every call runs at once. `turns` has one for clusters.

    Attributes:
        synchronous: whether the program has built an update of a `SyncReplicasOptimizer`, or is written like one. A
            thread of the chief updates then.
        by_hand: whether workers add gradients to accumulators without a `SyncReplicasOptimizer`.
        shared: how workers add gradients to accumulators that all share, if they do so by hand (`shared_gradients`).
    """

    synchronous = False
    by_hand = False
    shared: Any = None

    @contextlib.contextmanager
    def call(self, effects: Effects) -> Iterator[None]:
        """A context around a call, and the reading of variables after it."""
        yield

    @contextlib.contextmanager
    def after(self, effects: Effects) -> Iterator[None]:
        """A context around the reading of variables alone."""
        yield

    def is_step(self, effects: Effects) -> bool:
        """True for a training step. Where workers add to accumulators by hand, it is what adds, not the update."""
        return effects.adds if self.by_hand else effects.training

    @contextlib.contextmanager
    def update(self, effects: Effects, session: Any) -> Iterator[None]:
        """A context around a call of another thread."""
        yield

    def is_settled(self) -> bool:
        """True if the variables just read stay unchanged until the next call."""
        return True


class CallRecorder(object):
    """Writes a step of `Writer` for each session call of the main thread; calls of other threads are only counted.

    A step has the call's values under 'kind|name', and under 'about' a JSON object:

        {"session": 0, "line": 44, "file": "train.py", "inputs": [name, ..],
         "fetches": [[name, kind of value, whether a hook's], ..], "error": name of the exception or "",
         "trains": whether it runs an update of an optimizer}

    Only variables that the call changed are written. Against another TensorFlow, 'before|name' is what other workers
    have changed since this one's last call.

    Args:
        steps: the number of training calls to record; `on_enough` is called when the next one begins, and then nothing
            more is recorded.
        folder: the script's folder, whose files count for the recorded line numbers.
        scratch: the folder of redirected writes; empty: writes are not redirected.
        rounded: whether the other side runs on another TensorFlow.
        in_step: another run's variables, to which this run is set before each call.

    Attributes:
        thread: the thread whose calls are recorded; None: the next one that makes a call.
        on_begin: called before each call.
        of_targets: the recorders of sessions of other servers in this process, by their targets (`own_tasks`).
    """

    def __init__(
        self,
        tf: Any,
        writer: Writer,
        steps: int,
        folder: str,
        scratch: str = "",
        rounded: bool = False,
        in_step: Optional[Before] = None,
    ) -> None:
        self._tf = tf
        self._wanted = steps
        self._folder = os.path.join(os.path.abspath(folder), "")
        self.thread: Optional[threading.Thread] = threading.current_thread()
        self.on_begin: Callable[[], None] = lambda: None
        self.on_enough: Callable[[], None] = lambda: None
        self.schedule = Alone()
        self.applied: List[Tuple[Any, List[Any]]] = []
        self._trainable: List[str] = []
        self._variables: Dict[Any, Variables] = {}
        self._keeper, self._rounded = values.Keeper(scratch, rounded), rounded
        self.of_targets: Dict[str, CallRecorder] = {}
        self.restart(writer, in_step)

    def restart(self, writer: Writer, in_step: Optional[Before]) -> None:
        """Begins again, with nothing recorded: for another task, or in a process that was forked."""
        self.writer, self._in_step = writer, in_step
        self._own = threading.local()
        self._lock = threading.RLock()
        self.is_over = False
        self.trained = 0
        self.towers = 1
        self._sessions: Dict[Any, Any] = {}
        self._effects: Dict[Any, Effects] = {}
        self._used: Set[str] = set()
        self._functions: Set[str] = set()  # operations that call Python
        self._of_threads = 0  # calls of other threads than the main one
        self._written: Set[str] = set()

    def beside(self, writer: Writer, in_step: Optional[Before]) -> "CallRecorder":
        """A recorder of another task in the same process, which sees the same updates."""
        other = copy.copy(self)
        other.schedule = Alone()
        other.restart(writer, in_step)
        return other

    def facts(self) -> Dict[str, Any]:
        """The run's facts for meta.json."""
        with self._lock:
            return {
                "trainable": self._trainable,
                "trained": self.trained,
                "towers": self.towers,
                "of_threads": self._of_threads,
                "written_by_threads": sorted(self._written),
                "shared": sorted(self._written & self._used),
                "python_functions": sorted(self._functions),
                "optimizers": len(self.applied),
                "calls": self.writer.steps,
            }

    def watch(self) -> None:
        """From now on, watches every update that is built, and every session call."""
        train = self._tf.train
        watch_updates(train.Optimizer, train.SyncReplicasOptimizer, callback=self._applying)
        around_every_run(self._tf, self._run)

    def _applying(self, optimizer: Any, op: Any, pairs: List[Any]) -> None:
        """Notes that the optimizer's operation `op` applies these gradients."""
        self.applied.append((op, pairs))
        for _, variable in pairs:
            name = name_of_variable(variable)
            if name not in self._trainable:
                self._trainable.append(name)
        if isinstance(optimizer, self._tf.train.SyncReplicasOptimizer):
            for recorder in [self, *self.of_targets.values()]:
                recorder.schedule.synchronous = True

    def _run(self, run: Callable[..., Any], session: Any, *call: Any) -> Any:
        target = getattr(session, "_target", b"") or b""
        recorder = self.of_targets.get(target.decode() if isinstance(target, bytes) else str(target), self)
        return recorder._run_own(run, session, *call)

    def _run_own(
        self, run: Callable[..., Any], session: Any, fetches: Any, feed_dict: Any, *options: Any
    ) -> Any:
        if getattr(self._own, "busy", False):
            return run(session, fetches, feed_dict, *options)
        if self.thread is None:
            self.thread = threading.current_thread()
        self.on_begin()
        effects = self._effect_of(session, fetches)
        if threading.current_thread() is not self.thread:
            self._note_thread(effects)
            with self.schedule.update(effects, session):
                return run(session, fetches, feed_dict, *options)
        if self.schedule.is_step(effects) and self.trained >= self._wanted:
            self.is_over = True
            self.on_enough()
        # a session of no server shares nothing with other workers: an evaluation of a checkpoint beside the training
        schedule = self.schedule if getattr(session, "_target", b"") else Alone()
        with schedule.call(effects):
            if self.is_over:
                result = run(session, fetches, feed_dict, *options)
                with self.schedule.after(effects):
                    return result
            return self._record(effects, run, session, fetches, feed_dict, *options)

    # -- recording a call ----------------------------------------------------------------------------------------------

    def _record(self, effects: Effects, run: Callable[..., Any], session: Any, *call: Any) -> Any:
        fetches, feed_dict = call[:2]
        with self._lock:
            self._used |= effects.used
        step: Dict[str, Any] = {}
        names, gradients = self._gradients(session.graph, effects)
        about = self._about(session)
        about["trains"] = self.schedule.is_step(effects)
        for place, (name, value) in enumerate(feeds_of(session, feed_dict).items()):
            about["inputs"].append(name)
            step.update(self._keeper.kept("input|%04d" % place, value))
        if self._in_step is not None:
            self._set_variables(session, effects, self._in_step.values(about["session"], self.writer.steps))
        if self._rounded and effects.used and type(self.schedule) is not Alone:
            step.update(self._changed("before|", session))
        try:
            if gradients:
                result, extra = run(session, [fetches, gradients], *call[1:])
                for name, value in zip(names, extra):
                    step.update(self._keeper.kept("gradient|" + name, value))
            else:
                result = run(session, *call)
        except Exception as problem:
            about["error"] = type(problem).__name__
            self._finish(session, effects, about, step)
            raise
        step.update(self._returned(session, fetches, result, about))
        self.trained += about["trains"]
        with self.schedule.after(effects):
            self._finish(session, effects, about, step)
        return result

    def _effect_of(self, session: Any, fetches: Any) -> Effects:
        ops = frozenset(fetched_ops(self._tf, session, fetches))
        key = (ops, len(self.applied))
        if key not in self._effects:
            found = Effects(ops, {op for op, _ in self.applied})
            if not self.applied:  # without optimizers, a call that changes variables counts as training
                found.training = bool(found.written & found.used)
            self._effects[key] = found
            self._functions |= {
                op.name for op in found.run_ops if "PyFunc" in op.type and "tf2towers" not in op.name
            }
            if found.training:
                devices = {op.device.rpartition(":")[2] for op in found.run_ops if _is_local(op.device)}
                self.towers = max(self.towers, len(devices - {"*"}))
        return self._effects[key]

    def _note_thread(self, effects: Effects) -> None:
        if effects.training and self.schedule.synchronous:
            return  # the chief's update for all workers: its effects show in the variables after each step
        with self._lock:
            self._of_threads += 1
            self._written |= effects.written

    def _gradients(self, graph: Any, effects: Effects) -> Tuple[List[str], List[Any]]:
        """The names and tensors of the gradients that a call applies, as far as it computes them in any case."""
        names: List[str] = []
        tensors: List[Any] = []
        if not effects.training:
            return names, tensors
        for op, pairs in self.applied:
            if op not in effects.run_ops:
                continue
            for gradient, variable in pairs:
                parts = [("", gradient)]
                if hasattr(gradient, "indices"):
                    parts = [("//values", gradient.values), ("//indices", gradient.indices)]
                for suffix, tensor in parts:
                    if (
                        not hasattr(tensor, "op")
                        or tensor.op not in effects.run_ops
                        or graphs.in_control_flow(tensor.op)
                    ):
                        continue
                    name = name_of_variable(variable) + suffix
                    names.append(name if name not in names else "%s (%s)" % (name, op.name))
                    tensors.append(tensor)
        return names, tensors

    def _about(self, session: Any) -> Dict[str, Any]:
        known = self._sessions.setdefault(session, {"number": len(self._sessions), "known": {}, "last": {}})
        file, line = self._place()
        return {
            "session": known["number"], "file": file, "line": line, "inputs": [], "fetches": [], "error": "",
            "trains": False,
        }  # fmt: skip

    def _place(self) -> Tuple[str, int]:
        """The innermost line of the script or of a module beside it that led to the call."""
        frame: Any = sys._getframe()
        while frame is not None:
            name, line = place_in_file(frame.f_code.co_filename, frame.f_lineno)
            if name.startswith(self._folder) and "site-packages" not in name and not _is_of_tf2towers(name):
                return name[len(self._folder) :], line
            frame = frame.f_back
        return "", 0

    def _returned(self, session: Any, fetches: Any, result: Any, about: Dict[str, Any]) -> Dict[str, Any]:
        step: Dict[str, Any] = {}
        for place, (fetch, value, hook) in enumerate(values.leaves(fetches, result)):
            about["fetches"].append([values.name_of(fetch), values.kind_of(value), hook])
            if values.is_handle(session.graph, fetch) or values.is_saved_path(session.graph, fetch):
                continue
            kind = "hook" if hook else "fetched"
            if isinstance(value, bytes) and values.is_summary(session.graph, fetch):
                for tag, number in summaries(self._tf, value, self._rounded).items():
                    step.update(self._keeper.kept("%s|%s" % ("hook" if hook else "summary", tag), number))
            else:
                step.update(self._keeper.kept("%s|%04d" % (kind, place), value))
        return step

    def _finish(self, session: Any, effects: Effects, about: Dict[str, Any], step: Dict[str, Any]) -> None:
        if effects.written or about["error"]:
            step.update(self._changed("variable|", session))
        step["about"] = np.frombuffer(json.dumps(about).encode("utf-8"), np.uint8)
        self.writer.step(step)

    def _changed(self, kind: str, session: Any) -> Dict[str, Any]:
        """The variables that have changed since they were read last, by `kind` and name."""
        known = self._sessions[session]
        step: Dict[str, Any] = {}
        for name, value in self._read(session, known["known"]).items():
            array = values.as_array(value, self._keeper.scratch)
            if array is not None and not (name in known["last"] and _same(known["last"][name], array)):
                known["last"][name] = np.array(array)
                step.update(self._keeper.kept(kind + name, array))
        return step

    def _set_variables(self, session: Any, effects: Effects, wanted: Dict[str, Any]) -> None:
        if not effects.used:
            return
        self._own.busy = True
        try:
            self._variables_of(session.graph).write(session.run, wanted)
        except (RuntimeError, self._tf.errors.OpError):  # the session is closed, or broken
            return
        finally:
            self._own.busy = False

    def _variables_of(self, graph: Any) -> Variables:
        return self._variables.setdefault(graph, Variables(graph))

    def _read(self, session: Any, known: Dict[str, bool]) -> Dict[str, Any]:
        variables = self._variables_of(session.graph)
        self._own.busy = True
        try:
            found = variables.read(session.run, known)
            while not self.schedule.is_settled():
                last_found, found = found, variables.read(session.run, known)
                if len(last_found) == len(found) and all(
                    _same(found[name], last_found[name]) for name in last_found
                ):
                    break
            return found
        except (RuntimeError, self._tf.errors.OpError):  # the call has closed the session, or broken it
            return {}
        finally:
            self._own.busy = False


def _same(left: Any, right: Any) -> bool:
    left, right = np.asarray(left), np.asarray(right)
    return bool(left.shape == right.shape and left.dtype == right.dtype and left.tobytes() == right.tobytes())


def _is_local(device: Optional[str]) -> bool:
    return bool(device) and any(kind in str(device).upper() for kind in _DEVICE)


def _is_of_tf2towers(name: str) -> bool:
    return name.startswith(
        os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..")) + os.sep
    )
