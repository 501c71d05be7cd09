"""What cannot be compared."""

from __future__ import annotations

import re
from pathlib import Path

#: a flag for the folder of checkpoints: '--train_dir', "logdir"
_FOLDER = re.compile(
    r"""["'](?:--)?((?:train|log|logs|model|checkpoint|checkpoints|ckpt|output|save|summary|job)[_-]?(?:dir|directory|path))["']"""
)


class CompareError(Exception):
    """A script could not be run, or never trained: the message says what is wrong, for the user."""


def has_resumed(script: Path, steps: int) -> CompareError:
    """It went on from a checkpoint of an earlier run, after so many steps."""
    return CompareError(
        f"{script} went on from a checkpoint, after {steps} steps of an earlier run, and trainings are compared from "
        f"their beginning: {_remedy(script) or 'give it an empty folder ({scratch} in its arguments is one)'}"
    )


def never_trained(script: Path, last_output: str) -> CompareError:
    """It ended without a training step; `last_output`: what it wrote last."""
    remedy = _remedy(script)
    earlier = f"; where it had nothing left to do after an earlier run: {remedy}" if remedy else ""
    return CompareError(
        f"{script} ended and never trained: no session call and no tf.function that an optimizer's update belongs to "
        f"was seen{earlier}{last_output}"
    )


def _remedy(script: Path) -> str:
    """The flag that gives it an empty folder; empty where its text has none that is known."""
    found = _FOLDER.search(script.read_text(encoding="utf-8", errors="replace"))
    return f"--{found[1]}={{scratch}} gives it an empty folder" if found else ""
