"""The rename tables, and the programs that make them."""
