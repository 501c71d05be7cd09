"""Free ports of this machine, kept free until their task has taken them.

A script needs seconds (its imports) between its start and its server. So ports are taken from outside the range that
the system gives to outgoing connections, and a bound socket holds each until its task starts. The UDP port of the same
number is held for as long as the cluster runs, so that another launcher does not take it either.
"""

from __future__ import annotations

import contextlib
import errno
import random
import socket
from pathlib import Path

from tf2towers.launch.errors import LaunchError

LOWEST, HIGHEST = 10_000, 32_767
_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")


class Port:
    """One port of localhost, held from the start.

    Raises:
        OSError: it is in use.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self._holders: list[socket.socket] = []
        self._mark: socket.socket | None = None
        try:
            self._mark = _bind_port(socket.AF_INET, socket.SOCK_DGRAM, number)
            self._holders.append(_bind_port(socket.AF_INET, socket.SOCK_STREAM, number))
            if socket.has_ipv6:
                self._hold_ipv6()
        except OSError:
            self.close()
            raise

    @property
    def address(self) -> str:
        """The address as host:port."""
        return f"localhost:{self.number}"

    def release(self) -> None:
        """Stops holding the port, so that its task can have it: called just before the task starts."""
        for holder in self._holders:
            holder.close()
        self._holders = []

    def close(self) -> None:
        """Gives the port up: any program may have it."""
        self.release()
        if self._mark is not None:
            self._mark.close()

    def _hold_ipv6(self) -> None:
        try:
            self._holders.append(_bind_port(socket.AF_INET6, socket.SOCK_STREAM, self.number))
        except OSError as problem:  # a machine may know IPv6 and lack an address of it
            if problem.errno in (errno.EADDRINUSE, errno.EMFILE, errno.ENFILE):
                raise


def hold_ports(count: int) -> list[Port]:
    """So many different free ports, each held.

    Raises:
        LaunchError: there are not so many.
    """
    ports: list[Port] = []
    try:
        for number in _candidates():
            if len(ports) == count:
                return ports
            try:
                ports.append(Port(number))
            except OSError as problem:
                if problem.errno not in (errno.EADDRINUSE, errno.EACCES):
                    raise
        if len(ports) == count:
            return ports
        raise LaunchError(f"{count} tasks need as many free ports, and there are {len(ports)}")
    except BaseException as problem:
        for port in ports:
            port.close()
        if isinstance(problem, OSError):
            raise LaunchError(f"no ports for {count} tasks: {problem.strerror}") from problem
        raise


def _candidates() -> list[int]:
    """Ports that the system does not give away by itself, in an order of chance."""
    highest = HIGHEST
    with contextlib.suppress(OSError, ValueError):
        highest = int(_RANGE.read_text().split()[0]) - 1
    if highest - LOWEST < 1000:  # the system gives away nearly all of them
        highest = 65_535
    numbers = list(range(LOWEST, highest + 1))
    random.SystemRandom().shuffle(numbers)
    return numbers


def _bind_port(family: socket.AddressFamily, kind: socket.SocketKind, number: int) -> socket.socket:
    bound = socket.socket(family, kind)
    try:
        if family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.bind(("", number))
    except OSError:
        bound.close()
        raise
    return bound
