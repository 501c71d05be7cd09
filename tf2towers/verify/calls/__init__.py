"""Two programs that build the same graph and make the same session calls: an original, and what `migrate` wrote."""
