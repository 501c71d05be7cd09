"""Parameter servers: the cluster of a script, and what every worker does for itself."""
