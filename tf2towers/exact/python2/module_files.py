"""Modules beside a file."""

from __future__ import annotations

from pathlib import Path


def is_module(folder: Path, name: str) -> bool:
    """Whether a folder has a module or a package of a name."""
    return (folder / f"{name}.py").is_file() or (folder / name / "__init__.py").is_file()
