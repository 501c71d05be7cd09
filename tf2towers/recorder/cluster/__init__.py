"""The recorder for a script of parameter servers: each worker's steps, and the updates that its process makes.

    OUT/worker-N/own/      a folder of steps (`tf2towers.parity.recording`): inputs, draws, loss, handed-in gradients
    OUT/worker-N/updates/  another: variables before and after, the applied gradients, and when it was made

Runs on Python 3.6 and TensorFlow 1.12 or later, alone. What becomes of it: `tf2towers.parity.cluster.merging`.
"""
