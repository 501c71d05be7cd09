"""Runs a parameter-server script as a local cluster: a process a task, a clean end.

Standard library only; POSIX systems. `job.run_cluster` is the entry for programs, `tf2towers
launch` for people.
"""
