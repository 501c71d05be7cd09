"""The proof: the original and the migrated program run on the same weights and batches, compared number by number."""
