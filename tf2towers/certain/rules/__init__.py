"""One doubt a file, found by its name."""
