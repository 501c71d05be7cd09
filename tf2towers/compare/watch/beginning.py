"""What happens just before a program's first training step: is it the first one, and with whose weights is it made."""

import sys
import threading
from typing import Any, Callable, Optional

from tf2towers.compare.watch.steps import Steps

_SHOWN = 4  # names in a sentence


class Beginning:
    """Of a TF2 program. What it does is off the clock.

    Args:
        original: the folder of the legacy program's recording, whose first weights the program is given; None: it keeps
            its own.
    """

    def __init__(self, steps: Steps, original: Optional[str]) -> None:
        self._steps, self._original = steps, original
        self._watching = self._over = False
        self._weights = None  # type: Any
        self._one_at_a_time = threading.Lock()
        self._loaded = set()  # type: set[str]

    def loaded(self, module: str) -> None:
        """TensorFlow or Keras is complete. Each imports the other, so either may be the first to be."""
        self._loaded.add(module)
        waits = "keras" in sys.modules and "keras" not in self._loaded
        if "tensorflow" in self._loaded and not waits and not self._watching:
            self._watching = True
            self._watch()

    def _watch(self) -> None:
        """From now on it is known which variables an optimizer is given."""
        try:
            from pathlib import Path

            from tf2towers.verify.functions.first_weights import FirstWeights

            self._weights = FirstWeights(None if self._original is None else Path(self._original))
        except Exception as problem:  # another TensorFlow than the one this project is for
            self._not_given("%s: %s" % (type(problem).__name__, problem))

    def training_function(self) -> None:
        """A function that trains has been traced, and will be called: by each thread once the weights are there."""
        with self._one_at_a_time:
            if not self._over and self._weights is not None:
                self._over = True
                self._give(self._weights)

    def _give(self, weights: Any) -> None:
        with self._steps.aside():
            made = weights.steps_made()
            if made:
                self._steps.write("resumed", step=made)
            found, missing = weights.give()
            if missing and not found:
                self._not_given("none of its variables is one of the original's by name, order or shape")
            elif missing:
                more = " and %d more" % (len(missing) - _SHOWN) if len(missing) > _SHOWN else ""
                none = "no variable was found for %s%s" % (", ".join(missing[:_SHOWN]), more)
                self._not_given(none, "some initial weights")
            elif found:
                self._steps.write("facts", weights=True)

    def eager_step(self) -> None:
        """An optimizer was called without a function: that step's forward pass is over."""
        if not self._over:
            self._over = True
            self._not_given("its steps are not in a tf.function, so none could be stopped before it began")

    def _not_given(self, why: str, what: str = "initial weights") -> None:
        if self._original is not None:
            self._steps.note("%s of its own: %s" % (what, why))


def global_step(graph: Any, run: Callable[[Any], Any]) -> int:
    """How many steps a TF1 graph's global step says were made; 0 where it has none, or none that can be read.

    Args:
        graph: a `tf.Graph`, perhaps finalized.
    """
    known = list(graph.get_collection("global_step"))
    known += [variable for variable in graph.get_collection("variables") if variable.op.name == "global_step"]
    try:
        return int(run(known[0])) if known else 0
    except Exception:  # not initialized: the step itself will say so
        return 0
