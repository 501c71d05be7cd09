"""A whole local cluster of a parameter-server script: one process a task, its output, and a clean end.

Standard library only; POSIX systems. `tf2towers launch` is the way in.
"""
