"""The addresses of a cluster's tasks, and waiting for them."""
