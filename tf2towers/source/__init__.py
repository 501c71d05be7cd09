"""A script as text: read whatever its encoding, written back safely, and the local modules it reaches."""
