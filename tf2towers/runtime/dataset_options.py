"""`tf.data.Options` with TF 1.13's to 1.15's attributes, which only affect a pipeline's speed.

When options are merged, TF 2 copies the attributes that it knows
(`tensorflow.python.data.util.options.merge_options`).
"""

from __future__ import annotations

import tensorflow as tf

__all__ = ["DistributeOptions", "MapVectorizationOptions", "OptimizationOptions", "Options", "StatsOptions"]


class MapVectorizationOptions:
    """`tf.data.experimental.MapVectorizationOptions`; without effect."""

    enabled: bool | None = None
    use_choose_fastest: bool | None = None


class StatsOptions:
    """`tf.data.experimental.StatsOptions`; no statistics are collected."""

    aggregator: object = None
    prefix = ""
    counter_prefix = ""
    latency_all_edges: bool | None = None


class OptimizationOptions(tf.data.experimental.OptimizationOptions):
    """`tf.data.experimental.OptimizationOptions` with attributes that have no effect."""

    autotune = autotune_algorithm = autotune_buffers = autotune_cpu_budget = None
    filter_with_random_uniform_fusion = hoist_random_uniform = map_vectorization = None

    def __init__(self) -> None:
        super().__init__()
        self.map_vectorization = MapVectorizationOptions()


class DistributeOptions(tf.data.experimental.DistributeOptions):
    """`tf.data.experimental.DistributeOptions`, which a script's own towers do not use."""

    auto_shard: bool | None = None


class Options(tf.data.Options):
    """`tf.data.Options` with attributes of no effect: TF 1.13's from `experimental_autotune`."""

    experimental_numa_aware = experimental_stateful_whitelist = experimental_stats = None
    experimental_autotune = experimental_filter_fusion = experimental_hoist_random_uniform = None
    experimental_latency_all_edges = experimental_map_and_batch_fusion = None
    experimental_map_and_filter_fusion = experimental_map_fusion = experimental_map_parallelization = None
    experimental_map_vectorization = experimental_noop_elimination = None
    experimental_shuffle_and_repeat_fusion = None

    def __init__(self) -> None:
        super().__init__()
        self.experimental_distribute = DistributeOptions()
        self.experimental_optimization = OptimizationOptions()
        self.experimental_stats = StatsOptions()
