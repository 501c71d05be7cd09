"""The cases of parameter-server scripts, before and after: clusters of processes that make the same updates to the bit.

One parameter server and two workers each. Asynchronous workers take their steps in turns, on both sides.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from cases import after, all_cases, is_left

from tests.verify.clusters import at_once, record_cluster
from tf2towers.verify.average_order import Order
from tf2towers.verify.compare import compare
from tf2towers.verify.recording import Recording

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

CASES = [name for name, case in all_cases().items() if "test_clusters.py" in case.options.get("towers", "")]
FEW = ("cluster_rows", "cluster_supervisor")
NAMES = [pytest.param(name, marks=[] if name in FEW else pytest.mark.long) for name in CASES]
STEPS = 12
OWN_LINE = re.compile(r"loss \S+|accuracy \S+|worker \d done|(worker \d: )step \d+: (loss \S+)")


@dataclass
class Trained:
    """What a cluster has left: its first updates, the lines that the script itself printed, its folder."""

    recording: Recording
    printed: dict[str, list[str]]
    folder: Path


def train(side: str, text: str, folder: Path, *flags: str) -> Trained:
    """Runs a script as a cluster; every worker of it ends with status 0."""
    folder.mkdir()
    if side == "legacy":
        text = text.replace(
            "import tensorflow as tf\n",
            "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n",
            1,
        )
    script = folder / "train.py"
    script.write_text(text)
    printed: dict[str, list[str]] = {"worker 0": [], "worker 1": []}

    def note(task: str, line: str) -> None:
        if found := OWN_LINE.fullmatch(line.strip()):
            # which step a TF1 worker prints depends on whether its update was there when it looked
            printed[task].append(found[1] + found[2] if found[1] else found[0])

    given = [f"--steps={STEPS}", *flags]
    return Trained(record_cluster(side, script, given, STEPS, on_line=note), printed, folder)


Pair = tuple[Trained, Trained]


@pytest.fixture(scope="module")
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """(before, after) of a case; each is trained once. All are begun at once, three clusters at a time.

    (A cluster's start keeps a core busy for each of its processes, its end hardly one.)
    """
    tests = [item for item in request.session.items if item.fspath == request.fspath]
    wanted = dict.fromkeys(item.callspec.params["name"] for item in tests if hasattr(item, "callspec"))
    begun: dict[str, tuple[Future[Trained], Future[Trained]]] = {}
    with ThreadPoolExecutor(3) as pool:

        def begin(name: str) -> None:
            folder = tmp_path_factory.mktemp(name)
            begun[name] = (
                pool.submit(train, "legacy", all_cases()[name].script, folder / "legacy"),
                pool.submit(train, "migrated", after(name), folder / "migrated"),
            )

        def both(name: str) -> Pair:
            if name not in begun:
                begin(name)
            before, migrated = begun[name]
            return before.result(), migrated.result()

        for name in wanted:
            begin(name)
        yield both
        pool.shutdown(cancel_futures=True)


def differences(before: Recording, migrated: Recording) -> list[str]:
    order = Order(before.facts.unordered_averages)
    steps = [dataclasses.replace(step, tower_gradients=[]) for step in order.of(before.steps, migrated.steps)]
    verdicts = compare(steps, migrated.steps)
    assert {verdict.kind for verdict in verdicts} >= {"gradient", "variable", "loss"}
    return [f"{verdict.kind} {verdict.name}" for verdict in verdicts if not verdict.bitwise]


def test_every_case_is_here_or_says_why_not() -> None:
    cases = {
        name: case for name, case in all_cases().items() if name.startswith("cluster_") and not is_left(case)
    }
    assert set(CASES) <= set(cases)
    assert all(case.options["towers"].startswith("none: ") for case in cases.values())
    assert len(CASES) >= 3


@pytest.mark.parametrize("name", NAMES)
def test_same_updates(name: str, trained) -> None:
    """Divisions in the cases are by powers of two.

    TensorFlow's optimizer of graphs makes x / 120 a product with 1/120 in one TF1 worker and not in the other: a unit
    in the last place.
    """
    before, migrated = trained(name)
    assert differences(before.recording, migrated.recording) == []


@pytest.mark.parametrize("name", NAMES)
def test_same_lines(name: str, trained) -> None:
    """Of as many steps as were asked for: who has to make one more is decided by when a TF1 worker looks.

    The process of worker 0 prints for all workers.
    """
    before, migrated = trained(name)
    assert migrated.printed["worker 1"] == []
    wanted = Counter(line for lines in before.printed.values() for line in lines[: STEPS // 2])
    found = Counter(migrated.printed["worker 0"])
    assert wanted <= found
    assert (found - wanted).total() <= 2
    assert bool(wanted) == ("print(" in all_cases()[name].script)


@pytest.mark.long
def test_synchronous_by_the_flag(tmp_path: Path) -> None:
    """The original with no tokens at the start, and some at the end: else a fast worker stands in for a slow one."""
    text = all_cases()["cluster_either"].script
    hook = "opt.make_session_run_hook(is_chief)"
    assert hook in text
    in_step = text.replace(f"hooks.append({hook})", (
        f"hooks.append({hook[:-1]}, num_tokens=0)); "
        "hooks.append(tf.train.FinalOpsHook(opt.get_init_tokens_op(num_tokens=2 * num_workers)))"
    ))  # fmt: skip
    # a chief that ends closes the queue of tokens, and a worker that has some to give last would fail: it ends late
    late = "type('Late', (tf.train.SessionRunHook,), {'end': lambda *_: __import__('time').sleep(3 * is_chief)})()"
    in_step = in_step.replace(
        "    with tf.train.Monitored", f"    hooks.append({late})\n    with tf.train.Monitored"
    )
    assert late in in_step
    # the thread that applies the mean would wait for more gradients: no grace for it
    in_step = in_step.replace("hooks=hooks)", "hooks=hooks, stop_grace_period_secs=1)")
    before, migrated = at_once(
        lambda: train("legacy", in_step, tmp_path / "legacy", "--sync"),
        lambda: train("migrated", after("cluster_either"), tmp_path / "migrated", "--sync"),
    )
    assert differences(before.recording, migrated.recording) == []
    for worker, lines in before.printed.items():
        assert migrated.printed[worker] == lines[:STEPS], "each prints its own"
