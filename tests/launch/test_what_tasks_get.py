"""What every task of a running cluster is given, as the tasks saw it."""

import json
import os
from pathlib import Path

import pytest

from tf2towers.cli.main import main

from .conftest import Capture, Write

SAW = 'tell(repr((sys.argv[1:], os.environ["TF_CONFIG"], os.environ["CLUSTER_SPEC"], os.getcwd())))'


def test_flags_and_environment(script: Write, tmp_path: Path) -> None:
    path = script(f"FLAGS = 'ps_hosts', 'worker_hosts', 'job_name', 'task_index'\n{SAW}")
    assert main(["launch", "--ps", "2", "--workers", "2", "--", path, "--steps=3", "--", "a b"]) == 0
    hosts = set()
    for name in ("ps-0", "ps-1", "worker-0", "worker-1"):
        job, index = name.split("-")
        (*own, ps, workers, job_flag, index_flag), config, spec, cwd = eval((tmp_path / name).read_text())
        assert own == ["--steps=3", "--", "a b"]
        assert (job_flag, index_flag) == (f"--job_name={job}", f"--task_index={index}")
        found = json.loads(config)
        assert found["task"] == {"type": job, "index": int(index)}
        assert found["cluster"] == json.loads(spec)
        assert ps == "--ps_hosts=" + ",".join(found["cluster"]["ps"])
        assert workers == "--worker_hosts=" + ",".join(found["cluster"]["worker"])
        assert cwd == str(tmp_path)
        hosts.add(spec)
    (only,) = hosts
    addresses = [address for job in json.loads(only).values() for address in job]
    assert len(set(addresses)) == 4
    assert all(address.startswith("localhost:") for address in addresses)


def test_tasks_get_the_flags_of_a_template(script: Write, tmp_path: Path) -> None:
    """Other templates are test_cluster_flags.py's."""
    flags = ["--ps=0", "--workers=1", "--task-flags=--task={task_index}"]
    assert main(["launch", *flags, "--", script("tell(sys.argv[1:])"), "x"]) == 0
    assert (tmp_path / "worker-0").read_text() == str(["x", "--task=0"])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("pass", []),
        ("# 'job_name'", []),
        ("parser.add_argument('--job_name')\nparser.add_argument('--task-index', type=int)",
         ["--job_name=worker", "--task-index=0"]),
        ("def main(FLAGS): return FLAGS.job_name", ["--job_name=worker"]),
        ("import settings", ["--task_index=0"]),
    ],
)  # fmt: skip
def test_flags_that_the_script_does_not_have_are_not_passed(
    script: Write, tmp_path: Path, body: str, expected: list[str]
) -> None:
    (tmp_path / "settings.py").write_text("def define(flags): flags.DEFINE_integer('task_index', 0, '')")
    path = script(f"tell(sys.argv[1:])\nclass parser: add_argument = lambda *args, **options: None\n{body}")
    assert main(["launch", "--ps", "0", "--workers", "1", "--", path]) == 0
    assert (tmp_path / "worker-0").read_text() == str(expected)


def test_no_task_can_know_which_it_is(tmp_path: Path, capfd: Capture) -> None:
    script = tmp_path / "train.py"
    script.write_text("pass")
    assert main(["launch", "--ps", "0", "--workers", "1", "--", str(script)]) == 0
    assert "can know which it is: it has none of the flags --ps_hosts=" in capfd.readouterr().err


def test_tasks_run_on_the_python_that_is_given(script: Write, tmp_path: Path) -> None:
    path = script("tell()")
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "$@" > asked\n')
    python.chmod(0o755)
    flags = ["--ps", "0", "--workers", "1", "--task-flags", ""]
    assert main(["launch", *flags, "--python", "./python", "--", path, "x"]) == 0
    assert (tmp_path / "asked").read_text() == "train.py x\n"


def test_a_port_is_free_for_its_task(script: Write) -> None:
    path = script("""
        import json, socket
        host, port = json.loads(os.environ["CLUSTER_SPEC"])[job][index].split(":")
        with socket.create_server((host, int(port))):
            tell()
            wait_for("ps-0", "worker-0", "worker-1")
    """)
    assert main(["launch", "--", path]) == 0


def test_the_environment_of_the_caller_stays(script: Write) -> None:
    before = dict(os.environ)
    assert main(["launch", "--ps", "0", "--", script("pass")]) == 0
    assert dict(os.environ) == before
