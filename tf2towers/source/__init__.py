"""A script as text: reads it in any encoding, writes it back safely, and finds the local modules that it imports."""
