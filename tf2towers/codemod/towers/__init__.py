"""The towers of a program: the loops that build them, what their names mean, the strategy and its scope."""
