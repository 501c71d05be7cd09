"""Clusters, as in TF1: every process runs the script and is a client of its own.

A worker's sessions run its functions in this process; variables, queues, accumulators and tables that the graph puts on
a parameter server are there, under the names they have in the graph. They are the same for all workers. Nobody
coordinates: the chief initialises and the others wait, by the script's own means.

What the script gives to no task, TF1 put on the first task of the cluster by name, where all sessions shared it. In a
cluster with parameter servers on the first of these. So it is here, for variables and all else that has a name for
others; what has no state is computed in the process that runs it.

In-graph replication: where a worker's graph has operations on other workers, these and itself become servers as well
(`Task.share`). What it keeps is on its server then, for all to see; what it computes stays in its process.

Each process that has a session holds a `tf.distribute.ParameterServerStrategy`, whose cluster is the parameter servers
and itself as the one worker; its connection is what the functions run on.
"""
