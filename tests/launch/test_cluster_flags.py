"""What every task is given; of a running cluster it is test_what_tasks_get.py's."""

import json

import pytest

from tf2towers.launch.cluster import Cluster, Task, tasks_of

CLUSTER = Cluster(("a:1",), ("b:2", "c:3"))


def test_tasks_are_in_order() -> None:
    tasks = tasks_of(1, 2)
    assert [task.name for task in tasks] == ["ps 0", "worker 0", "worker 1"]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("", []),
        ("--job {job_name} --id {task_index}", ["--job", "ps", "--id", "0"]),
        ("'--who={job_name} {task_index}'", ["--who=ps 0"]),
        ("--hosts={ps_hosts},{worker_hosts}", ["--hosts=a:1,b:2,c:3"]),
        ("--json={}", ["--json={}"]),
        ("HOSTS={ps_hosts} --id={task_index} A=b", ["--id=0", "A=b"]),
    ],
)
def test_template(template: str, expected: list[str]) -> None:
    assert CLUSTER.flags(Task("ps", 0), template) == expected


def test_variables_of_a_template() -> None:
    environment = CLUSTER.environment(
        Task("worker", 1), "HOSTS='{ps_hosts} {worker_hosts}' SPEC={cluster} POD=job-{task_index} --a A=b"
    )
    assert (environment["HOSTS"], environment["POD"]) == ("a:1 b:2,c:3", "job-1")
    assert environment["SPEC"] == environment["CLUSTER_SPEC"] and "A" not in environment


def test_a_job_without_tasks_is_not_passed_on() -> None:
    environment = Cluster((), ("b:2",)).environment(Task("worker", 0))
    assert json.loads(environment["CLUSTER_SPEC"]) == {"worker": ["b:2"]}
