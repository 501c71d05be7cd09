"""True if the script enabled resource variables itself, as some TF 1.15 scripts did.

All variables are resource variables here. A script sees the difference if it fetches a variable
together with its update. TF1's own variables returned the memory that the update had changed,
resource variables the value before it. On a parameter server, TF1's own variables were read at the
start of a worker's run, resources where the graph says so.
"""

from __future__ import annotations

#: set by `graph_mode`, for this process: a fetched variable is read before its run's writes
switched_on = False
