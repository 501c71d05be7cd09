"""What every task is given; of a running cluster it is test_what_tasks_get.py's."""

import json

import pytest

from tf2towers.launch.cluster import Cluster, LaunchError, Task, tasks_of

CLUSTER = Cluster(("a:1",), ("b:2", "c:3"))


def test_tasks_are_in_order() -> None:
    tasks = tasks_of(1, 2)
    assert [task.name for task in tasks] == ["ps 0", "worker 0", "worker 1"]


def test_a_chief_is_the_first_worker() -> None:
    """An evaluator is in no cluster."""
    tasks = tasks_of(1, 2, "chief", evaluators=1)
    assert [task.name for task in tasks] == ["ps 0", "chief 0", "worker 0", "evaluator 0"]
    cluster = Cluster(("a:1",), ("b:2", "c:3"), "chief")
    configs = [json.loads(cluster.environment(task)["TF_CONFIG"]) for task in tasks]
    assert {json.dumps(config["cluster"]) for config in configs} == {
        '{"ps": ["a:1"], "chief": ["b:2"], "worker": ["c:3"]}'
    }
    assert [(config["task"]["type"], config["task"]["index"]) for config in configs] == [
        (task.job, task.index) for task in tasks
    ]
    assert cluster.flags(tasks[2], "{chief_hosts} {worker_hosts} {job_name}") == ["b:2", "c:3", "worker"]
    assert [task.name for task in tasks_of(0, 1, "master")] == ["master 0"]


def test_an_evaluator_needs_a_chief() -> None:
    with pytest.raises(LaunchError, match="works beside a chief, and the first worker's job is 'master'"):
        tasks_of(1, 1, "master", evaluators=1)


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
def test_flags_of_a_template(template: str, expected: list[str]) -> None:
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
