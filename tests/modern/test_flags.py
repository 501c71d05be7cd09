"""What a trainer says to flags that make no sense: one sentence, and no traceback."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

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
    ("legacy/cifar10_towers.py", "--gpu_ids=a", "--gpu_ids=a: name each GPU once, as 0,2"),
    ("legacy/cifar10_towers.py", "--gpu_ids=1,1", "--gpu_ids=1,1: name each GPU once, as 0,2"),
    ("legacy/cifar10_towers.py", "--batch_size=0", "--num_gpus=2, --batch_size=0: at least 1"),
)
#: runs each as its own program, with flags of its own, in one process; says after each how it has ended
EACH = """
import os, runpy, sys
import tensorflow
from absl import app, flags
app.define_help_flags()
own = set(flags.FLAGS)
for arguments in (line.split() for line in sys.stdin):
    sys.argv = arguments
    sys.path.insert(0, os.path.dirname(arguments[0]))
    status = 0
    try:
        runpy.run_path(arguments[0], run_name='__main__')
    except SystemExit as end:
        status = end.code
        if isinstance(status, str):
            print(status)
            status = 1
    print('END', status, *arguments, flush=True)
    for name in set(flags.FLAGS) - own:
        delattr(flags.FLAGS, name)
"""


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    """What each of WRONG prints, by its command; all end with status 1."""
    commands = "".join(f"{script} {flag}\n" for script, flag, _ in WRONG)
    done = subprocess.run(
        [sys.executable, "-c", EACH], input=commands, cwd=ROOT, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False,
    )  # fmt: skip
    parts = re.split(r"^END 1 (.*)\n", done.stdout, flags=re.M)
    assert parts.pop() == "" and done.returncode == 0, done.stdout
    return dict(zip(parts[1::2], parts[::2], strict=True))


@pytest.mark.parametrize(("script", "flag", "sentence"), WRONG)
def test_a_wrong_flag_is_a_sentence(said, script, flag, sentence):
    printed = said[f"{script} {flag}"]
    assert sentence in printed and "Traceback" not in printed
