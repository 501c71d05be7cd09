"""Whether the script switched resource variables on itself, as some of TF 1.15 did.

All variables are resources here. What a script sees of it is when a variable is read that is fetched together with its
update: TF1's own variables gave the memory that the update had changed, resources give what was read before it. And
those of a parameter server: TF1's own were read at the start of a worker's run, resources where the graph has it.
"""

from __future__ import annotations

#: set by `graph_mode`, for this process: a fetched variable is read before its run's writes
switched_on = False
