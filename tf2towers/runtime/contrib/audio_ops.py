"""`tf.contrib.framework.python.ops.audio_ops` of TensorFlow 1.15; the operations are still there."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def audio_spectrogram(
    input: Any,  # noqa: A002  TensorFlow's name
    window_size: int,
    stride: int,
    magnitude_squared: bool = False,
    name: str | None = None,
) -> Any:
    """The spectrogram of samples [length, channels]: [channels, windows, frequencies]."""
    return tf.raw_ops.AudioSpectrogram(
        input=input, window_size=window_size, stride=stride, magnitude_squared=magnitude_squared, name=name
    )


def decode_wav(
    contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> Any:
    """The samples [length, channels] of a WAV file's contents, and their rate."""
    return tf.raw_ops.DecodeWav(
        contents=contents, desired_channels=desired_channels, desired_samples=desired_samples, name=name
    )


def encode_wav(audio: Any, sample_rate: Any, name: str | None = None) -> Any:
    """The contents of a WAV file with these samples [length, channels]."""
    return tf.raw_ops.EncodeWav(audio=audio, sample_rate=sample_rate, name=name)


def mfcc(
    spectrogram: Any,
    sample_rate: Any,
    upper_frequency_limit: float = 4000,
    lower_frequency_limit: float = 20,
    filterbank_channel_count: int = 40,
    dct_coefficient_count: int = 13,
    name: str | None = None,
) -> Any:
    """The Mel frequency cepstral coefficients of a spectrogram."""
    return tf.raw_ops.Mfcc(
        spectrogram=spectrogram,
        sample_rate=sample_rate,
        upper_frequency_limit=upper_frequency_limit,
        lower_frequency_limit=lower_frequency_limit,
        filterbank_channel_count=filterbank_channel_count,
        dct_coefficient_count=dct_coefficient_count,
        name=name,
    )
