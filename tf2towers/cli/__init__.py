"""The commands: each parses its arguments, calls one function and prints its result."""
