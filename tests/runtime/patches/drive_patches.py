"""Applies and undoes all patches, and then each without each of the private names that it looks up, in one process.

Prints a JSON object:
    different   what is not as before, after all patches were applied twice and undone
    said        patch, feature, name, and what a user reads without that name: the error of a patch that is applied
                on demand; of one that `graph_mode` applies, the error of each function served, or
                standard error
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras.api._v1.keras  # noqa: F401 - before the state is looked at
from tensorflow.python.eager import context
from tensorflow.python.framework import ops
from tf_keras.src import backend

v1 = tf.compat.v1
v1.disable_eager_execution()
v1.disable_v2_tensorshape()
v1.disable_tensor_equality()
v1.disable_control_flow_v2()
v1.disable_resource_variables()

from tensorflow.python.layers import normalization  # noqa: E402, F401 - is changed, too
from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable  # noqa: E402

from tf2towers.runtime import Session, SessionManager, graph_mode  # noqa: E402
from tf2towers.runtime.patches import devices, functions, operations, patch, private, register  # noqa: E402
from tf2towers.runtime.patches.private import MovedError  # noqa: E402

State = dict[str, dict[str, Any]]

#: these change what is not an attribute
OF_OTHER_KINDS = {
    register.print_as_numpy1,
    register.copies_of_rows_are_dense,
    register.sums_over_rows_have_second_gradients,
}
#: these import a package, which stays: tests/functions/programs/estimators.py and their soundness
#: scripts have them
OF_ESTIMATORS = {
    register.estimators_are_imported,
    register.estimators_run_on,
    register.tpu_estimators_are_imported,
}
EVERY = {*register.FOR_EVERY_SCRIPT, *register.FOR_MIGRATED, *register.ON_DEMAND} - OF_ESTIMATORS
#: what `graph_mode` and the modules of Keras give to a patch
ARGUMENTS: dict[patch.Patch, tuple[Any, ...]] = {
    register.sessions_of_managers_are: (SessionManager, Session),
    register.keras_runs_on: (backend, Session),
    register.networks_have_keras2s_norm: (object,),
}
PLAIN = private.look_up


def state() -> State:
    of_modules = {
        name: dict(object.__getattribute__(module, "__dict__"))
        for name, module in sys.modules.items()
        if name.startswith(("tensorflow.", "tf_keras."))
    }
    for space in list(of_modules.values()):
        for value in list(space.values()):
            if isinstance(value, type) and value.__module__.startswith(("tensorflow.", "tf_keras.")):
                of_modules[f"{value.__module__}.{value.__qualname__}"] = dict(vars(value))
    registry = ops._gradient_registry._registry
    return of_modules | {
        "gradients": {name: known["type"] for name, known in registry.items()},
        "context": {"look": "_initialize_physical_devices" in vars(context.context())},
        "numpy": {"legacy": np.get_printoptions()["legacy"]},
        "is": {"resource is variable": issubclass(BaseResourceVariable, v1.Variable)},
    }


def different(before: State, after: State) -> list[str]:
    ignored = ("__warningregistry__", "_abc_impl", "__abstractmethods__")
    return sorted(
        f"{owner}.{name}"
        for owner in before
        for name in before[owner].keys() | after[owner].keys()
        if name not in ignored and before[owner].get(name, "none") is not after[owner].get(name, "none")
    )


def different_after_all() -> list[str]:
    """Applies all patches twice and undoes them; returns what is not as before."""
    context.context()
    before = state()
    for _ in range(2):
        graph_mode()
        for one in register.ON_DEMAND:
            if one not in OF_ESTIMATORS:
                one(*ARGUMENTS.get(one, ()))
    assert set(patch.applied()) == EVERY, EVERY - set(patch.applied())
    assert len(patch.applied()) == len(EVERY)
    changed = different(before, state())
    assert len(changed) > 60, changed
    for one in EVERY - OF_OTHER_KINDS:
        assert one.changes, one.name
    patch.undo()
    assert patch.applied() == () and not any(one.changes for one in EVERY)
    return different(before, state())


def replace_look_up(look_up: Callable[[Any, str, str], Any]) -> None:
    private.private.cache_clear()
    for module in (private, patch, devices, functions, operations):
        if hasattr(module, "look_up"):
            module.look_up = look_up


def names_of(one: patch.Patch) -> list[str]:
    """Returns the names that a patch looks up, in their order."""
    found: dict[str, None] = {}

    def note(owner: Any, name: str, feature: str) -> Any:
        if feature == one.feature:
            found[private.whole_name(owner, name)] = None
        return PLAIN(owner, name, feature)

    replace_look_up(note)
    one(*ARGUMENTS.get(one, ()))
    one.undo()
    return list(found)


def remove(gone: str) -> None:
    def look_up(owner: Any, name: str, feature: str) -> Any:
        if private.whole_name(owner, name) == gone:
            raise MovedError(gone, feature)
        return PLAIN(owner, name, feature)

    replace_look_up(look_up)


def errors_of_served(one: patch.Patch) -> Iterator[str]:
    """Yields the error of each function that a patch serves, called with the argument for which it is needed."""
    for served in one.serves:
        dotted, _, argument = served.partition(":")
        function: Any = v1
        for part in dotted.split("."):
            function = getattr(function, part)
        given: list[Any] = ["given"] if argument else []
        if isinstance(function, type):
            function, given = function.__init__, [None, *given]
        try:
            function(*given, **({argument: True} if argument else {}))
        except Exception as error:
            yield str(error)
        else:
            yield f"nothing about {served}"


def said_without(one: patch.Patch, name: str) -> list[str]:
    """Returns the sentences in which a user reads that a name has moved."""
    remove(name)
    errors = io.StringIO()
    try:
        if one in register.FOR_MIGRATED:
            with contextlib.redirect_stderr(errors):
                one.apply_or_guard()
            return list(errors_of_served(one)) or errors.getvalue().splitlines()
        one(*ARGUMENTS.get(one, ()))
        return ["nothing"]
    except MovedError as error:
        return [str(error)]
    finally:
        one.undo()


said = [
    (one.name, one.feature, name, said_without(one, name))
    for one in sorted(EVERY, key=lambda one: one.name)
    for name in names_of(one)
]
replace_look_up(PLAIN)
print(json.dumps({"said": said, "different": different_after_all()}))
