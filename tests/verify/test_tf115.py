"""The legacy trainer on a real TF 1.15, which TF2TOWERS_TF1_PYTHON names, against the migrated one here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.verify.conftest import LEGACY
from tests.verify.migrating import migrate_into
from tf2towers.launch.cluster import Shape
from tf2towers.verify.sides import Options
from tf2towers.verify.verify import verify

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow
TF1 = os.environ.get("TF2TOWERS_TF1_PYTHON")
SMALL = Path(__file__).parent / "mistakes" / "legacy" / "small_towers.py"
AVERAGE = "grads = average_gradients(grads)\n"


@pytest.mark.skipif(not TF1, reason="TF2TOWERS_TF1_PYTHON names no interpreter")
@pytest.mark.parametrize("style", ["feed", "dataset"])
def test_gradients_of_ten_steps(style: str, migrated: Path) -> None:
    flags = ["--num_gpus=2", "--batch_size=16", f"--input={style}"]
    result = verify(LEGACY, migrated / LEGACY.name, flags, Options(steps=10, legacy_python=TF1))
    assert result.original.tensorflow.startswith("1."), result.error
    assert result.steps == 10
    gradients = {
        comparison.name: comparison for comparison in result.comparisons if comparison.kind == "gradient"
    }
    assert len(gradients) == 8
    assert max(gradient.max_rel for gradient in gradients.values()) <= 1e-5
    assert result.outcome == "within"


@pytest.mark.skipif(not TF1, reason="TF2TOWERS_TF1_PYTHON names no interpreter")
def test_a_relu_tips(migrated: Path) -> None:
    """With batch norm, in 1 of 10 steps: the float64 run goes either way when its variables change in the last bits."""
    flags = ["--num_gpus=2", "--batch_size=16", "--batch_norm"]
    options = Options(steps=10, legacy_python=TF1, seed=1)  # with seed 0 nothing tips
    result = verify(LEGACY, migrated / LEGACY.name, flags, options)
    assert result.original.tensorflow.startswith("1."), result.error
    gradients = [comparison for comparison in result.comparisons if comparison.kind == "gradient"]
    assert (result.outcome, len(gradients)) == ("within", 10)
    assert all(gradient.rounding or gradient.max_rel <= 1e-5 for gradient in gradients)
    assert max(gradient.max_rel for gradient in gradients) > 1e-3


@pytest.mark.skipif(not TF1, reason="TF2TOWERS_TF1_PYTHON names no interpreter")
@pytest.mark.parametrize("script", ["mnist_supervisor.py", "mnist_monitored.py"])
@pytest.mark.parametrize("issync", [0, 1])
def test_a_cluster(script: str, issync: int, tmp_path: Path) -> None:
    migrate_into(LEGACY.with_name(script), tmp_path)
    flags = ["--train_steps=10000", f"--issync={issync}", f"--log_dir={tmp_path / 'log'}"]
    options = Options(steps=10, timeout=240, legacy_python=TF1, scratch=tmp_path / "scratch", cluster=Shape())
    result = verify(LEGACY.with_name(script), tmp_path / script, flags, options)
    assert result.original.tensorflow.startswith("1."), result.error
    gradients = [comparison for comparison in result.comparisons if comparison.kind == "gradient"]
    assert (result.outcome, result.steps, len(gradients)) == ("within", 10, 4)
    assert max(gradient.max_rel for gradient in gradients) <= 1e-5


@pytest.mark.skipif(not TF1, reason="TF2TOWERS_TF1_PYTHON names no interpreter")
@pytest.mark.parametrize("factor", ["", "1.00005"])
def test_a_bias_before_a_batch_norm(factor: str, tmp_path: Path) -> None:
    """Its true gradient is 0: the float64 run says so, and that a factor of 1.00005 is no rounding."""
    script = tmp_path / SMALL.name
    text = (SMALL.parents[1] / "hand_shaped" / SMALL.name).read_text(encoding="utf-8")
    script.write_text(text, encoding="utf-8")
    line = next(line for line in text.splitlines(keepends=True) if line.endswith(AVERAGE))
    if factor:
        wrong = line.replace(AVERAGE, f"grads = [({factor} * g, v) for g, v in grads]\n")
        script.write_text(text.replace(line, line + wrong), encoding="utf-8")
    options = Options(steps=5, legacy_python=TF1)
    result = verify(SMALL, script, ["--optimizer=adam"], options)
    found = {
        comparison.name: comparison for comparison in result.comparisons if comparison.kind == "gradient"
    }
    assert found["hidden/biases"].rounding and found["hidden/biases"].max_rel > 0.01, result.error
    assert not found["hidden/weights"].rounding
    assert found["hidden/weights"].within == (not factor)
    assert result.outcome == ("differs" if factor else "within")
    assert not any("no float64 run" in note for note in result.notes)
