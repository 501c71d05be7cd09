"""Computes the data that four GPUs transfer in a step of MobileNetV2, for docs/performance.md; nothing is measured.

    python benchmarks/four_gpus.py

The table of the handbook (tf.wiki, "MirroredStrategy"; 4 GTX 1080 Ti, cats_vs_dogs, 23,262 images): 146 s an epoch on
one device with batch 64, 39 s on four with 64 in all, 29 s with 64 each. Bytes are computed from the model. The rates
of links are about 80 % of the makers' figures for one direction, as NCCL's own tests reach.
"""

from __future__ import annotations

from dataclasses import dataclass

import keras

IMAGES = 23_262  # of cats_vs_dogs in TensorFlow Datasets
BATCH = 64
DEVICES = 4
SECONDS = {"one, batch 64": 146.0, "four, 64 in all": 39.0, "four, 64 each": 29.0}


@dataclass(frozen=True)
class Link:
    """A connection between the GPUs.

    Attributes:
        rate: bytes per second in one direction, as NCCL reaches them.
    """

    name: str
    rate: float


LINKS = (
    Link("PCIe 3.0 x8", 6.3e9),
    Link("PCIe 3.0 x16", 12.6e9),
    Link("PCIe 4.0 x16", 25e9),
    Link("NVLink 2 (V100, 6 links)", 120e9),
    Link("NVLink 3 (A100, 12 links)", 240e9),
)


def ring(size: float, devices: int) -> float:
    """Bytes that each device sends in an all-reduce in a ring: 2 (N - 1) / N of the size (Patarasuk and Yuan, 2009)."""
    return 2 * (devices - 1) / devices * size


def section() -> str:
    """The section of the page, as Markdown: data transferred in a step, and seconds of an epoch."""
    model = keras.applications.MobileNetV2(weights=None)
    gradients = 4.0 * sum(int(keras.ops.size(variable)) for variable in model.trainable_variables)
    image = 4.0 * 224 * 224 * 3
    one_device = SECONDS["one, batch 64"] / (IMAGES / BATCH)
    rows = []
    for link in LINKS:
        reduce = ring(gradients, DEVICES) / link.rate
        few = IMAGES / BATCH * (one_device / DEVICES + reduce)
        many = IMAGES / BATCH / DEVICES * (one_device + reduce)
        few_share, many_share = (reduce / (step + reduce) for step in (one_device / DEVICES, one_device))
        rows.append(
            f"| {link.name} | {reduce * 1000:.2f} | {few_share:.1%} | {many_share:.1%} | {few:.1f} | {many:.1f} |"
        )
    serial = SECONDS["four, 64 each"] / IMAGES
    return f"""## Four GPUs: computed, not measured

There is no GPU here. This is what the handbook's table (MobileNetV2, 224 x 224, cats_vs_dogs, 4 GTX 1080 Ti: 146 s an
epoch on one with batch 64; 39 s on four with 64 in all, 29 s with 64 each) is bound by, from the model's sizes
(`benchmarks/four_gpus.py`):

- **All-reduce**: {gradients / 1e6:.1f} MB of gradients; in a ring each of four devices sends
  {ring(gradients, DEVICES) / 1e6:.1f} MB a step, whatever the batch.
- **Input**: {image / 1e6:.2f} MB an image, {image * BATCH / 1e6:.1f} MB for 64; over PCIe 3.0 x16
  {image * BATCH / LINKS[1].rate * 1000:.1f} ms a step, while the step before computes (prefetch).
- **Decoding**: four devices with 64 each took {1 / serial:.0f} images a second, a JPEG decoded and resized
  every {serial * 1000:.2f} ms: several cores' work (`num_parallel_calls`); without it, that is the limit.
- **Computing**: {one_device * 1000:.0f} ms for 64 images on one device; a quarter of it for 16, if it is in proportion.

| link | ms of all-reduce | of a step, 16 each | of a step, 64 each | s an epoch, 64 in all | s an epoch, 64 each |
| --- | --- | --- | --- | --- | --- |
{chr(10).join(rows)}

So the bytes do not limit it: they are at most a few per cent of a step on any of these links. With 64 in all the
handbook measured 39 s; what is above the table's column is 16 images a device, too few to fill it, and the dispatch of
{IMAGES // BATCH} steps. Its 29 s with 64 each are less than a quarter of its 146 s. Its run on one device did something
that four did not wait for, and nothing in these sizes explains it.

Where there are GPUs, this measures it (the table as text, CSV and PNG):

    python modern/mobilenet_mirrored.py --dataset=cats_vs_dogs,tf_flowers --configuration=all --all-reduce=nccl
"""


if __name__ == "__main__":
    print(section())
