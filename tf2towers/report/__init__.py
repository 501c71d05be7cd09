"""One result object, and how it is shown."""
