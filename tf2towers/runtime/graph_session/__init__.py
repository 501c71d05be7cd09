"""TF1 graph code on TF 2: a script builds its graph, and each session call is a TF 2 function.

`Session.run(fetches, feeds)` takes the part of the graph that the fetches need, places its ops on
the devices of the strategy, and calls it as a TF 2 function. Each set of fetches and feeds has one
function. The Python code that built the graph is not analysed, so it cannot be misunderstood:
control dependencies, scopes and collections are the script's own.

    session            `Session` and `InteractiveSession`: fetches, feeds, and the functions that a session keeps
    runs/              repeated runs, runs within runs, cancelled runs, errors in TF1's words
    function           one run as a TF 2 function; the fed tensors are its arguments
    run                the nodes of one run, and what each pass of `function` changes of them
    graph_nodes        the graph as nodes by name, and the part of it that a run needs
    defined_functions  the functions in the graph's library
    order              order of reads, writes, enqueues and dequeues, where the graph leaves it open
    kept_by_loops      what a loop's gradient takes of a variable's memory
    left_by_loops      what a loop returns of it
    same_memory        which ops return their input's own memory, without a copy
    towers             which ops belong to which tower, and the tower's device on the strategy
    placement          the script's devices -> the strategy's devices
    all_reduce         a mean over the towers -> one all-reduce
    mirror             a copy of each variable for each tower that reads it; every write changes all copies
    randomness         seeded random ops draw from one sequence in all runs of a session
    catching_up        the same for random ops that keep their position inside their kernel
    resources          queues, tables, iterators: shared by all functions of a session
    own_resources      whether the script enabled resource variables itself
    layout             the devices of a session's variables, and moving them when the graph grows
    carried            keeps the variables of sessions when their process connects to a cluster
    managed            classes that make sessions: SessionManager, Supervisor, MonitoredTrainingSession
    mode, config       `graph_mode`; the options of a session's ConfigProto that apply to the whole process
    deprecations       hides the deprecations of calls that libraries make
    session_process    a session whose ops all run in this process
    cluster/           a session on parameter servers, where each process is a client of its own; Server
    parcels            sends small tensors from one process to another together

Patches of TensorFlow, and all that uses its private names, are in `tf2towers.runtime.patches`.
"""
