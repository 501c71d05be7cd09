"""Patches of TensorFlow, tf_keras and NumPy, and uses of private names: one file a subject.

Each patch has its reason, its source and a test. Calling it applies it, once in a process.
`patch.applied()` returns the patches in force, `patch.undo()` undoes all of them. No other module
of the runtime sets TensorFlow's attributes or imports `tensorflow.python`
(`tests/architecture/test_patches.py`).

    register   which patches `graph_mode` applies, and which `tf2towers.verify.stand_ins`
    patch      `Patch`: applies, guards and undoes
    private    looks up a private name, or raises an error that names the feature
    functions, servers, operations   what the sessions need of TensorFlow's private parts
    all others: patches, by subject

A private name is looked up when the patch is applied. If a TensorFlow to come has moved it, the
public functions that the patch serves raise `MovedError` when they are called, and all other
scripts run.
"""
