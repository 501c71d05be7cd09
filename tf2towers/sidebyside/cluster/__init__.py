"""A side that is a cluster of processes: started as one, held as one, its tasks' lines merged."""

from __future__ import annotations
