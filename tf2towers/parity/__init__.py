"""Two programs trained side by side and compared bit by bit: record, compare, verdict, picture."""
