"""A whole file rewritten: its imports, its trainer, the local modules beside it."""
