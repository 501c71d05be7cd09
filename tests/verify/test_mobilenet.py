"""MobileNetV2 in towers, migrated, with MirroredStrategy by hand and by `fit`: the same training.

Three blocks of it here: an expansion of 1, a stride of 2 and a sum are among them. All 17, by the command and by
`make test-long`: `tf2towers verify --gradients-only legacy/mobilenet_towers.py modern/mobilenet_mirrored.py`.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from tests.verify.migrating import migrate_into
from tf2towers.report.parity_result import ParityResult, Side
from tf2towers.verify.process import ENVIRONMENT
from tf2towers.verify.recording import Recording
from tf2towers.verify.sides import Options, record_migrated, record_original
from tf2towers.verify.verify import judge, verify

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).resolve().parents[2]
LEGACY, MODERN = ROOT / "legacy" / "mobilenet_towers.py", ROOT / "modern" / "mobilenet_mirrored.py"
STEPS, RATE = 3, 0.001
FLAGS = ["--num_gpus=2", "--batch_size=8", f"--max_steps={STEPS}", "--num_epochs=1"]
RECORDED = Options(steps=10_000)  # to the script's own end
# Keras takes 1 - 0.9 and 1 - 0.999 in double precision, TF1's Adam in single: 2.4e-7 and 1.3e-5 of them apart, and so
# are the moments after one step. The update divides the one by the root of the other, and TF1's own 1 - 0.999**t, which
# is of the same single-precision number, makes up for it there: 2.4e-5 of the learning rate at most, and the last bit.
FIRST_MOMENT, SECOND_MOMENT, UPDATE = 5e-7, 2e-5, 5e-5


class Runs(NamedTuple):
    """All that was run."""

    legacy: Recording
    migrated: ParityResult
    modern: dict[str, np.ndarray]
    printed: str
    folder: Path

    def gradients(self, kind: str, place: int) -> dict[str, np.ndarray]:
        """The summed gradients of the modern trainer, a row a replica."""
        return {
            name: self.modern[f"{kind}|gradient|{name}|{place}"]
            for name in self.legacy.steps[place].gradients
        }

    def variables(self, kind: str, place: int) -> dict[str, np.ndarray]:
        """Its variables after a step, a row a replica, by their TF1 names."""
        start, end = f"{kind}|variable|", f"|{place}"
        return {
            name.removeprefix(start).removesuffix(end): value
            for name, value in self.modern.items()
            if name.startswith(start) and name.endswith(end)
        }


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("mobilenet")
    shutil.copytree(LEGACY.parent, folder / "legacy")
    model = folder / "legacy" / "mobilenet_model.py"
    text = model.read_text(encoding="utf-8")
    assert text.count("LAST_FILTERS = 1280\n") == 1
    model.write_text(
        text.replace("LAST_FILTERS = 1280\n", "LAST_FILTERS = 64\nBLOCKS = BLOCKS[:3]\n"), encoding="utf-8"
    )
    legacy = folder / "legacy" / LEGACY.name
    migrate_into(legacy, folder / "migrated")
    flags = [*FLAGS, f"--train_dir={folder / 'train'}"]
    (folder / "out").mkdir()

    def modern() -> tuple[Recording, str]:
        recording = record_original(legacy, flags, folder / "recording", RECORDED).folder
        done = subprocess.run(
            [sys.executable, str(Path(__file__).with_name("drive_mobilenet.py")), str(recording), "out/out.npz"],
            env={
                **os.environ,
                **ENVIRONMENT,
                "PYTHONPATH": os.pathsep.join([os.environ["PYTHONPATH"], str(MODERN.parent), str(LEGACY.parent)]),
            },
            cwd=folder, text=True, capture_output=True, timeout=400, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return Recording.load(recording), done.stdout

    with ThreadPoolExecutor(2) as pool:
        migrated = pool.submit(verify, legacy, folder / "migrated" / LEGACY.name, flags, Options(steps=STEPS))
        recording, printed = pool.submit(modern).result()
        with np.load(folder / "out" / "out.npz") as arrays:
            return Runs(recording, migrated.result(), dict(arrays), printed, folder / "out")


def test_migrated_towers_train_bit_identically(runs: Runs) -> None:
    result = runs.migrated
    assert (result.outcome, result.error, result.diagnoses) == ("bitwise", "", [])
    assert (result.steps, result.towers) == (STEPS, 2)


def test_both_trainers_have_the_same_batches(runs: Runs) -> None:
    for place, step in enumerate(runs.legacy.steps):
        np.testing.assert_array_equal(runs.modern[f"batch|images|{place}"], step.inputs["IteratorGetNext:0"])
        np.testing.assert_array_equal(runs.modern[f"batch|labels|{place}"], step.inputs["IteratorGetNext:1"])


def test_all_blocks_compute_the_same(runs: Runs) -> None:
    """Eager operations against a session's graph round otherwise, and batch norm of 4 pixels makes 1e-4 of it.

    A block built otherwise would make another number altogether.
    """
    keras, legacy = runs.modern["whole|keras"], runs.modern["whole|legacy"]
    assert np.abs(keras - legacy).max() <= 1e-3 * np.abs(legacy).max()


@pytest.mark.parametrize("place", range(STEPS))
def test_gradients_loss_and_statistics_are_bitwise_equal(place: int, runs: Runs) -> None:
    """On the same weights. The towers keep the last one's batch-norm statistics: the last replica's copy."""
    step = runs.legacy.steps[place]
    gradients, variables = runs.gradients("right", place), runs.variables("right", place)
    assert len(gradients) == 32
    for name, copies in gradients.items():
        for copy in copies:
            np.testing.assert_array_equal(copy, step.gradients[name], err_msg=name)
    assert runs.modern[f"right|loss||{place}"] == np.mean(step.losses, dtype=np.float32)
    statistics = [name for name in variables if "moving" in name]
    assert len(statistics) == 20
    for name in statistics:
        np.testing.assert_array_equal(variables[name][-1], step.after[name], err_msg=name)
        assert (variables[name][0] != step.after[name]).any(), name  # a control: each replica has its own


def beyond_the_rule(
    after: dict[str, np.ndarray], expected: dict[str, np.ndarray], trained: list[str]
) -> list[str]:
    """The weights and moments that are further apart than Adam's constants explain."""
    beyond = []
    for name in trained:
        for suffix, bound in (("", 0.0), ("/Adam", FIRST_MOMENT), ("/Adam_1", SECOND_MOMENT)):
            right, got = expected[name + suffix], after[name + suffix]
            allowed = bound * np.abs(right).max() if suffix else UPDATE * RATE + np.spacing(np.abs(right))
            if (np.abs(got.astype(np.float64) - right) > allowed).any():
                beyond.append(name + suffix)
    return beyond


@pytest.mark.parametrize("place", range(STEPS))
def test_updates_differ_by_adams_constants_alone(place: int, runs: Runs) -> None:
    step, after = runs.legacy.steps[place], runs.variables("right", place)
    assert beyond_the_rule(after, step.after, list(step.gradients)) == []
    for name in step.gradients:
        np.testing.assert_array_equal(after[name][0], after[name][1], err_msg=name)


def test_the_wrong_epsilon_in_adam_is_caught(runs: Runs) -> None:
    step = runs.legacy.steps[0]
    for epsilon, caught in (("Keras's", False), ("TF1's", True)):
        after = runs.variables(f"{epsilon} epsilon", 0)
        beyond = beyond_the_rule(after, step.after, list(step.gradients))
        assert bool(beyond) == caught and not any("Adam" in name for name in beyond)


@pytest.mark.parametrize(
    ("mistake", "least"), [("sum for mean", 0.3), ("skipped replica", 0.1), ("batch-norm epsilon", 1e-4)]
)
def test_mistakes_are_caught_in_every_gradient(mistake: str, least: float, runs: Runs) -> None:
    """The network has neither a regularizer nor dropout that could be forgotten."""
    step = runs.legacy.steps[0]
    for name, copies in runs.gradients(mistake, 0).items():
        right = step.gradients[name]
        assert np.abs(copies - right).max() > least * np.abs(right).max(), name


def test_fit_is_the_loop_written_by_hand(runs: Runs) -> None:
    """Two epochs under MirroredStrategy: weights, each replica's statistics, Adam's slots and step count."""
    fit = {name.partition("|")[2]: value for name, value in runs.modern.items() if name.startswith("fit|")}
    hand = {name.partition("|")[2]: value for name, value in runs.modern.items() if name.startswith("hand|")}
    assert fit.keys() == hand.keys() and len(fit) == 52 + 2 + 64 + 2
    for name, value in fit.items():
        if name == "loss":  # for the eye: Keras adds up an epoch's losses by number of images
            np.testing.assert_allclose(value, hand[name], rtol=1e-6)
        else:
            np.testing.assert_array_equal(value, hand[name], err_msg=name)


def test_every_all_reduce_gives_each_replica_the_sum(runs: Runs) -> None:
    for kind in ("one-device", "hierarchical"):
        wanted = np.float32(0.1) + (np.float32(0.1) + np.float32(1))
        np.testing.assert_array_equal(runs.modern[f"all-reduce|{kind}"], np.full((2, 2, 5), wanted))
    assert "REFUSED --all_reduce=nccl: NCCL is NVIDIA's" in runs.printed


def test_the_program_makes_its_table(runs: Runs) -> None:
    """Three configurations by both loops, the same losses; the bar is not in what is printed."""
    printed = dict(
        zip(*[iter(re.split(r"^RUN (.*)$", runs.printed, flags=re.MULTILINE)[1:])] * 2, strict=True)
    )
    line = r"digits, (\w+), epoch \d: \d+\.\d\d s, (loss = \d\.\d{4}, accuracy = \d\.\d{4}), on other images \d\.\d{4}$"
    fit, hand = (re.findall(line, printed[loop], re.MULTILINE) for loop in ("fit", "hand"))
    assert fit == hand and [name for name, _ in fit] == ["one"] * 3 + ["split"] * 3 + ["scaled"] * 3
    # the same batches in the same order: one device and two with half of each
    assert [what for name, what in fit if name == "one"] == [what for name, what in fit if name == "split"]
    table = (runs.folder / "fit" / "times.txt").read_text()
    assert table in printed["fit"]
    heading, _, row = table.splitlines()
    columns = ["one device (total batch 8)", "2 replicas (total batch 8)", "2 replicas (total batch 16)"]
    assert [cell.strip() for cell in heading.split("|")] == ["data set", *columns]
    assert re.fullmatch(r"digits +\| \S+ s/epoch +\| \S+ s/epoch, x\S+ +\| \S+ s/epoch, x\S+", row)
    with (runs.folder / "hand" / "times.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["configuration"], row["replicas"], row["total_batch_size"], row["all_reduce"]) for row in rows] == [
        ("one", "1", "8", ""), ("split", "2", "8", "hierarchical"), ("scaled", "2", "16", "hierarchical")
    ]  # fmt: skip
    assert (runs.folder / "fit" / "times.png").read_bytes().startswith(b"\x89PNG")
    assert "wanted, 0 GPUs found: training on 2 logical CPU devices" in printed["fit"]


def test_the_program_on_other_data_and_impossible_wishes(runs: Runs) -> None:
    assert "STOPPED --batch_size=1 leaves one of 2 replicas without images" in runs.printed
    assert "STOPPED 7 images are less than one batch of 8" in runs.printed
    assert "MODEL 32 0.35 None 10" in runs.printed  # the digits
    assert "MODEL 224 1.0 None 2" in runs.printed  # a folder of JPEG files
    assert re.search(r"^photos +\| \S+ s/epoch$", runs.printed, re.MULTILINE)


@pytest.mark.long
def test_all_blocks_have_the_same_gradients(tmp_path: Path) -> None:
    """What `tf2towers verify --gradients-only` does."""
    undefined = "--undefok=train_dir,configuration,loop"  # each trainer has flags that the other has not
    flags = ["--num_gpus=2", "--batch_size=8", f"--train_dir={tmp_path}", "--configuration=scaled", undefined]
    options = Options(steps=STEPS)
    original = record_original(LEGACY, flags, tmp_path / "original", options)
    for loop in ("hand", "fit"):
        modern = record_migrated(
            MODERN, [*flags, f"--loop={loop}"], tmp_path / loop, options, original.folder
        )
        result = ParityResult(Side("original", LEGACY, ""), Side("migrated", MODERN, ""), [])
        judge(result, original, modern, Options(gradients_only=True))
        assert (result.outcome, result.steps, result.towers) == ("bitwise", STEPS, 2)
        assert sum(comparison.kind == "gradient" for comparison in result.comparisons) == 158
