"""Functions that librosa has renamed."""

from __future__ import annotations

from typing import Any


def rmse(
    y: Any = None,
    S: Any = None,
    frame_length: int = 2048,
    hop_length: int = 512,
    center: bool = True,
    pad_mode: str = "reflect",
) -> Any:
    """The root mean square of each frame: shape (1, frames).

    librosa 0.6.3, feature/spectral.py. It is `rms` since 0.7, which pads by zeros since 0.10.
    """
    from librosa.feature import rms

    return rms(y=y, S=S, frame_length=frame_length, hop_length=hop_length, center=center, pad_mode=pad_mode)
