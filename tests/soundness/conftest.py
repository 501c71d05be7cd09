"""The scripts are run by `run_many.py`; none of them is a test."""

collect_ignore = ["scripts"]
