"""`tf.data.Options` with what TF 1.13 to 1.15 had in it, and TF 2 has not: all of it decides how fast a pipeline is."""

from __future__ import annotations

import tensorflow as tf

__all__ = [
    "DistributeOptions",
    "MapVectorizationOptions",
    "OptimizationOptions",
    "Options",
    "StatsOptions",
]


class MapVectorizationOptions:
    """`tf.data.experimental.MapVectorizationOptions`; without effect."""

    enabled: bool | None = None
    use_choose_fastest: bool | None = None


class StatsOptions:
    """`tf.data.experimental.StatsOptions`; nothing is counted."""

    aggregator: object = None
    prefix = ""
    counter_prefix = ""
    latency_all_edges: bool | None = None


class OptimizationOptions(tf.data.experimental.OptimizationOptions):
    """`tf.data.experimental.OptimizationOptions`; what is written here has no effect."""

    autotune: bool | None = None
    autotune_algorithm: int | None = None
    autotune_buffers: bool | None = None
    autotune_cpu_budget: int | None = None
    filter_with_random_uniform_fusion: bool | None = None
    hoist_random_uniform: bool | None = None
    map_vectorization: MapVectorizationOptions | None = None

    def __init__(self) -> None:
        super().__init__()
        self.map_vectorization = MapVectorizationOptions()


class DistributeOptions(tf.data.experimental.DistributeOptions):
    """`tf.data.experimental.DistributeOptions`; a script's own towers take no distributed pipelines."""

    auto_shard: bool | None = None


class Options(tf.data.Options):
    """`tf.data.Options`; what is written here has no effect. TF 1.13's begin at `experimental_autotune`.

    TF 2 takes over what it knows when options are merged (`tensorflow.python.data.util.options.merge_options`).
    """

    experimental_numa_aware: bool | None = None
    experimental_stateful_whitelist: object = None
    experimental_stats: StatsOptions | None = None
    experimental_autotune: bool | None = None
    experimental_filter_fusion: bool | None = None
    experimental_hoist_random_uniform: bool | None = None
    experimental_latency_all_edges: bool | None = None
    experimental_map_and_batch_fusion: bool | None = None
    experimental_map_and_filter_fusion: bool | None = None
    experimental_map_fusion: bool | None = None
    experimental_map_parallelization: bool | None = None
    experimental_map_vectorization: bool | None = None
    experimental_noop_elimination: bool | None = None
    experimental_shuffle_and_repeat_fusion: bool | None = None

    def __init__(self) -> None:
        super().__init__()
        self.experimental_distribute = DistributeOptions()
        self.experimental_optimization = OptimizationOptions()
        self.experimental_stats = StatsOptions()
