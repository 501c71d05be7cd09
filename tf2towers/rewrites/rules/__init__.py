"""One rule a file: its code, what it does and why."""
