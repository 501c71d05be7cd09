"""Tables of arguments and of private names; symbols.tsv, beside this folder, has the names."""
