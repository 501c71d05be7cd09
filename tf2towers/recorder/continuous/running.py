"""Runs one side of a continuous comparison, as `python SCRIPT ARGS` would, and ends it when there is enough."""

import os
from typing import Any, Dict, List

from tf2towers.instrumentation.session_runs import change_settings

from .. import seeds
from ..overlay import keep_writes
from ..running import follow, prepare
from ..writing import Writer
from .calls import CallRecorder
from .draws import same_draws


def main(options: Dict[str, Any], script: str, arguments: List[str]) -> int:
    """Records a script; its exit status.

    Args:
        options: as `__main__.py` says, and "calls": 'original' or 'migrated'; "resource_variables": the original's
            variables are resources; "tower_order": the migrated script's means are added up in TF1's order.
        script, arguments: what to run.
    """
    tf = prepared(options)
    if "turns" in options:
        from . import cluster

        return cluster.main(options, tf, script, arguments)
    folder = os.path.dirname(os.path.abspath(script))
    recorder = CallRecorder(
        tf, Writer(options["out"]), options["steps"], folder, options.get("scratch") or ""
    )
    recorder.watch()
    seeds.fix_seeds(options.get("seed", seeds.SEED))
    same_draws(options.get("seed", seeds.SEED))
    return follow(tf, recorder, script, arguments)


def prepared(options: Dict[str, Any]) -> Any:
    """The TF1 module, without graph rewriting, which rounds by what else is fetched."""
    if options["calls"] == "migrated":
        import tensorflow

        keep_writes(options)
        tensorflow.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
        # what GPUs run is what is compared, whatever the devices are here
        os.environ["TF2TOWERS_COLLECTIVES"] = "never" if options.get("tower_order") else "always"
        return tensorflow.compat.v1
    tf = prepare(options)
    change_settings(tf, lambda config: _without_rewriting(tf.ConfigProto(), config))
    if options.get("resource_variables"):
        from tensorflow.python.ops import variable_scope

        tf.enable_resource_variables()
        # `tf.disable_v2_behavior()` is the script's to say, and this is part of it
        variable_scope.disable_resource_variables = lambda: None
    return tf


def _without_rewriting(settings: Any, given: Any) -> Any:
    """New settings of a session, with those that it is given."""
    if given is not None:
        settings.CopyFrom(given)
    rewriting = settings.graph_options.rewrite_options
    if hasattr(rewriting, "disable_meta_optimizer"):
        rewriting.disable_meta_optimizer = True
    return settings
