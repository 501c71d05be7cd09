"""The binary version of CIFAR-10: 10000 records a file, each a label byte and 3 planes of 32x32 bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tf2towers.data.errors import DataError

RECORD_BYTES = 1 + 3 * 32 * 32
RECORDS_PER_FILE = 10000
ARCHIVE_FOLDER = "cifar-10-batches-bin"  # what the official archive unpacks to
FILES = {
    "train": [f"data_batch_{number}.bin" for number in range(1, 6)],
    "test": ["test_batch.bin"],
}


def load_cifar10(
    data_dir: str, split: str = "train", records_per_file: int = RECORDS_PER_FILE
) -> tuple[np.ndarray, np.ndarray]:
    """Images uint8 [n, 32, 32, 3] and labels int32 [n]; n = 50000 for "train", 10000 for "test".

    `data_dir` holds the .bin files, or the folder cifar-10-batches-bin with them in it. Anything missing or
    damaged raises DataError; `records_per_file` is for tests with smaller files.
    """
    if split not in FILES:
        raise ValueError(f"split must be 'train' or 'test', not {split!r}")
    folder = _find_folder(Path(data_dir), FILES[split])
    parts = [_read_file(folder / name, records_per_file) for name in FILES[split]]
    return np.concatenate([images for images, _ in parts]), np.concatenate([labels for _, labels in parts])


def _find_folder(folder: Path, names: list[str]) -> Path:
    """`folder`, or the archive's folder in it: the one that holds every file of `names`."""
    if not folder.exists():
        raise DataError(f"CIFAR-10 directory {folder} does not exist")
    if not folder.is_dir():
        hint = "; unpack it and name the folder it makes" if folder.suffix in (".gz", ".tgz", ".tar") else ""
        raise DataError(f"CIFAR-10 directory {folder} is a file, not a directory{hint}")
    if (folder / ARCHIVE_FOLDER).is_dir() and not (folder / names[0]).exists():
        folder = folder / ARCHIVE_FOLDER
    missing = [name for name in names if not (folder / name).exists()]
    if missing:
        message = (
            f"CIFAR-10 directory {folder}: {len(missing)} of {len(names)} files missing: {', '.join(missing)}"
        )
        if (folder / Path(names[0]).stem).exists():
            message += "; these are of the Python version, the binary one is needed (cifar-10-binary.tar.gz)"
        raise DataError(message)
    return folder


def _read_file(path: Path, records: int) -> tuple[np.ndarray, np.ndarray]:
    """One file's images and labels, after checking its size and every label byte."""
    try:
        content = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error
    expected = records * RECORD_BYTES
    if content.size != expected:
        whole, rest = divmod(content.size, RECORD_BYTES)
        verdict = "truncated" if content.size < expected else "too long"
        raise DataError(
            f"{path} is {verdict}: expected {expected} bytes ({records} records of {RECORD_BYTES}), "
            f"found {content.size} bytes ({whole} whole records and {rest} bytes); fetch it again"
        )
    rows = content.reshape(records, RECORD_BYTES)
    labels = rows[:, 0].astype(np.int32)
    wrong = np.flatnonzero(labels > 9)
    if wrong.size:
        first = int(wrong[0])
        raise DataError(
            f"{path} is damaged: record {first} (byte {first * RECORD_BYTES}) has label {labels[first]}, "
            f"expected 0 to 9; {wrong.size} of {records} labels are wrong; fetch it again"
        )
    planes = rows[:, 1:].reshape(records, 3, 32, 32)
    return np.ascontiguousarray(planes.transpose(0, 2, 3, 1)), labels
