"""The rename tables; `tables/` at the top of the repository has the programs that make them."""
