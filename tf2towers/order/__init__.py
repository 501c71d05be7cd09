"""The order of accesses that a TF1 graph does not order, for both kinds of scripts.

Two accesses of one variable, of which one writes, may happen in any order unless a path of the
graph connects them. The same holds for two towers that take from one queue. TF1 ran them as their
inputs became ready. Here the order is one that TF1 could have taken, and the same in each run:

    - Writes of one variable happen in the order they were built in.
    - A read that a write is computed from (not through gradients), or that waits for something,
      happens in built order.
    - A read whose value is fetched, in TF1 the variable's memory, happens after the writes.
    - Any other read happens before the writes, and so does each one of a variable on a parameter
      server.
    - Takings from one queue or iterator, and additions to one queue or accumulator, happen in built
      order.

`pairs` decides it on a small graph of `operations`. An operation in the branch of a `tf.cond` may
be dead: `branches` finds that by the `Switch`es before it. No operation waits for one that may be
dead, but for the end of its branch. Where a branch is not certain, the pair is left open. What is
read in a loop waits at the loop's beginning, and writes wait for the loop's end (`loops`). Writes
in loops, and what is used there of queues, are not ordered.

Two adapters make the small graph and apply the pairs: `tf2towers.verify.recorder.order` for a
`tf.Graph` of an original, whose variables are memory, and `tf2towers.runtime.graph_session.order`
for the nodes of a run. Runs on Python 3.6 and imports nothing else of tf2towers: the recorder takes
it to a TensorFlow 1.
"""
