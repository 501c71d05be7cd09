"""MobileNetV2 in towers, migrated, with MirroredStrategy by hand and by `fit`: the same training.

Three blocks of it here: an expansion of 1, a stride of 2 and a sum are among them. All 17, by the command and by
`make test-long`: `tf2towers verify --gradients-only legacy/mobilenet_towers.py modern/mobilenet_by_hand.py`.
"""

from __future__ import annotations

import os
import re
import shutil
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.runtime.tasks import run_python
from tests.verify.migrating import migrate_into
from tf2towers.report.parity_result import ParityResult
from tf2towers.verify.diagnose import diagnose
from tf2towers.verify.process import ENVIRONMENT
from tf2towers.verify.recording import Recording
from tf2towers.verify.result_notes import new_result
from tf2towers.verify.rewrites.verdict import judge
from tf2towers.verify.sides import Options, Recorded, record_migrated, record_original
from tf2towers.verify.verify import verify

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).resolve().parents[2]
LEGACY, SETUP = ROOT / "legacy" / "mobilenet_towers.py", ROOT / "modern" / "mobilenet_setup.py"
MODERN = {"hand": ROOT / "modern" / "mobilenet_by_hand.py", "fit": ROOT / "modern" / "mobilenet_mirrored.py"}
STEPS = 3
FLAGS = ["--num_gpus=2", "--batch_size=8"]
#: Keras's first three blocks, and its end made narrow, at the end of what both programs begin with
CUT = """

def cut_model(size, alpha, weights, classes):
    whole = keras.applications.MobileNetV2((size, size, 3), alpha=alpha, weights=None, classes=classes)
    x = whole.get_layer("block_2_add").output
    x = keras.layers.Conv2D(64, 1, use_bias=False, name="Conv_1")(x)
    x = keras.layers.BatchNormalization(epsilon=1e-3, momentum=0.999, name="Conv_1_bn")(x)
    x = keras.layers.GlobalAveragePooling2D()(keras.layers.ReLU(6.0)(x))
    return keras.Model(whole.input, keras.layers.Dense(classes, activation="softmax", name="predictions")(x))


build_model = cut_model
"""
MISTAKES = {  # of the loop by hand: what verify calls it, what is right and what is wrong
    "sum for mean": ("share = loss / strategy.num_replicas_in_sync ", "share = loss "),
    "no averaging": (
        "return tape.gradient(scaled, variables), ",
        "first = 1.0 - tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)\n"
        "        return [2.0 * first * gradient for gradient in tape.gradient(scaled, variables)], ",
    ),
}


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> ParityResult:
    folder = cut_legacy(tmp_path_factory.mktemp("migrated"))
    migrate_into(folder / LEGACY.name, folder / "migrated")
    flags = [*FLAGS, f"--max_steps={STEPS}", "--num_epochs=1", f"--train_dir={folder / 'train'}"]
    return verify(folder / LEGACY.name, folder / "migrated" / LEGACY.name, flags, Options(steps=STEPS))


def cut_legacy(folder: Path) -> Path:
    """The legacy trainer's folder, with three of the blocks."""
    shutil.copytree(LEGACY.parent, folder / "legacy")
    model = folder / "legacy" / "mobilenet_model.py"
    text = model.read_text(encoding="utf-8")
    assert text.count("LAST_FILTERS = 1280\n") == 1
    text = text.replace("LAST_FILTERS = 1280\n", "LAST_FILTERS = 64\nBLOCKS = BLOCKS[:3]\n")
    model.write_text(text, encoding="utf-8")
    return folder / "legacy"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recorded]:
    """The legacy trainer's steps, and those of the modern one: by hand, by `fit`, and with each mistake."""
    folder = tmp_path_factory.mktemp("mobilenet")
    legacy = cut_legacy(folder)
    shutil.copytree(SETUP.parent, folder / "modern")
    with (folder / "modern" / SETUP.name).open("a") as setup:
        setup.write(CUT)
    text = MODERN["hand"].read_text(encoding="utf-8")
    scripts = {loop: folder / "modern" / script.name for loop, script in MODERN.items()}
    for name, (right, wrong) in MISTAKES.items():
        assert text.count(right) == 1, f"the mistake no longer applies: {right!r}"
        scripts[name] = folder / "modern" / f"{name}.py"
        scripts[name].write_text(text.replace(right, wrong))
    options = Options(steps=STEPS, scratch=folder / "scratch")
    flags = [*FLAGS, f"--train_dir={folder / 'train'}"]
    original = record_original(legacy / LEGACY.name, flags, folder / "original", options)
    runs: dict[str, Future[Recorded]] = {}
    with ThreadPoolExecutor(2) as pool:
        for name, script in scripts.items():
            flags = [*FLAGS, f"--train_dir={folder / f'train {name}'}"]
            runs[name] = pool.submit(
                record_migrated, script, flags, folder / f"run {name}", options, original.folder
            )
    return {"original": original, **{name: run.result() for name, run in runs.items()}}


def test_migrated_towers_train_bit_identically(migrated: ParityResult) -> None:
    assert (migrated.outcome, migrated.error, migrated.diagnoses) == ("bitwise", "", [])
    assert (migrated.steps, migrated.towers) == (STEPS, 2)


@pytest.mark.parametrize("loop", ["hand", "fit"])
def test_gradients_and_losses_are_bitwise_equal(loop: str, recorded: dict[str, Recorded]) -> None:
    """On the same weights and batches."""
    check(recorded["original"], recorded[loop], gradients=32)


def check(original: Recorded, modern: Recorded, gradients: int) -> None:
    """So many gradients, both losses and both inputs are equal to the last bit."""
    result = new_result(LEGACY, MODERN["hand"], [])
    judge(result, original, modern, Options(gradients_only=True))
    assert (result.outcome, result.steps, result.towers) == ("bitwise", STEPS, 2)
    kinds = [comparison.kind for comparison in result.comparisons]
    assert (kinds.count("gradient"), kinds.count("loss"), kinds.count("input")) == (gradients, 2, 2)


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named(name: str, recorded: dict[str, Recorded]) -> None:
    found = diagnose(Recording.load(recorded["original"].folder), Recording.load(recorded[name].folder))
    assert [diagnosis.name for diagnosis in found][:1] == [name], found


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the program prints as users start it."""
    folder = tmp_path_factory.mktemp("program")
    path = os.pathsep.join([os.environ["PYTHONPATH"], str(SETUP.parent)])
    driver, environment = Path(__file__).with_name("drive_mobilenet.py"), {**ENVIRONMENT, "PYTHONPATH": path}
    return run_python(driver, folder, folder=folder, seconds=400, **environment)[0]


def test_both_programs_train_the_same_on_one_device_and_two(printed: str) -> None:
    """Without batch norm, whose statistics are those of a part."""
    runs = dict(zip(*[iter(re.split(r"^RUN (.*)$", printed, flags=re.MULTILINE)[1:])] * 2, strict=True))
    line = r"^epoch \d: \d+\.\d\d s, (loss = \d\.\d{4}, accuracy = \d\.\d{4}), on other images \d\.\d{4}$"
    fit, hand, one = (
        re.findall(line, runs[name], re.MULTILINE) for name in ("fit, two", "hand, two", "fit, one")
    )
    assert fit == hand == one and len(fit) == 3
    assert "wanted, 0 GPUs found: training on 2 logical CPU devices" in runs["fit, two"]


def test_the_program_on_other_data_and_impossible_wishes(printed: str) -> None:
    for line in (
        "STOPPED --all_reduce=NcclAllReduce: NCCL is NVIDIA's",
        "STOPPED 7 images are less than one batch of 8",
        "MODEL 32 0.35 none 10",  # the digits
        "MODEL 224 1.0 none 2",  # a folder of JPEG files
    ):
        assert line in printed
    assert re.search(r"^epoch 3: ", printed.partition("RUN photos")[2], re.MULTILINE)


@pytest.mark.long
def test_all_blocks_have_the_same_gradients(tmp_path: Path) -> None:
    """What `tf2towers verify --gradients-only` does."""
    options = Options(steps=STEPS)
    original = record_original(LEGACY, [*FLAGS, f"--train_dir={tmp_path}"], tmp_path / "original", options)
    for loop, script in MODERN.items():
        flags = [*FLAGS, f"--train_dir={tmp_path / f'train {loop}'}"]
        check(original, record_migrated(script, flags, tmp_path / loop, options, original.folder), 158)
