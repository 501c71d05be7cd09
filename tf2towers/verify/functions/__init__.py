"""Records a migrated trainer, or any TF2 one, which is given the original's variables, batches and random numbers."""
