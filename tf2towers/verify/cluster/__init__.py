"""The proof of a parameter-server script: clusters of processes on this machine, recorded, replayed, put together."""
