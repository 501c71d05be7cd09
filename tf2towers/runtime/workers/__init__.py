"""A task of a cluster in a migrated parameter-server script: its strategy, its steps, the loops of the workers."""
