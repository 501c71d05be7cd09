"""The one exception of the data loader."""


class DataError(Exception):
    """The images cannot be used; the message names the file, what was expected, and what was found."""
