"""TF1 graph code on TF 2: the graph is built as ever, and what a Session ran is a function on a strategy's devices.

`Session.run(fetches, feeds)` takes the part of the graph that the fetches need, gives it its place on the
strategy, and calls it as a TF 2 function. There is one for each set of fetches and feeds. Nothing is understood
of the Python that built the graph, so nothing can be misunderstood: control dependencies, scopes and
collections are the script's own.

    session            `Session` and `InteractiveSession`: what is fetched and fed, and the functions that are kept
    runs/              around a run: known ones, nested runs, ends by closing, errors in TF1's words
    function           one run as a TF 2 function; the fed tensors are its arguments
    nodes              the graph as nodes by name, and the part that a run needs
    defined_functions  the functions of the graph's library
    order              reads, writes and takings that the graph leaves open, in the order they were built in
    same_memory        which operations give their input's own memory
    towers             which operations belong to which tower, and the device it has on the strategy
    placement          the script's devices -> the strategy's
    all_reduce         a mean over the towers -> one all-reduce
    mirror             a copy of each variable for each tower that reads it, and every write on all copies
    randomness         seeded draws take their place in one sequence, whichever run they are in
    catching_up        the same for operations that keep their place to themselves
    resources          queues, tables, iterators: one for all functions of a session
    own_resources      whether the script switched resource variables on itself
    layout             where a session's variables lie, when its graph grows
    carried            what sessions keep when their process is connected to a cluster
    managed            what makes sessions: SessionManager, Supervisor, MonitoredTrainingSession
    mode, config       `graph_mode`; what of a session's ConfigProto holds for the process
    process            where a session's operations are: in this process
    cluster/           the other place: parameter servers, each process a client of its own; Server
    parcels            small tensors that go from one process to another travel together
    patches, patch     all patches of TensorFlow, with their reasons; how one is applied and taken back
    private            the few names of TensorFlow's that are not public, with the reason for each
"""
