"""`make test-gpu` without a GPU, and how it divides one."""

from pathlib import Path

import pytest

from tests.runtime.tasks import QUIET, run_python

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
    out, errors = run_python(BENCHMARKS / "gpu.py", status=2, **QUIET)
    assert out == ""
    assert errors.splitlines()[-1].startswith("No GPU was found ")


def test_one_gpu_becomes_four_logical_gpus(tmp_path):
    (tmp_path / "tensorflow.py").write_text(SIMULATED)
    program = "import tensorflow as tf; print(*(len(tf.config.list_physical_devices(k)) for k in ('GPU', 'CPU', None)))"
    path = f"{BENCHMARKS / 'logical_gpus'}:{tmp_path}"
    out, _ = run_python("-c", program, PYTHONPATH=path, LOGICAL_GPU_MEMORY="64")
    assert out == "GPU [64, 64, 64, 64]\n4 1 5\n"
