"""What records the session calls of a program, and of each task of a cluster; it runs on Python 3.6."""
