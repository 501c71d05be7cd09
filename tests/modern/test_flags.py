"""What a trainer says to flags that make no sense: one sentence, and no traceback."""

import sys
from pathlib import Path

import pytest

from tests.runtime.one_process import OneProcess

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


#: a script, a flag, and what it says
WRONG = (
    ("modern/cifar10_mirrored.py", "--batch_size=0", "flag --batch_size=0: 0 is not a positive integer"),
    ("modern/cifar10_mirrored.py", "--num_gpus=-1", "flag --num_gpus=-1: -1 is not a positive integer"),
    ("modern/cifar10_mirrored.py", "--gpu_ids=a", "--devices=a: name each device once, as 0,2 or"),
    ("modern/mobilenet_mirrored.py", "--num_epochs=0", "flag --num_epochs=0: 0 is not a positive integer"),
    ("legacy/cifar10_towers.py", "--split_by_speed=a,b", "--split_by_speed=a,b: need 2 positive numbers"),
    ("legacy/cifar10_towers.py", "--split_by_speed=1,2,3", "--split_by_speed=1,2,3: need 2 positive numbers"),
    ("legacy/cifar10_towers.py", "--split_by_speed=1,0", "--split_by_speed=1,0: need 2 positive numbers"),
    ("legacy/cifar10_towers.py", "--split_by_speed=1,1000", "=1,1000 leaves a tower without images: [0, "),
    ("legacy/cifar10_towers.py", "--gpu_ids=a", "--gpu_ids=a: name each GPU once, as 0,2"),
    ("legacy/cifar10_towers.py", "--gpu_ids=1,1", "--gpu_ids=1,1: name each GPU once, as 0,2"),
    ("legacy/cifar10_towers.py", "--batch_size=0", "--num_gpus=2, --batch_size=0: at least 1"),
)


@pytest.fixture(scope="module")
def said() -> dict[tuple[str, str], tuple[int, str]]:
    """How each of WRONG ends, and what it prints."""
    commands = [(script, flag) for script, flag, _ in WRONG]
    return dict(zip(commands, OneProcess(commands, ROOT).ended(), strict=True))


@pytest.mark.parametrize(("script", "flag", "sentence"), WRONG)
def test_a_wrong_flag_is_a_sentence(said, script, flag, sentence):
    status, printed = said[script, flag]
    assert status == 1 and sentence in printed and "Traceback" not in printed
