"""The tower loop: where it is, what it fills, what a step needs of it."""
