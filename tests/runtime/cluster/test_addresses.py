"""A cluster or a task that is not valid: an error at once, which names what is wrong."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytestmark = pytest.mark.tensorflow
HOSTS = {"ps": ["localhost:4391"], "worker": ["localhost:4392", "localhost:4393"]}


@pytest.fixture(autouse=True)
def quickly() -> Iterator[None]:
    start = time.monotonic()
    yield
    assert time.monotonic() - start < 5


def refused(cluster: object, job: object, index: object) -> str:
    from tf2towers.runtime.cluster.addresses import ClusterError, check_addresses, check_port

    with pytest.raises(ClusterError) as caught:
        check_addresses(cluster, job, index)
        check_port("", cluster[job][index])  # type: ignore[index]
    return str(caught.value)


@pytest.mark.parametrize(
    ("cluster", "job", "index", "words"),
    [
        (HOSTS, "wroker", 0, ["'wroker'", "'worker' (2)"]),
        (HOSTS, "", 0, ["job_name=''"]),
        (HOSTS, "worker", 2, ["task_index=2", "0 to 1"]),
        (HOSTS, "worker", "x", ["task_index='x'", "number"]),
        ({**HOSTS, "ps": []}, "worker", 0, ["'ps'", "empty"]),
        ({**HOSTS, "ps": [""]}, "worker", 0, ["'ps'", "empty"]),
        ({**HOSTS, "ps": ["localhost"]}, "worker", 0, ["'localhost'", "host:port"]),
        ({**HOSTS, "ps": ["localhost:99999"]}, "worker", 0, ["99999"]),
        ({**HOSTS, "ps": ["localhost:4392"]}, "worker", 0, ["localhost:4392", "more than one"]),
        ("localhost:1", "worker", 0, ["ClusterSpec"]),
    ],
)
def test_what_is_said_of_a_wrong_address(
    cluster: object, job: object, index: object, words: list[str]
) -> None:
    message = refused(cluster, job, index)
    assert all(word in message for word in words), message


def test_a_port_in_use() -> None:
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        address = f"localhost:{taken.getsockname()[1]}"
        message = refused({**HOSTS, "worker": [address]}, "worker", 0)
        assert address in message and "in use" in message


def test_a_task_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    from tf2towers.runtime.cluster.addresses import ClusterError
    from tf2towers.runtime.cluster.waiting import wait_for

    monkeypatch.setenv("TF2TOWERS_CLUSTER_TIMEOUT", "1")
    with pytest.raises(ClusterError, match=r"ps 0 \(localhost:4391\) within 1 seconds"):
        wait_for({"ps 0": "localhost:4391"})
    with pytest.raises(ClusterError, match=r"ps 0 \(no-such.invalid:4391, no such host\) within 1 seconds"):
        wait_for({"ps 0": "no-such.invalid:4391"})


def test_a_host_that_is_known_only_when_its_task_has_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a pod is on Kubernetes: TF1's tasks waited for it."""
    from tf2towers.runtime.cluster.waiting import wait_for

    look_up, start = socket.getaddrinfo, time.monotonic()

    def late(host: str, *rest: Any) -> Any:
        if host == "late.invalid" and time.monotonic() - start < 1:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return look_up("localhost" if host == "late.invalid" else host, *rest)

    monkeypatch.setattr(socket, "getaddrinfo", late)
    with socket.create_server(("", 0)) as listening:
        wait_for({"ps 0": f"late.invalid:{listening.getsockname()[1]}"})
