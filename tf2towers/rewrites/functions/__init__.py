"""The functions that the graph becomes: the tower, and a step for each kind of run."""
