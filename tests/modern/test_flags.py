"""What a trainer says to flags that make no sense: one sentence, and no traceback."""

import sys
from pathlib import Path

import pytest

from tests.runtime.tasks import run_python

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "modern"))
import devices  # noqa: E402


@pytest.mark.parametrize("names", [["a"], ["1", "1"], ["0", "/gpu:0"], ["-1"], ["/tpu:0"], [""]])
def test_a_wrong_list_of_devices_is_refused(names):
    with pytest.raises(SystemExit, match="name each device once, as 0,2 or /gpu:0,/gpu:2"):
        devices.choose_devices(None, names)


@pytest.mark.parametrize("loss", [float("inf"), float("nan")])
def test_a_loss_that_is_not_finite_ends_mobilenet(loss):
    import mobilenet_setup

    with pytest.raises(SystemExit, match=f"Model diverged with loss = {loss} in epoch 3"):
        mobilenet_setup.line(2, 1.0, {"loss": loss, mobilenet_setup.ACCURACY: 0.1})


@pytest.mark.parametrize(
    ("script", "flag", "sentence"),
    [
        ("modern/cifar10_mirrored.py", "--batch_size=0", "flag --batch_size=0: 0 is not a positive integer"),
        ("modern/cifar10_mirrored.py", "--num_gpus=-1", "flag --num_gpus=-1: -1 is not a positive integer"),
        ("modern/cifar10_mirrored.py", "--gpu_ids=a", "--devices=a: name each device once, as 0,2 or"),
        (
            "modern/mobilenet_mirrored.py",
            "--num_epochs=0",
            "flag --num_epochs=0: 0 is not a positive integer",
        ),
        (
            "legacy/cifar10_towers.py",
            "--split_by_speed=fast,slow",
            "--split_by_speed=fast,slow: need 2 positive numbers",
        ),
        ("legacy/cifar10_towers.py", "--gpu_ids=a", "--gpu_ids=a: name each GPU once, as 0,2"),
        ("legacy/cifar10_towers.py", "--gpu_ids=1,1", "--gpu_ids=1,1: name each GPU once, as 0,2"),
        ("legacy/cifar10_towers.py", "--batch_size=0", "--num_gpus=2, --batch_size=0: at least 1"),
    ],
)
def test_a_wrong_flag_is_a_sentence(script, flag, sentence):
    out, errors = run_python(script, flag, folder=ROOT, status=1, TF_CPP_MIN_LOG_LEVEL="3")
    assert sentence in out + errors and "Traceback" not in out + errors
