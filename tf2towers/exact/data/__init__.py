"""Tables of the exact register, kept by hand."""
