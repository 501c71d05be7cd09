"""Both loss curves in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np


def draw_losses(original: Sequence[float], migrated: Sequence[float], path: Path) -> None:
    """Draws the mean loss of the towers at each step, the original's wide and the migrated one's thin on top of it."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, (curves, apart) = plt.subplots(2, 1, figsize=(8, 6), sharex=True, height_ratios=[3, 1])
    one, other = np.array(original), np.array(migrated)
    curves.plot(one, linewidth=5, alpha=0.35, label="TF1 towers (original)")
    curves.plot(other, linewidth=1.2, label="MirroredStrategy (migrated)")
    curves.set_ylabel("mean loss of the towers")
    curves.legend()
    apart.plot(np.abs(one - other))
    apart.set_ylabel("|difference|")
    apart.set_xlabel("step")
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)
