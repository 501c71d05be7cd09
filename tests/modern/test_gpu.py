"""`make test-gpu` without a GPU, and how it divides one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
#: in TensorFlow's place, with one GPU
SIMULATED = """
from types import SimpleNamespace
gpu, cpu = (SimpleNamespace(device_type=kind) for kind in ('GPU', 'CPU'))
config = SimpleNamespace(
    list_physical_devices=lambda kind=None: [device for device in (cpu, gpu) if kind in (None, device.device_type)],
    LogicalDeviceConfiguration=lambda memory_limit: memory_limit,
    set_logical_device_configuration=lambda device, parts: print(device.device_type, parts),
)
"""


def test_without_a_gpu_it_says_so():
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / "gpu.py")],
        text=True,
        capture_output=True,
        check=False,
        env=environment,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith("No GPU was found ")


def test_one_gpu_is_four(tmp_path):
    (tmp_path / "tensorflow.py").write_text(SIMULATED)
    program = "import tensorflow as tf; print(*(len(tf.config.list_physical_devices(k)) for k in ('GPU', 'CPU', None)))"
    done = subprocess.run(
        [sys.executable, "-c", program], text=True, capture_output=True, check=True,
        env={**os.environ, "PYTHONPATH": f"{BENCHMARKS / 'logical_gpus'}:{tmp_path}", "LOGICAL_GPU_MEMORY": "64"},
    )  # fmt: skip
    assert done.stdout == "GPU [64, 64, 64, 64]\n4 1 5\n"
