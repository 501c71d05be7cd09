"""The one exception of the data loader."""


class DataError(Exception):
    """The images cannot be used. The message names the file, what was expected, what was found, and what to do."""
