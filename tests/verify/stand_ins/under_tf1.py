"""`python under_tf1.py SCRIPT...` with TensorFlow 1: runs each script with towers on CPU devices (Python 3.6)."""

import os
import runpy
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf  # noqa: E402

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[3]))
    from tf2towers.verify.recorder import placement

    tf.logging.set_verbosity(tf.logging.ERROR)
    placement.install(tf)
    for script in sys.argv[1:]:
        tf.reset_default_graph()
        print("== " + script)
        runpy.run_path(script, run_name="__main__")
