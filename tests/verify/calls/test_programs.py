"""Programs run as users run them: right ones are PARITY, each seeded mistake is caught where it is first to be seen."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest
from suite import all_programs

from tests.verify.migrating import migrate_into
from tf2towers.launch.program import makes_session_calls
from tf2towers.report.parity_result import ParityResult, Side
from tf2towers.verify.calls.call_comparison import Run
from tf2towers.verify.calls.verdict import judge
from tf2towers.verify.sides import Options, record_calls
from tf2towers.verify.verify import verify

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

HERE = Path(__file__).parent
TRAINER = HERE / "legacy" / "trainer.py"

RIGHT = {
    "the trainer": TRAINER,
    "batches shuffled without a seed, checkpoints named by the clock": HERE / "legacy" / "shuffled.py",
}
OF_SUITE = {
    "a monitored session with hooks": "towers/monitored_training_session",
    "a checkpoint resumed": "towers/resumed_from_the_latest",
    "callables of both kinds": "sessions/make_callable",
}
AVERAGE = "grads = strategy.reduce('MEAN', tower_grads)\n"
STALE = """\
from tf2towers.runtime.graph_session.mirror import _Application
_repeat = _Application._repeat
_Application._repeat = lambda self, node, tower: 'Adam' in node.op or _repeat(self, node, tower)
"""


class Mistake(NamedTuple):
    """A mistake: the text that replaces `right`, and the message on the first difference."""

    right: str
    wrong: str
    says: tuple[str, ...]


MISTAKES = {
    "the sum for the mean": Mistake(
        AVERAGE,
        AVERAGE + "grads = [(2.0 * g, v) for g, v in grads]\n",
        ("call 1 ", "gradient hidden/", "line 65 of the original"),
    ),
    "another epsilon": Mistake("epsilon=1e-4", "epsilon=1e-3", ("call 1 ", "variable hidden/weights")),
    "a stale copy": Mistake(
        "\ngraph_mode()\n", f"\n{STALE}graph_mode()\n", ("call 2 ", "fetched tower_1/AddN:0")
    ),
    "a wrong seed": Mistake(
        "keep_prob=0.75)", "keep_prob=0.75, seed=7)", ("call 1 ", "fetched tower_1/AddN:0")
    ),
    "a lost regulariser": Mistake("DECAY = 0.01", "DECAY = 0.0", ("call 1 ", "fetched tower_1/AddN:0")),
    "clipping moved": Mistake(
        "return opt.compute_gradients(loss), loss",
        "return [(tf.clip_by_norm(g, 0.5), v) for g, v in opt.compute_gradients(loss)], loss",
        ("call 1 ", "gradient hidden/"),
    ),
    "another value assigned": Mistake("rate * 0.5", "rate * 0.25", ("call 3 ", "line 67")),
    "a call that is missing": Mistake("number == 1", "number == 9", ("session call 3 ", "Assign")),
    "average of old weights": Mistake(
        "tf.control_dependencies([apply_op])",
        "tf.control_dependencies([])",
        ("call 1 ", "gradient hidden/weights: only in the original"),
    ),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ParityResult]:
    """The verdicts, by name; two runs at a time."""
    folder = tmp_path_factory.mktemp("continuous")
    with ThreadPoolExecutor(2) as pool:
        original = pool.submit(record_calls, TRAINER, [], folder / "original", Options(), migrated=False)
        runs: dict[str, Future[Run]] = {}
        for name, mistake in MISTAKES.items():
            home = folder / name.replace(" ", "_")
            migrate_into(TRAINER, home, mistake.right, mistake.wrong)
            script = home / TRAINER.name
            runs[name] = pool.submit(record_calls, script, [], home / "run", Options(), migrated=True)
        right = {}
        suite = {program.name: program for program in all_programs("towers", "sessions")}
        written = {name: suite[program].write(folder / "suite") for name, program in OF_SUITE.items()}
        for name, path in {**RIGHT, **written}.items():
            migrate_into(path, folder)
            right[name] = pool.submit(verify, path, folder / path.name, [str(folder)], Options())
        results = {name: future.result() for name, future in right.items()}
        for name, future in runs.items():
            results[name] = ParityResult(Side("original", TRAINER), Side("migrated", folder / name))
            judge(results[name], original.result(), future.result())
    return results


@pytest.mark.parametrize("name", [*RIGHT, *OF_SUITE])
def test_a_right_migration_is_bitwise_equal(name: str, made: dict[str, ParityResult]) -> None:
    result = made[name]
    assert (result.outcome, result.error, result.diagnoses) == ("bitwise", "", [])
    assert result.calls > result.steps > 2


def test_gradients_slots_averages_and_summaries_are_compared(made: dict[str, ParityResult]) -> None:
    result = made["the trainer"]
    names = {(comparison.kind, comparison.name) for comparison in result.comparisons}
    assert (result.calls, result.steps) == (7, 4)
    assert names >= {
        ("gradient", "softmax/biases"), ("variable", "hidden/weights/Adam_1"), ("variable", "rate"),
        ("variable", "softmax/weights/ExponentialMovingAverage"), ("summary", "loss"), ("input", "Placeholder:0"),
        ("summary", "first_gradient"), ("fetched", "tower_1/AddN:0"), ("variable", "global_step"),
    }  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_seeded_mistake_differs_and_is_named(name: str, made: dict[str, ParityResult]) -> None:
    result = made[name]
    assert result.outcome == "differs"
    said = result.diagnoses[0].message
    assert all(part in said for part in MISTAKES[name].says), said


def test_scripts_that_use_the_runtimes_session_are_found(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    exact = ["from tf2towers.runtime import Session as S", "import tf2towers.runtime as rt\nrt.graph_mode()",
             "from tf2towers import runtime\nruntime.Supervisor()"]  # fmt: skip
    for text in exact:
        script.write_text(text)
        assert makes_session_calls(script), text
    others = ["from tf2towers.runtime import VariableStore, watch", "# from tf2towers.runtime import Session",
              "print('from tf2towers.runtime import Session')", "import tensorflow as tf\ntf.Session()"]  # fmt: skip
    for text in others:
        script.write_text(text)
        assert not makes_session_calls(script), text
    (tmp_path / "model.py").write_text(exact[0])
    script.write_text("import model")
    assert makes_session_calls(script)
