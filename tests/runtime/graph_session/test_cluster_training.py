"""What happens when a task of a cluster dies; that clusters have TF1's values is tests/soundness/test_clusters.py's."""

import contextlib
import re
from pathlib import Path

import pytest
import tensorflow as tf

from tests.runtime.tasks import Tasks, free_ports

pytestmark = pytest.mark.tensorflow


class Cluster(Tasks):
    """The tasks of job_train.py: 'ps 0', 'worker 1', .."""

    def __init__(self, folder: Path, ps: int, workers: int, *arguments: str) -> None:
        ports = [f"localhost:{port}" for port in free_ports(ps + workers)]
        arguments = (",".join(ports[:ps]), ",".join(ports[ps:]), *arguments)
        super().__init__(folder, Path(__file__).with_name("job_train.py"), arguments, PYTHONWARNINGS="ignore")
        self.names = [f"ps {i}" for i in range(ps)] + [f"worker {i}" for i in range(workers)]

    def lines(self, name: str) -> list[str]:
        """What a task printed with 'say'."""
        return [line[2:] for line in self.output(name).splitlines() if line.startswith("> ")]


def test_tasks_that_die(tmp_path: Path) -> None:
    """A dead worker leaves the other training, and comes back; a dead parameter server ends the job, which resumes."""
    folder = tmp_path / "checkpoints"
    with contextlib.closing(Cluster(tmp_path / "first", 1, 2, "100000", str(folder), "0.05")) as job:
        job.start(*job.names)
        for name in ("worker 0", "worker 1"):
            job.wait_for(name, r"> \d+ 0x")
        job.kill("worker 1")
        reached = int(job.lines("worker 0")[-1].split()[0])
        job.wait_for("worker 0", rf"> {reached + 10} 0x")
        job.start("worker 1")
        job.wait_for("worker 1", r"(?s)begins at.*begins at (?!0\n)\d+\n> \d+ 0x")
        job.kill("ps 0")
        for name in ("worker 0", "worker 1"):
            assert job.status(name) == 1, job.output(name)
            assert re.search(
                r"lost ps 0 \(localhost:\d+\), and the variables on it\. Start the whole job",
                job.output(name),
            )
        newest = tf.train.latest_checkpoint(str(folder))
        saved = int(tf.train.load_checkpoint(newest).get_tensor("global_step"))
        # it is named after the step at which saving began: the other worker may have made more by
        # then, as in TF1
        assert saved >= int(newest.rpartition("-")[2]) > 0
    with contextlib.closing(Cluster(tmp_path / "again", 1, 1, str(saved + 5), str(folder))) as job:
        job.start(*job.names)
        assert job.status("worker 0") == 0, job.output("worker 0")
        assert job.lines("worker 0")[0] == f"begins at {saved}"
        assert job.status("ps 0", 60) == 0
