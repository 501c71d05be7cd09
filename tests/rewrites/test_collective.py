"""`migrate --collective`: synchronous workers get an all-reduce between them; any other program is left."""

from pathlib import Path

import pytest
from cases import all_cases

from tf2towers.cli.main import main
from tf2towers.exact.program import Program
from tf2towers.migrate import migrate
from tf2towers.report.result import MigrationResult
from tf2towers.source.script import Script

SYNCHRONOUS = all_cases()["cluster_averages_of_optimizer"].script.replace(
    ",\n            variable_averages=averages, # T2T508\n            variables_to_average=tf.trainable_variables())"
    " # T2T508",
    ")",
)
BY_A_FLAG = all_cases()["cluster_either"].script
PLAIN = all_cases()["cluster_supervisor"].script
TOWERS = "import tensorflow as tf\nfor i in range(2):\n    with tf.device('/gpu:%d' % i):\n        x = tf.zeros([])\n"


def collective(text: str) -> MigrationResult:
    return migrate(Program(Script.from_text(text)), collective=True)


@pytest.mark.parametrize(
    ("text", "asynchronous"), [(SYNCHRONOUS, False), (BY_A_FLAG, True)], ids=["always", "by a flag"]
)
def test_synchronous(text: str, asynchronous: bool) -> None:
    result = collective(text)
    assert result.left == []
    after = result.changes[0].after
    assert "strategy = tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=server.resolver())" in after
    assert ("ParameterServerStrategy" in after) is asynchronous


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PLAIN, "no SyncReplicasOptimizer"),
        (TOWERS, "no cluster of parameter servers"),
        # made in a module that is not read: not certain, so not taken
        (
            SYNCHRONOUS.replace("tf.train.SyncReplicasOptimizer", "helpers.replicas").replace(
                "import tensorflow as tf", "import helpers\nimport tensorflow as tf"
            ),
            "no SyncReplicasOptimizer",
        ),
    ],
    ids=["asynchronous", "towers", "elsewhere"],
)
def test_anything_else_is_left(text: str, message: str) -> None:
    result = collective(text)
    assert [(finding.code, finding.message) for finding in result.left] == [("T2T509", message)]
    assert result.changes == []


def test_when_it_is_synchronous_cannot_be_told() -> None:
    line = "        train_op = opt.minimize(loss, global_step=global_step)\n"
    assert line in SYNCHRONOUS
    again = line.replace("opt.minimize", "tf.train.SyncReplicasOptimizer(opt, 2).minimize")
    result = collective(SYNCHRONOUS.replace(line, line + again))
    assert {finding.code for finding in result.left} >= {"T2T503"}
    assert result.changes == []


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, left = tmp_path / "good.py", tmp_path / "left.py"
    good.write_text(SYNCHRONOUS)
    left.write_text(PLAIN)
    assert main(["migrate", "--collective", "-o", str(tmp_path / "out"), str(good)]) == 0
    assert "MultiWorkerMirroredStrategy" in (tmp_path / "out/good.py").read_text()
    assert main(["migrate", "--collective", "-w", str(left)]) == 1
    assert "T2T509" in capsys.readouterr().out
    assert left.read_text() == PLAIN
    assert main(["migrate", "--collective", "--vendor", "-o", str(tmp_path / "out"), str(good)]) == 2
