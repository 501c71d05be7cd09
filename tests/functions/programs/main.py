"""Runs the cases of these programs: main.py FILE [SUBJECT ...]."""

import sys

import arrays  # noqa: F401
import cases
import columns  # noqa: F401
import contrib  # noqa: F401
import control_flow  # noqa: F401
import datasets  # noqa: F401
import distributions  # noqa: F401
import effects  # noqa: F401
import estimators  # noqa: F401
import faults  # noqa: F401
import files  # noqa: F401
import images  # noqa: F401
import initial_values  # noqa: F401
import keras_models  # noqa: F401
import layers  # noqa: F401
import losses  # noqa: F401
import mathematics  # noqa: F401
import metrics  # noqa: F401
import neural_networks  # noqa: F401
import operations  # noqa: F401
import probability  # noqa: F401
import rare_contrib  # noqa: F401
import recurrent  # noqa: F401
import scopes  # noqa: F401
import sessions  # noqa: F401
import slim_programs  # noqa: F401
import sparse  # noqa: F401
import states  # noqa: F401
import text  # noqa: F401
import training  # noqa: F401

if __name__ == "__main__":
    cases.run_all(sys.argv[1], sys.argv[2:])
