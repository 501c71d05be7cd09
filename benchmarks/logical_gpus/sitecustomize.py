"""Makes TensorFlow find four GPUs on a machine with one, in every process that `benchmarks/gpu.py` starts.

They are logical devices of that GPU. The programs count physical GPUs, so the only one is listed
four times. Python imports a module of this name at its start (see `site`); TensorFlow is changed
only when the program imports it.
"""

import importlib.util
import os
import sys

COUNT, MEMORY = 4, int(os.environ.get("LOGICAL_GPU_MEMORY", "4096"))  # MiB of each


class _Divided:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "tensorflow":
            return None
        sys.meta_path.remove(_Divided)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            _divide(module.config)

        spec.loader.exec_module = exec_module
        return spec


def _divide(config):
    """Divides the only GPU, if there is exactly one, into `COUNT` logical GPUs."""
    listed = config.list_physical_devices
    gpus = listed("GPU")
    if len(gpus) != 1:
        return
    parts = [config.LogicalDeviceConfiguration(memory_limit=MEMORY) for _ in range(COUNT)]
    config.set_logical_device_configuration(gpus[0], parts)

    def list_physical_devices(device_type=None):
        found = listed(device_type)
        return found + [device for device in found if device.device_type == "GPU"] * (COUNT - 1)

    config.list_physical_devices = list_physical_devices


sys.meta_path.insert(0, _Divided)
