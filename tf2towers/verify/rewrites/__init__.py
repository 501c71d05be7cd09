"""Verifies a rewrite by hand: records its training steps, which start from the original's variables and batches."""
