"""Compares two trainings for `tf2towers compare`: their speed, their memory, and their losses.

`watch` runs inside each script's process and reports every step; all else runs in the parent and
collects the reports.
"""
