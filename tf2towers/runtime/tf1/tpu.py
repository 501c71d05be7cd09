"""`tf.contrib.tpu` without TPUs: Estimators with `use_tpu=False`, tensorflow-estimator's.

What they do there is what an Estimator does: `params["batch_size"]` is the whole batch,
`eval_metrics` and `host_call` run on the host, and `scaffold_fn` makes the scaffold.
"""

from typing import Any

from tf2towers.runtime.patches.estimators import tpu_estimators_are_imported
from tf2towers.runtime.tf1 import estimator as _estimator  # noqa: F401 - tensorflow-estimator is imported by it

tpu_estimators_are_imported()

from tensorflow_estimator.python.estimator.tpu.tpu_config import InputPipelineConfig as InputPipelineConfig  # noqa: E402
from tensorflow_estimator.python.estimator.tpu.tpu_config import RunConfig as RunConfig  # noqa: E402
from tensorflow_estimator.python.estimator.tpu.tpu_config import TPUConfig as TPUConfig  # noqa: E402
from tensorflow_estimator.python.estimator.tpu.tpu_estimator import TPUEstimator as _TPUEstimator  # noqa: E402
from tensorflow_estimator.python.estimator.tpu.tpu_estimator import TPUEstimatorSpec as TPUEstimatorSpec  # noqa: E402


class TPUEstimator(_TPUEstimator):
    """`tf.contrib.tpu.TPUEstimator` that trains on CPUs and GPUs, and exports for them.

    Raises:
        ValueError: `use_tpu` is true, as it is where it is not given.
    """

    def __init__(
        self,
        model_fn: Any = None,
        model_dir: str | None = None,
        config: Any = None,
        params: Any = None,
        use_tpu: bool = True,
        *others: Any,
        **named: Any,
    ) -> None:
        if use_tpu:
            raise ValueError("TPUEstimator trains on CPUs and GPUs here: give it use_tpu=False")
        named.setdefault("export_to_tpu", False)
        super().__init__(model_fn, model_dir, config, params, use_tpu, *others, **named)
