"""Runs a TF1 script with the seeds of a comparison, below the recorder of clusters, which leaves seeds to the script.

SCRIPT ARGS     of a recorded task, as command line arguments
"""

import os
import runpy
import sys

import tensorflow as tf

from tf2towers.recorder.seeds import SEED, fix_graph_seeds, fix_seeds


def main() -> None:
    """Runs it as `__main__`; what it raises goes on, SystemExit too."""
    fix_seeds(SEED)
    fix_graph_seeds(tf, SEED)
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
