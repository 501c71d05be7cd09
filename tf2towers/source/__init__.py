"""A script as text: read in any encoding, written back safely, its imports found."""
