"""How long a process has been let run: the time since its start without the time it was held."""

from __future__ import annotations

from bisect import bisect_right


class ActiveClock:
    """Turns the machine's time into a process's own.

    Args:
        started: when the process was started, by `time.monotonic()`, which processes of a machine share.
    """

    def __init__(self, started: float) -> None:
        self.started = started
        self._stops: list[float] = []
        self._goes: list[float] = []  # as long as `_stops`, or one shorter: held now
        self._held = [0.0]  # how long it was held altogether before the stop of this index

    def stop(self, at: float) -> None:
        """The process is held from now on."""
        assert len(self._stops) == len(self._goes)
        self._stops.append(at)

    def go_on(self, at: float) -> None:
        """It runs again."""
        assert len(self._stops) == len(self._goes) + 1
        self._goes.append(at)
        self._held.append(self._held[-1] + at - self._stops[-1])

    def active(self, at: float) -> float:
        """Seconds it has run until then."""
        before = bisect_right(self._stops, at)
        held = self._held[before - 1] if before else 0.0
        if before:
            end = self._goes[before - 1] if before <= len(self._goes) else at
            held += min(end, at) - self._stops[before - 1]
        return at - self.started - held

    def interrupted(self, begin: float, end: float) -> bool:
        """Whether it was held at any time between the two."""
        stops = bisect_right(self._stops, end)
        return stops > 0 and (stops > len(self._goes) or self._goes[stops - 1] > begin)
