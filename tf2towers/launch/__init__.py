"""A whole local cluster of a parameter-server script: one process a task, its output, and a clean end.

Standard library only; POSIX systems. `job.run_cluster` is the entry for programs, `tf2towers launch` for people.
"""
