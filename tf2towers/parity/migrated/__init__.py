"""Records a migrated trainer, or any TF2 one, while it is given the original's variables, batches and random numbers."""
