"""Clusters, as in TF1: every process runs the script and is a client of its own.

A worker's sessions run their functions in the worker's process. Variables, queues, accumulators and
tables that the graph places on a parameter server are created there, under their names in the
graph, and all workers share them. There is no coordinator: the chief initializes the variables and
the other workers wait, by the script's own code.

TF1 placed ops without a task on the first task of the cluster by name, where all sessions shared
their resources; with parameter servers in the cluster, on the first of these. The same holds here
for variables and other named resources; ops without state run in the process that runs the session.

In-graph replication: if a worker's graph has ops on other workers, all these workers become servers
as well (`Task.share`). The worker's resources are then on its server, visible to all; its other ops
run in its process.

Each process with a session makes a `tf.distribute.ParameterServerStrategy`, whose cluster consists
of the parameter servers and this process as the only worker. Functions run over the connection of
this strategy.
"""
