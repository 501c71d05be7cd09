"""tensorflow-estimator 2.15, on the TensorFlow and the tf_keras that are here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import tensorflow as tf
import tensorflow.compat.v1 as _v1

from tf2towers.runtime.patches.patch import Patch, patch
from tf2towers.runtime.patches.private import private

_PACKAGE = "tensorflow_estimator"
_COORDINATOR = "tensorflow.python.distribute.estimator_training"
_FEATURE = "tf.estimator"
_TPU = "tensorflow.python.tpu"


class _View(ModuleType):
    """A module with the attributes of another, some of them replaced."""

    def __init__(self, module: Any, **replaced: Any) -> None:
        super().__init__(module.__name__)
        vars(self).update(replaced, __path__=module.__path__, __spec__=module.__spec__)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


@patch(
    _FEATURE, source="tensorflow-estimator 2.15.0: its imports", test="tests/functions/programs/estimators.py"
)
def estimators_are_imported(
    changes: Patch, keras: Any, layers: Any, strategy_for: Callable[[Any, Any], Any]
) -> None:
    """Imports tensorflow-estimator 2.15 on a later TensorFlow, with tf_keras as its Keras.

    The package's `__init__`, and the one of its public names, import code for TPUs that TensorFlow
    2.16 no longer has: empty modules stand in for them. `estimator_export`, which registered names
    with TensorFlow, does nothing. A module stands in for `estimator_training`, the coordinator of
    TensorFlow 2's strategies. There is never one to run, and `strategy_for` gives the strategy that
    trains in the place of the one in a RunConfig. The package's `tf` is TensorFlow with `keras` and
    `layers` of tf_keras, also in the process of an original.
    """
    from tf_keras.api._v2 import keras as keras_of_tf2

    def read_cluster(config: Any, tf_config: Any) -> None:
        config._distribute_coordinator_mode = None
        config._init_distributed_setting_from_environment_var(tf_config)
        config._maybe_overwrite_session_config_for_distributed_training()
        config._train_distribute = strategy_for(config._train_distribute, config.cluster_spec)
        config._eval_distribute = strategy_for(config._eval_distribute, config.cluster_spec)

    v1 = _View(_v1, keras=keras, layers=layers)
    compat = _View(tf.compat, v1=v1, v2=_View(tf.compat.v2, keras=keras_of_tf2))
    found = find_spec(_PACKAGE)
    made = {
        _PACKAGE: _module(__path__=[str(Path(str(found and found.origin)).parent)], __spec__=found),
        f"{_PACKAGE}._api.v1.estimator.tpu": _module(),
        f"{_PACKAGE}.python.estimator.estimator_export": _module(
            estimator_export=lambda *names, **others: lambda exported: exported
        ),
        _COORDINATOR: _module(
            should_run_distribute_coordinator=lambda config: False,
            init_run_config=read_cluster,
        ),
    }
    changes.set(changes.private("distribute"), "estimator_training", made[_COORDINATOR])
    before = sys.modules["tensorflow"]
    sys.modules.update(made, tensorflow=_View(tf, keras=keras_of_tf2, compat=compat))
    try:
        import_module(f"{_PACKAGE}._api.v1.estimator")
    finally:
        sys.modules["tensorflow"] = before


@patch(
    _FEATURE,
    source="tensorflow-estimator 2.15.0: tpu/tpu_estimator.py, its imports",
    test="tests/functions/programs/estimators.py",
)
def tpu_estimators_are_imported(changes: Patch) -> None:
    """Imports the package's TPUEstimator, for CPUs and GPUs, after the package itself.

    It imports modules for TPUs that TensorFlow 2.16 no longer has: empty ones stand in for them,
    since nothing of them is used without a TPU.
    """
    parameters = (
        "AdagradParameters",
        "AdamParameters",
        "FtrlParameters",
        "MomentumParameters",
        "ProximalAdagradParameters",
        "RMSPropParameters",
        "StochasticGradientDescentParameters",
    )
    for name in ("session_support", "tpu_embedding_gradient", "tpu_embedding"):
        module = f"{_TPU}.{name}"
        if module not in sys.modules and find_spec(module) is None:
            sys.modules[module] = _module(**dict.fromkeys(parameters))
    before = sys.modules["tensorflow"]
    sys.modules["tensorflow"] = import_module(f"{_PACKAGE}.python.estimator.training").tf
    try:
        import_module(f"{_PACKAGE}.python.estimator.tpu.tpu_estimator")
    finally:
        sys.modules["tensorflow"] = before


def values_of_towers(values: Sequence[Any]) -> Any:
    """Makes of one structure for each tower one structure of per-replica values."""
    return private("distribute.distribute_utils.regroup", _FEATURE)(tuple(values), always_wrap=True)


def _module(**attributes: Any) -> ModuleType:
    module = ModuleType("stand_in")
    vars(module).update(attributes)
    return module


@patch(
    _FEATURE,
    source="tensorflow-estimator 2.15.0: training.py, _start_std_server; estimator.py, _add_meta_graph_for_mode",
    test="tests/soundness/scripts/clusters/estimators.py",
)
def estimators_run_on(changes: Patch, server: type, session: type) -> None:
    """Makes `train_and_evaluate` start these servers, and an export run this session."""
    training = import_module(f"{_PACKAGE}.python.estimator.training")
    changes.set(training, "server_lib", SimpleNamespace(Server=server))
    vars(training.tf.compat.v1)["Session"] = session
