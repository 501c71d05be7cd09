"""T2T631: the strategy that an Estimator trains on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst

from tf2towers.codemod.changes import Change, Now, Replacement, bare, expression, in_its_place, replace
from tf2towers.codemod.nodes import dotted, is_none, keyword_of, literal
from tf2towers.codemod.program import File, cached_per_file
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import Found

_MIRRORED = frozenset({"tf.contrib.distribute.MirroredStrategy", "tf.distribute.MirroredStrategy"})
_ONE_DEVICE = frozenset({"tf.contrib.distribute.OneDeviceStrategy", "tf.distribute.OneDeviceStrategy"})
_SERVERS = frozenset(
    {"tf.contrib.distribute.ParameterServerStrategy", "tf.distribute.experimental.ParameterServerStrategy"}
)
_MADE = _MIRRORED | _ONE_DEVICE | _SERVERS
#: how gradients are added up, which changes no sum
_REDUCTIONS = frozenset({
    "AllReduceCrossDeviceOps", "AllReduceCrossTowerOps", "HierarchicalCopyAllReduce", "NcclAllReduce",
    "ReductionToOneDevice", "ReductionToOneDeviceCrossDeviceOps",
})  # fmt: skip
#: whether a strategy has been entered
_ASKED = frozenset({
    "tf.contrib.distribute.has_distribution_strategy", "tf.contrib.distribute.has_strategy",
    "tf.distribute.has_strategy",
})  # fmt: skip
_WITHOUT_EFFECT = frozenset({"cross_device_ops", "cross_tower_ops", "prefetch_on_device"})
#: what a program does with a strategy by itself
_USED = frozenset({
    "call_for_each_replica", "call_for_each_tower", "distribute_dataset", "experimental_distribute_dataset",
    "experimental_run", "experimental_run_v2", "extended", "make_dataset_iterator", "make_input_fn_iterator",
    "num_replicas_in_sync", "num_towers", "scope", "unwrap", "worker_devices",
})  # fmt: skip


def changes(file: File) -> Iterator[Change]:
    """The runtime's strategy for each one that goes to a RunConfig alone."""
    for call in file.all(cst.Call) if _are_for_estimators(file) else ():
        if (made := _made(file, call)) is not None:
            yield Replacement(call, partial(_strategy, *made))
    for node, canonical in file.symbols:
        if canonical in _ASKED and _are_for_estimators(file):
            text = file.name_of(Found("v1", "tf.distribute.has_strategy"))
            if text != dotted(node):
                yield replace(node, text)


def _strategy(
    template: str, given: cst.BaseExpression | None, updated: cst.Call, now: Now
) -> cst.BaseExpression:
    parts = {} if given is None else {"given": bare(now(given))}
    return in_its_place(expression(template, **parts), updated)


def is_for_estimators(file: File, node: cst.CSTNode, canonical: str) -> bool:
    """True if a symbol is a strategy that an Estimator of the program is given, or how that adds up gradients."""
    if "distribute" not in canonical.split(".") or not _are_for_estimators(file):
        return False
    return canonical in _ASKED or any(
        isinstance(around, cst.Call) and _made(file, around) is not None for around in file.ancestors(node)
    )


@cached_per_file
def _are_for_estimators(file: File) -> bool:
    """True if `train_distribute=` and `eval_distribute=` are all that the program does with strategies."""
    files = file.program.files
    words = {keyword_of(given) for each in files for call in each.all(cst.Call) for given in call.args}
    read = {node.attr.value for each in files for node in each.all(cst.Attribute)}
    named = {name for each in files for _, name in each.symbols if "distribute" in name.split(".")}
    others = (name for name in named - _MADE - _ASKED if name.rpartition(".")[2] not in _REDUCTIONS)
    return (
        "train_distribute" in words
        and "experimental_distribute" not in words
        and read.isdisjoint(_USED)
        and not any(others)
    )


def _made(file: File, call: cst.Call) -> tuple[str, cst.BaseExpression | None] | None:
    """The runtime's strategy, with what it is given; None if the call makes no strategy, or has other arguments."""
    canonical = file.canonical(call.func)
    if canonical not in _MADE or any(given.star for given in call.args):
        return None
    first = ("devices", "num_gpus") if canonical in _MIRRORED else ("device",)
    if canonical in _SERVERS:
        first = ("num_gpus_per_worker",)
    if len([given for given in call.args if not given.keyword]) > len(first):
        return None
    values = {keyword_of(given) or first[at]: given.value for at, given in enumerate(call.args)}
    wanted = {name: value for name, value in values.items() if name not in _WITHOUT_EFFECT}
    wanted = {name: value for name, value in wanted.items() if not is_none(value)}
    if canonical in _SERVERS:
        count = wanted.pop("num_gpus_per_worker", None)
        served = count is None or literal(count) in (0, 1)
        return (f"{file.need('ParameterServerStrategy')}()", None) if served and not wanted else None
    if len(wanted) > 1 or not {*wanted} <= {"device", "devices", "num_gpus", "num_gpus_per_worker"}:
        return None
    given = "{given}" if wanted else ""
    given = f"[{given}]" if canonical in _ONE_DEVICE else given
    return f"{file.need('TowerStrategy')}({given})", next(iter(wanted.values()), None)


RULE = Rule(
    code="T2T631",
    title="The strategy of an Estimator",
    why="""
    `tf.estimator.RunConfig(train_distribute=...)` takes a strategy of the runtime in the place of TensorFlow 1's. It
    trains in the same way: each tower has the next batch, its loss is divided by the number of towers, and the
    gradients are added up. With parameter servers an Estimator trains as it does without a strategy.

    A strategy that the program uses in any other way is left (T2T622).
    """,
    changes=changes,
    sources=("tf2towers/runtime/tf1/estimator_strategies.py",),
    examples=(
        Example(
            "towers on two GPUs",
            """
                import tensorflow as tf

                strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=2)
                config = tf.estimator.RunConfig(train_distribute=strategy)
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import TowerStrategy, estimator, graph_mode

                graph_mode()

                strategy = TowerStrategy(2)
                config = estimator.RunConfig(train_distribute=strategy)
                """,
        ),
    ),
)
