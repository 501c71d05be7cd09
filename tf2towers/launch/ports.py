"""Free ports of this machine, held until the task that uses each has started.

A script needs seconds (its imports) between its start and the start of its server. So ports are
taken from outside the range that the system gives to outgoing connections, and a bound socket holds
each until its task starts. The UDP port of the same number is held as long as the cluster runs, so
that no other launcher takes the port either.
"""

from __future__ import annotations

import contextlib
import errno
import random
import socket
from pathlib import Path

from tf2towers.launch.cluster import LaunchError

LOWEST, HIGHEST = 10_000, 32_767
_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")


class Port:
    """One port of localhost, held from the start.

    Raises:
        OSError: the port is in use.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self._mark = _bind_port(socket.SOCK_DGRAM, number)
        try:
            self._holder = _bind_port(socket.SOCK_STREAM, number)
        except OSError:
            self._mark.close()
            raise

    @property
    def address(self) -> str:
        """The address as host:port."""
        return f"localhost:{self.number}"

    def release(self) -> None:
        """Stops holding the port just before its task starts, so that the task can bind it."""
        self._holder.close()

    def close(self) -> None:
        """Gives the port up for any program."""
        self.release()
        self._mark.close()


def hold_ports(count: int) -> list[Port]:
    """Holds `count` different free ports.

    Raises:
        LaunchError: fewer ports are free.
    """
    ports: list[Port] = []
    with contextlib.ExitStack() as held:
        for number in _candidates():
            if len(ports) == count:
                break
            try:
                ports.append(Port(number))
            except OSError as problem:
                if problem.errno not in (errno.EADDRINUSE, errno.EACCES):
                    raise LaunchError(f"no ports for {count} tasks: {problem.strerror}") from problem
            else:
                held.callback(ports[-1].close)
        if len(ports) < count:
            raise LaunchError(f"{count} tasks need as many free ports, and there are {len(ports)}")
        held.pop_all()
    return ports


def _candidates() -> list[int]:
    """Ports that the system does not give to outgoing connections, in random order."""
    highest = HIGHEST
    with contextlib.suppress(OSError, ValueError):
        highest = int(_RANGE.read_text().split()[0]) - 1
    if highest - LOWEST < 1000:  # the system gives nearly all of them to outgoing connections
        highest = 65_535
    numbers = list(range(LOWEST, highest + 1))
    random.SystemRandom().shuffle(numbers)
    return numbers


def _bind_port(kind: socket.SocketKind, number: int) -> socket.socket:
    """A socket that is bound to a port of IPv4 and, where the machine has IPv6, of IPv6."""
    both = socket.has_dualstack_ipv6()
    bound = socket.socket(socket.AF_INET6 if both else socket.AF_INET, kind)
    try:
        if both:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        bound.bind(("", number))
    except OSError:
        bound.close()
        raise
    return bound
