"""The rules of the exact register, a file each."""
