"""Runs a parameter-server script as a whole local cluster: one process for each task, its output, a clean end.

Standard library only; POSIX systems. `job.run_cluster` is the entry for programs, `tf2towers
launch` for people.
"""
