"""Records a TF2 trainer, migrated or not, which gets the original's variables and batches."""
