"""The table of MobileNetV2's trainings, in the form of the handbook's."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import mobilenet_table


def test_the_table_has_seconds_and_speedups():
    """Of what the handbook measured on four GTX 1080 Ti."""
    assert mobilenet_table.table("cats_vs_dogs", 4, 146.0, 39.0, 29.0).splitlines() == [
        "data set     | 1 device, 64 | 4 devices, 64     | 4 devices, 64 each",
        "cats_vs_dogs | 146 s/epoch  | 39 s/epoch, x3.74 | 29 s/epoch, x5.03",
    ]


def test_the_first_epoch_does_not_count(tmp_path, monkeypatch):
    trainer = tmp_path / "trainer.py"
    trainer.write_text(
        """\
import sys
for epoch, seconds in enumerate((1000.0, 5.0, 6.0, 4.0), 1):
    print(f"epoch {epoch}: {seconds:.2f} s, loss = 1.0000")
assert sys.argv[1:3] == ["--num_gpus=4", "--batch_size=16"] and sys.argv[-1] == "--num_epochs=4"
"""
    )
    monkeypatch.setattr(mobilenet_table, "TRAINER", trainer)
    assert mobilenet_table.seconds_an_epoch(4, 16, ["--num_epochs=4"]) == 5.0
