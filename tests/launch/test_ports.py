"""Ports for a cluster: free, different, and nobody else's until their task takes them."""

import errno
import socket

import pytest

from tf2towers.launch import ports
from tf2towers.launch.cluster import LaunchError
from tf2towers.launch.ports import Port, hold_ports


def listening(number: int) -> socket.socket:
    listener = socket.socket()
    try:
        listener.bind(("", number))
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener


def test_held_ports_are_distinct_and_free_once_released() -> None:
    held = hold_ports(20)
    numbers = [port.number for port in held]
    assert len(set(numbers)) == 20
    for port in held:
        with pytest.raises(OSError, match="in use"):
            listening(port.number)
        port.release()
        listening(port.number).close()
        with pytest.raises(OSError, match="in use"):  # another launcher does not take it yet
            Port(port.number)
        port.close()
        Port(port.number).close()


def test_the_address_of_a_port() -> None:
    (port,) = hold_ports(1)
    assert port.address == f"localhost:{port.number}"
    port.close()


def test_a_port_in_use_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    taken, free = hold_ports(2)
    free.close()
    monkeypatch.setattr(ports, "_candidates", lambda: [taken.number, free.number])
    (port,) = hold_ports(1)
    assert port.number == free.number
    with pytest.raises(LaunchError, match="2 tasks need as many free ports, and there are 0"):
        hold_ports(2)
    port.close()
    taken.close()
    for port in hold_ports(2):
        port.close()


def test_no_files_left(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> Port:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(ports, "Port", full)
    with pytest.raises(LaunchError, match="no ports for 3 tasks: Too many open files"):
        hold_ports(3)
