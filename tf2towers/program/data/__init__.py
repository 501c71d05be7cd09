"""Tables of what TF1 symbols are."""
