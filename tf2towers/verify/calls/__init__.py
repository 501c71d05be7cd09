"""Verifies two programs that build the same graph and make the same session calls: an original and its migration."""
