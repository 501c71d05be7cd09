"""Tables of what is certain."""
