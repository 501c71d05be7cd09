"""Gives the steps of `SyncReplicasOptimizer` an order: each worker's step is a turn, which ends while it waits.

A step adds its gradients, and needs a token to go on. A thread of the chief takes the mean as soon as there are
`replicas_to_aggregate` gradients, updates, and gives tokens for the next step. So with more or fewer workers than that,
it is left to chance whose gradients make up a step, and whose are too late. Here one worker runs at a time:

    a worker in its turn adds its gradients; if that makes them enough, it waits for the update that they make;
    if there is a token then, it takes it, and its step goes on;
    if there is none, the next worker has its turn, and so on until the turn is back;
    the chief's thread begins its run when there are enough gradients, so what else is in it has an order, too.

TensorFlow takes the same order if one worker is always the slowest. Nothing is computed in another way, and gradients
that are too late are dropped by TensorFlow.
"""

import contextlib
import re
import time
from typing import Any, Dict, Iterator, List, Optional

from .. import graph as graphs
from ..variables import Effects
from ..wrapping import wrap
from .turns import LOOK, Turns

TAKES = re.compile(r"(Resource|Sparse)?AccumulatorTakeGradient$")
_ROUNDS = 5  # rounds in which all workers wait for a token, after which there will be none


class NoToken(Exception):
    """Every worker waits for a token, and no update is due."""


class SyncReplicas(object):
    """Orders the steps of the optimizers that the program makes, in whichever of its graphs."""

    def __init__(self, tf: Any) -> None:
        self._tf = tf
        self._of_op: Dict[Any, _Tokens] = {}  # by the ops that call it, and by those that take gradients
        self._of_optimizer: Dict[Any, _Tokens] = {}
        self._stops = False  # whether the process is at its end

    def install(self) -> None:
        """From now on, what an optimizer adds and takes waits as the module says."""
        wrap(self._tf.train.SyncReplicasOptimizer, "apply_gradients", self._apply_gradients)
        wrap(self._tf.train.SyncReplicasOptimizer, "get_init_tokens_op", self._get_init_tokens_op)
        wrap(self._tf.train.Coordinator, "request_stop", self._request_stop)

    def bind(self, effects: Effects, turns: Turns) -> bool:
        """Gives the optimizers of a call the turns of the worker that makes it; returns whether it has one."""
        found = self._tokens_of(effects)
        for tokens in found:
            tokens.turns = turns
        return bool(found)

    @contextlib.contextmanager
    def update(self, effects: Effects, turns: Turns, session: Any) -> Iterator[None]:
        """A context for a run of the chief's thread: an update begins when it is due.

        Raises:
            OutOfRangeError: there will be none, as all workers are at their end. TensorFlow 1 waits two minutes longer.
        """
        found = self._tokens_of(effects)
        for tokens in found:
            tokens.turns = turns
            while not tokens.is_due() and not getattr(session, "_closed", False):
                if self._stops and turns.others_have_ended():
                    raise self._tf.errors.OutOfRangeError(None, None, "no worker adds gradients any more")
                time.sleep(LOOK)
        yield
        for tokens in found:
            tokens.updated()

    def _request_stop(self, request: Any, coordinator: Any, *args: Any, **kwargs: Any) -> None:
        self._stops = True
        request(coordinator, *args, **kwargs)

    def _tokens_of(self, effects: Effects) -> List["_Tokens"]:
        return list({self._of_op[op] for op in effects.run_ops & set(self._of_op)})

    def _apply_gradients(self, apply: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        returned = apply(optimizer, *args, **kwargs)
        taken = getattr(returned, "op", returned).inputs[1].op
        added = [op for op in taken.control_inputs if op.type.endswith("AccumulatorApplyGradient")]
        shared = [op.inputs[0] for op in added]
        enough, per_update = optimizer._replicas_to_aggregate, optimizer._tokens_per_step
        tokens = _Tokens(
            re.sub(r"\W", "_", str(min(sums.op.get_attr("shared_name") for sums in shared))),
            enough,
            per_update,
        )
        self._of_op.update(
            (user, tokens) for sums in shared for user in sums.consumers() if TAKES.match(user.type)
        )
        self._of_optimizer[optimizer] = tokens
        with graphs.beside(taken.graph, graphs.ORDER + "/"), taken.graph.device(optimizer._local_step.device):
            steps = list(map(self._tf.convert_to_tensor, (optimizer._local_step, optimizer._global_step)))
            computed = [tensor.op for op in added for tensor in list(op.inputs)[1:]]
            adds = self._call(tokens.add, steps, tokens, after=computed)
            waits = self._call(tokens.wait, [], tokens, after=added)
        for op in added:
            op._add_control_input(adds)
        taken._add_control_input(waits)
        return returned

    def _get_init_tokens_op(self, get: Any, optimizer: Any, num_tokens: int = -1) -> Any:
        op = get(optimizer, num_tokens)
        count = optimizer._replicas_to_aggregate if num_tokens == -1 else num_tokens
        if not count:
            return op
        tokens = self._of_optimizer[optimizer]
        with graphs.beside(op.graph), op.graph.device(optimizer._local_step.device):
            return self._call(lambda: tokens.give(count), [], tokens, after=[op])

    def _call(self, function: Any, given: Any, tokens: "_Tokens", after: Any) -> Any:
        """An op that calls a function when others are done, with its name in `graphs.HELD` under that scope."""
        with self._tf.control_dependencies(after):
            op = self._tf.py_func(function, given, self._tf.bool, name="held").op
        self._of_op[op] = tokens
        return op


class _Tokens(object):
    """The gradients and tokens of one optimizer, counted by all workers in the files of their turns.

    Args:
        name: the same for all workers.
        enough: how many gradients make a step.
        per_update: how many tokens an update gives.

    Attributes:
        turns: those of the worker that makes the call; None: it is in no cluster.
    """

    def __init__(self, name: str, enough: int, per_update: int) -> None:
        self._gradients, self._updates = "gradients-" + name, "updates-" + name
        self._enough, self._per_update = enough, per_update
        self.turns: Optional[Turns] = None

    def give(self, count: int) -> bool:
        """Counts tokens that the chief gives at the start."""
        if self.turns is not None:
            self.turns.note("tokens", count)
        return True

    def add(self, local_step: Any, global_step: Any) -> bool:
        """Counts the gradients that a worker adds now; not where TensorFlow drops them, being of an earlier step."""
        if self.turns is not None and local_step >= global_step:
            self.turns.note(self._gradients)
        return True

    def is_due(self) -> bool:
        """True if there are enough gradients for an update that has not been made."""
        turns = self.turns
        assert turns is not None
        return turns.total(self._gradients) >= self._enough * (turns.total(self._updates) + 1)

    def updated(self) -> None:
        """Counts an update, and the tokens that it has given; optimizers of one program have one queue for them."""
        assert self.turns is not None
        self.turns.note("tokens", self._per_update)
        self.turns.note(self._updates)

    def wait(self) -> bool:
        """Returns when the worker's step may take a token, and has the turn.

        Raises:
            NoToken: there will be none.
        """
        turns = self.turns
        if turns is None:
            return True
        while self.is_due():
            time.sleep(LOOK)
        last, rounds = -1, 0
        while turns.total("tokens") <= turns.total("taken"):
            turns.pass_on()
            rounds = rounds + 1 if turns.made_by_all() == last else 0
            last = turns.made_by_all()
            if rounds > _ROUNDS:
                missing = self._enough * (turns.total(self._updates) + 1) - turns.total(self._gradients)
                raise NoToken(
                    "every worker waits for a token of SyncReplicasOptimizer, and none will come: the step needs "
                    "%d more of its %d gradients" % (missing, self._enough)
                )
        turns.note("taken")
        return True
