"""The steps of docs/modernizing.md: each is proved against the step before, or against the last one with sessions."""

from __future__ import annotations

import re
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.tasks import run_python
from tests.verify.migrating import migrate_into
from tf2towers.launch.cluster import Shape
from tf2towers.report.parity_result import ParityResult
from tf2towers.verify.calls.verdict import judge as judge_calls
from tf2towers.verify.process import ENVIRONMENT
from tf2towers.verify.result_notes import new_result
from tf2towers.verify.rewrites.verdict import judge
from tf2towers.verify.sides import Options, record_calls, record_migrated, record_original

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).resolve().parents[2]
STEPS = ROOT / "docs/modernizing"
CIFAR = ["--num_gpus=2", "--batch_size=8", "--decay_steps=5", "--summary_every=4"]
SAVED = [*CIFAR, "--checkpoint_every=4"]
CLUSTER = ["--train_steps=10000", "--batch_size=20", "--hidden_units=16"]
#: programs with sessions, each proved against the one before, call by call: the first is what `migrate` makes of a
#: legacy one; their flags, and the cluster
CALLS = {
    "cifar10": ("cifar10_towers.py", [*SAVED, "--train_dir={}"], None),
    "mnist": ("mnist_supervisor.py", [*CLUSTER, "--log_dir={}"], Shape(1, 2)),
}
OF_CALLS = ("step1_decide.py", "step2_module.py")
#: programs of TF 2 functions, each proved against the last of those, and whether gradients alone are compared: Keras
#: adds up steps, each at its own learning rate, where TF1 adds up gradients
FUNCTIONS = {
    "step3_function": (STEPS / "cifar10/step3_function.py", SAVED, False),
    "step4_datasets": (STEPS / "cifar10/step4_datasets.py", SAVED, False),
    "step5_keras": (STEPS / "cifar10/step5_keras.py", SAVED, True),
    "step6_checkpoint": (STEPS / "cifar10/step6_checkpoint.py", SAVED, True),
    "modern": (ROOT / "modern/cifar10_mirrored.py", [*CIFAR, "--log_every=1"], True),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ParityResult]:
    """The verdicts; every program is recorded once, two at a time."""
    folder = tmp_path_factory.mktemp("modernizing")
    options = Options(steps=6, scratch=folder / "scratch")
    results: dict[str, ParityResult] = {}
    futures: dict[tuple[str, int], Future[Any]] = {}
    with ThreadPoolExecutor(2) as pool:
        for kind, (first, flags, cluster) in CALLS.items():
            migrate_into(ROOT / "legacy" / first, folder / kind)
            scripts = [folder / kind / first, *(STEPS / kind / name for name in OF_CALLS)]
            arguments = [flag.format(folder / "written") for flag in flags]
            how = replace(options, cluster=cluster)
            for place, script in enumerate(scripts):
                out = folder / f"{kind}-{place}"
                futures[kind, place] = pool.submit(record_calls, script, arguments, out, how, migrated=True)
        last = STEPS / "cifar10" / OF_CALLS[-1]
        arguments = [*SAVED, f"--train_dir={folder / 'written'}"]
        original = pool.submit(record_original, last, arguments, folder / "last", options, migrated=True)
        for name, (script, flags, _) in FUNCTIONS.items():
            arguments = [*flags, f"--train_dir={folder / 'written'}"]
            futures[name, 0] = pool.submit(
                record_migrated, script, arguments, folder / name, options, original.result().folder
            )
        for kind in CALLS:
            for place in (1, 2):
                script = STEPS / kind / OF_CALLS[place - 1]
                result = results[f"{kind} {place}"] = new_result(script, script, [])
                judge_calls(result, futures[kind, place - 1].result(), futures[kind, place].result())
        for name, (script, _, gradients_only) in FUNCTIONS.items():
            result = results[name] = new_result(last, script, [])
            how = replace(options, gradients_only=gradients_only)
            judge(result, original.result(), futures[name, 0].result(), how)
    return results


@pytest.mark.parametrize("name", [*(f"{kind} {place}" for kind in CALLS for place in (1, 2)), *FUNCTIONS])
def test_the_step_changes_no_bit(name: str, results: dict[str, ParityResult]) -> None:
    result = results[name]
    assert result.outcome == "bitwise", (result.outcome, result.error, result.notes)
    kinds = {comparison.kind for comparison in result.comparisons}
    assert "gradient" in kinds
    assert ("variable" in kinds) != (name in FUNCTIONS and FUNCTIONS[name][2])


def test_a_run_of_step_6_goes_on(tmp_path: Path) -> None:
    """Two steps, then two more, print the losses of four at once."""

    def losses(steps: int, name: str) -> list[str]:
        script = ROOT / "docs/modernizing/cifar10/step6_checkpoint.py"
        flags = [f"--max_steps={steps}", "--batch_size=8", "--log_every=1", f"--train_dir={tmp_path / name}"]
        out, _ = run_python(script, *flags, seconds=300, **ENVIRONMENT)
        return re.findall(r"step \d+, loss = \S+", out)

    with ThreadPoolExecutor(2) as pool:
        whole = pool.submit(losses, 4, "whole")
        parts = losses(2, "parts") + losses(4, "parts")
    assert len(parts) == 4 and parts == whole.result()
