"""What edits do to the lines around them: those that became too long, those that were aligned with what has moved."""
