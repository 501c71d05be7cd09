"""The recording's classes: the one place of this package that says where they are."""

from tf2towers.parity.recording import Arrays, Facts, Recording, Step

__all__ = ["Arrays", "Facts", "Recording", "Step"]
