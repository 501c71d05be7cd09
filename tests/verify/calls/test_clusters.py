"""Clusters, run as `launch` runs them: one asynchronous worker, two synchronous ones, and a mistake in each."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.verify.migrating import migrate_into
from tf2towers.launch.cluster import Shape
from tf2towers.launch.job import run_cluster
from tf2towers.launch.plan import Plan
from tf2towers.launch.program import find_shape
from tf2towers.report.parity_result import ParityResult, Side
from tf2towers.verify.calls.call_comparison import Run
from tf2towers.verify.calls.verdict import judge
from tf2towers.verify.sides import Options, RunFailed, record_calls
from tf2towers.verify.verify import verify

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

SCRIPT = Path(__file__).parents[3] / "legacy" / "mnist_supervisor.py"
FLAGS = ["--batch_size=20", "--hidden_units=20", "--train_steps=100"]
#: what a setter says of the worker, and what another says: what is built for a parameter server names a GPU then, too
WORKER = ("'/job:worker/task:%d' % FLAGS", "'/job:worker/task:%d/gpu:0' % FLAGS")
KINDS = {"asynchronous": (1, "--issync=0"), "synchronous": (2, "--issync=1"), "on a GPU": (2, "--issync=1")}
MISTAKE = ("replicas_to_aggregate=num_workers", "replicas_to_aggregate=1")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Run]:
    """Recordings of three steps of each worker."""
    folder = tmp_path_factory.mktemp("clusters")
    shutil.copyfile(SCRIPT.with_name("trainer_data.py"), folder / "trainer_data.py")
    on_gpu = folder / SCRIPT.name
    assert WORKER[0] in SCRIPT.read_text()
    on_gpu.write_text(SCRIPT.read_text().replace(*WORKER))
    migrate_into(SCRIPT, folder / "migrated")
    migrate_into(SCRIPT, folder / "wrong", *MISTAKE)
    migrate_into(on_gpu, folder / "on_gpu")
    folders = {(kind, "original"): SCRIPT.parent for kind in KINDS}
    folders |= {(kind, "migrated"): folder / "migrated" for kind in KINDS}
    folders |= {("synchronous", "wrong"): folder / "wrong"}
    folders |= {("on a GPU", "original"): folder, ("on a GPU", "migrated"): folder / "on_gpu"}

    def record(run: tuple[str, str]) -> Run:
        workers, flag = KINDS[run[0]]
        options = Options(steps=3, timeout=200, scratch=folder / "scratch", cluster=Shape(workers=workers))
        script, out = folders[run] / SCRIPT.name, folder / "-".join(run)
        return record_calls(script, [*FLAGS, flag], out, options, migrated=run[1] != "original")

    with ThreadPoolExecutor(3) as pool:
        return dict(zip(folders, pool.map(record, folders), strict=True))


def verdict(original: Run, other: Run, options: Options | None = None) -> ParityResult:
    result = ParityResult(Side("original", SCRIPT), Side("migrated", SCRIPT))
    judge(result, original, other, options)
    return result


@pytest.mark.parametrize("kind", KINDS)
def test_a_migrated_cluster_is_bitwise_equal(kind: str, runs: dict[tuple[str, str], Run]) -> None:
    """Where a setter names a GPU, a synchronous original used to wait for a token of its new step for ever."""
    result = verdict(runs[kind, "original"], runs[kind, "migrated"])
    assert (result.outcome, result.diagnoses) == ("bitwise", [])
    assert result.steps == 3 * KINDS[kind][0]
    compared = {(comparison.kind, comparison.name) for comparison in result.comparisons}
    assert compared >= {("variable", "hid_w/Adam"), ("variable", "global_step"), ("gradient", "sm_b")}


def test_a_mistake_of_a_cluster_differs_at_a_session_call(runs: dict[tuple[str, str], Run]) -> None:
    result = verdict(runs["synchronous", "original"], runs["synchronous", "wrong"])
    assert result.outcome == "differs"
    assert "session call" in result.diagnoses[0].message


def test_the_end_of_an_iterator(tmp_path: Path) -> None:
    """The script catches it, and takes its next turn; the iterators' handles are not compared.

    Reads of the parameter server's variables beside an update are before it, in both.
    """
    script = Path(__file__).parent / "legacy" / "two_iterators.py"
    migrate_into(script, tmp_path)
    options = Options(steps=3, timeout=100, scratch=tmp_path / "scratch", cluster=Shape(workers=1))
    runs = [
        record_calls(path, [], tmp_path / which, options, migrated=which == "migrated")
        for which, path in (("original", script), ("migrated", tmp_path / script.name))
    ]
    result = verdict(*runs)
    assert (result.outcome, result.diagnoses) == ("bitwise", [])
    assert result.steps == 3


def test_a_worker_that_fails_before_its_last_step(tmp_path: Path) -> None:
    """What it has recorded is not taken for its whole run: both sides may fail at the same step."""
    text = (Path(__file__).parent / "legacy" / "two_iterators.py").read_text(encoding="utf-8")
    script = tmp_path / "fails.py"
    script.write_text(text + "        raise ValueError('no more batches')\n", encoding="utf-8")
    options = Options(steps=3, timeout=100, scratch=tmp_path / "scratch", cluster=Shape(workers=1))
    with pytest.raises(RunFailed, match=r"worker 0 ended with status 1: ValueError: no more batches"):
        record_calls(script, [], tmp_path / "original", options, migrated=False)


def test_a_checkpoint_folder_that_exists(tmp_path: Path) -> None:
    """Parameter servers read the user's files, and write to scratch, the checkpoint of the same step again as well."""
    script, folder = Path(__file__).parent / "legacy" / "goes_on.py", tmp_path / "checkpoints"
    migrate_into(script, tmp_path)
    options = Options(steps=3, timeout=100, scratch=tmp_path / "scratch", cluster=Shape())

    def record(name: str, last: int, **changes: object) -> Run:
        path = tmp_path / script.name if name == "migrated" else script
        how = replace(options, **changes)
        return record_calls(path, [str(folder), str(last)], tmp_path / name, how, migrated=name == "migrated")

    record("before", 8, steps=20, allow=(str(folder),))
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    with ThreadPoolExecutor(2) as pool:
        result = verdict(*pool.map(record, ("original", "migrated"), (40, 40)), options)
    assert (result.outcome, result.steps) == ("bitwise", 6)
    assert not any("checkpoint" in note for note in result.notes)
    over = record("over", 8, cluster=Shape(workers=1))
    assert verdict(over, over, options).notes[0].startswith("1 training step of 3: the checkpoint in ")
    empty = record("empty", 8, cluster=Shape(workers=1), empty=(str(folder),))
    assert (empty.trained, empty.restored) == (3, [])
    assert files == {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.skipif(find_spec("tensorflow_estimator") is None, reason="needs tensorflow-estimator")
def test_an_estimator_with_a_chief(tmp_path: Path) -> None:
    """`launch` trains a model, with an evaluator; `verify` begins it anew, where it would be at its last step."""
    script, folder = Path(__file__).parent / "legacy" / "estimator_cluster.py", str(tmp_path / "model")
    migrate_into(script, tmp_path)
    lines: list[str] = []
    plan = Plan(tmp_path / script.name, [folder], chief="chief", evaluators=1, timeout=120)
    outcome, _ = run_cluster(plan, lambda task, line: lines.append(f"{task}: {line}"))
    ended = {line for line in lines if ": ended" in line}
    assert outcome.status == 0, lines[-20:]
    assert ended >= {"chief 0: ended chief", "worker 0: ended worker", "evaluator 0: ended evaluator"}
    shape = find_shape([script], None, 2, None)
    options = Options(steps=3, timeout=120, cluster=shape, empty=(folder,))
    result = verify(script, tmp_path / script.name, [folder], options)
    assert (result.outcome, result.steps, result.error) == ("bitwise", 6, "")
    assert "no evaluator was run" in result.notes[-1]


@pytest.mark.parametrize("name", ["averaged", "backups", "by_hand"])
def test_three_synchronous_workers(name: str, tmp_path: Path) -> None:
    """Their gradients are added in the order of the workers: another order of three changes the sum.

    Moving averages, and reads that wait, come after the chief's update, and one worker after the other. Where two
    gradients make a step, whose they are is the same in each run, and so is whose come too late.
    """
    script = Path(__file__).parent / "legacy" / f"{name}.py"
    migrate_into(script, tmp_path)
    options = Options(steps=3, timeout=200, scratch=tmp_path / "scratch", cluster=Shape(workers=3))

    def record(path: Path) -> Run:
        migrated = path != script
        return record_calls(path, [], tmp_path / f"run-{migrated}", options, migrated=migrated)

    with ThreadPoolExecutor(2) as pool:
        result = verdict(*pool.map(record, (script, tmp_path / script.name)))
    assert (result.outcome, result.diagnoses) == ("bitwise", [])
    assert result.steps == 9
