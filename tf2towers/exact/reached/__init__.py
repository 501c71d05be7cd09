"""What a run of the program reaches: what a flag or a name asks for, what may be looked up in a module."""
