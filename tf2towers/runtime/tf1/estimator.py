"""`tf.estimator` of TensorFlow 1, as tensorflow-estimator has it, with its modules."""

import sys
from importlib.metadata import PackageNotFoundError, version

from tf2towers.runtime.patches import estimators as patches
from tf2towers.runtime.patches.training import sessions_of_managers_are

_NEEDED = "2.15.0"


def _check_release() -> None:
    """Raises ImportError where tensorflow-estimator is not there, or of another release."""
    try:
        found = version("tensorflow-estimator")
    except PackageNotFoundError:
        found = ""
    if found != _NEEDED:
        there = (
            f"tensorflow-estimator {found} is installed" if found else "tensorflow-estimator is not installed"
        )
        raise ImportError(
            f"{there}, and tf.estimator needs {_NEEDED}: pip install tensorflow-estimator=={_NEEDED}"
        )


_check_release()

from tf2towers.runtime.tf1 import keras as _keras  # noqa: E402
from tf2towers.runtime.tf1 import layers as _layers  # noqa: E402
from tf2towers.runtime.tf1.estimator_strategies import strategy_for as _strategy_for  # noqa: E402
from tf2towers.runtime.tf1.estimator_towers import ModelTowers as ModelTowers  # noqa: E402
from tf2towers.runtime.tf1.estimator_towers import TowerOptimizer as TowerOptimizer  # noqa: E402
from tf2towers.runtime.tf1.estimator_towers import replicate_model_fn as replicate_model_fn  # noqa: E402

patches.estimators_are_imported(_keras, _layers, _strategy_for)

from tensorflow_estimator._api.v1.estimator import *  # noqa: E402, F403 - a face, not a copy
from tensorflow_estimator._api.v1.estimator import experimental as experimental  # noqa: E402
from tensorflow_estimator._api.v1.estimator import export as export  # noqa: E402
from tensorflow_estimator._api.v1.estimator import inputs as inputs  # noqa: E402


def _run_on_its_servers() -> None:
    from tf2towers.runtime.graph_session.cluster.server import Server
    from tf2towers.runtime.graph_session.session import Session

    patches.estimators_run_on(Server, Session)


sessions_of_managers_are.once_applied(_run_on_its_servers)  # never in an original that is recorded

for _name, _module in list(sys.modules.items()):
    if _name.startswith("tensorflow_estimator._api.v1.estimator."):
        sys.modules[__name__ + _name[len("tensorflow_estimator._api.v1.estimator") :]] = _module
