"""Clusters, run as `launch` runs them: one asynchronous worker, two synchronous ones, and a mistake in each."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from tests.verify.migrating import migrate_into
from tf2towers.launch.cluster import Shape
from tf2towers.report.parity_result import ParityResult, Side
from tf2towers.verify.calls.compare import Run
from tf2towers.verify.calls.verdict import judge
from tf2towers.verify.sides import Options, record_calls

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

SCRIPT = Path(__file__).parents[3] / "legacy" / "mnist_supervisor.py"
FLAGS = ["--batch_size=20", "--hidden_units=20", "--train_steps=100"]
KINDS = {"asynchronous": (1, ["--issync=0"]), "synchronous": (2, ["--issync=1"])}
RIGHT, WRONG = "replicas_to_aggregate=num_workers", "replicas_to_aggregate=1"


#: of a setter: what is built for a parameter server names the worker's GPU then, too
WORKER = ("'/job:worker/task:%d' % FLAGS", "'/job:worker/task:%d/gpu:0' % FLAGS")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Recordings of three steps of each worker."""
    folder = tmp_path_factory.mktemp("clusters")
    migrate_into(SCRIPT, folder)
    text = (folder / SCRIPT.name).read_text()
    calls = {}
    for kind, (workers, flags) in KINDS.items():
        options = Options(steps=3, timeout=200, scratch=folder / "scratch", cluster=Shape(workers=workers))
        scripts = {"original": SCRIPT, "migrated": folder / SCRIPT.name}
        if kind == "synchronous":
            assert RIGHT in text
            scripts["wrong"] = folder / "wrong.py"
            scripts["wrong"].write_text(text.replace(RIGHT, WRONG))
        for name, path in scripts.items():
            arguments = [*FLAGS, *flags]
            calls[f"{kind} {name}"] = partial(
                record_calls, path, arguments, folder / f"{kind}-{name}", options, migrated=name != "original"
            )
    shutil.copyfile(SCRIPT.with_name("trainer_data.py"), folder / "trainer_data.py")
    on_gpu = folder / "on_gpu.py"
    assert WORKER[0] in SCRIPT.read_text()
    on_gpu.write_text(SCRIPT.read_text().replace(*WORKER))
    migrate_into(on_gpu, folder / "mig")
    options = Options(steps=3, timeout=200, scratch=folder / "scratch", cluster=Shape(workers=2))
    for which, path in (("original", on_gpu), ("migrated", folder / "mig" / on_gpu.name)):
        calls[f"on a GPU {which}"] = partial(
            record_calls, path, [*FLAGS, "--issync=1"], folder / f"gpu-{which}", options,
            migrated=which == "migrated",
        )  # fmt: skip
    with ThreadPoolExecutor(3) as pool:
        futures = {name: pool.submit(call) for name, call in calls.items()}
        return {name: future.result() for name, future in futures.items()}


def verdict(runs: dict[str, Run], kind: str, other: str) -> ParityResult:
    result = ParityResult(Side("original", SCRIPT), Side("migrated", SCRIPT))
    judge(result, runs[f"{kind} original"], runs[f"{kind} {other}"])
    return result


@pytest.mark.parametrize("kind", KINDS)
def test_the_same(kind: str, runs: dict[str, Run]) -> None:
    result = verdict(runs, kind, "migrated")
    assert (result.outcome, result.diagnoses) == ("bitwise", [])
    assert result.steps == 3 * KINDS[kind][0]
    compared = {(comparison.kind, comparison.name) for comparison in result.comparisons}
    assert compared >= {("variable", "hid_w/Adam"), ("variable", "global_step"), ("gradient", "sm_b")}


def test_a_setter_that_names_a_gpu(runs: dict[str, Run]) -> None:
    """A synchronous original used to wait for a token of its new step for ever."""
    result = verdict(runs, "on a GPU", "migrated")
    assert (result.outcome, result.steps, result.diagnoses) == ("bitwise", 6, [])


def test_a_mistake(runs: dict[str, Run]) -> None:
    result = verdict(runs, "synchronous", "wrong")
    assert result.outcome == "differs"
    assert "session call" in result.diagnoses[0].message


def test_the_end_of_an_iterator(tmp_path: Path) -> None:
    """The script catches it, and takes its next turn; the iterators' handles are not compared."""
    script = Path(__file__).parent / "legacy" / "two_iterators.py"
    migrate_into(script, tmp_path)
    options = Options(steps=3, timeout=100, scratch=tmp_path / "scratch", cluster=Shape(workers=1))
    runs = [
        record_calls(path, [], tmp_path / which, options, migrated=which == "migrated")
        for which, path in (("original", script), ("migrated", tmp_path / script.name))
    ]
    result = ParityResult(Side("original", script), Side("migrated", script))
    judge(result, *runs)
    assert (result.outcome, result.diagnoses) == ("bitwise", [])
    assert result.steps == 3
