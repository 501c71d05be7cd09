"""The recorder for a script of parameter servers: each worker's steps, and the updates that its process makes.

    OUT/worker-N/  a folder of steps (`tf2towers.verify.recording`): inputs, draws, loss; of a synchronous worker, whose
                   steps are marked 'together|', the gradients that it hands in as 'tower gradient|0|NAME'. Where its
                   process makes the update: when it was made, variables before and after, the applied gradients

Runs on Python 3.6 and TensorFlow 1.12 or later, alone. What becomes of it: `tf2towers.verify.cluster.merging`.
"""
