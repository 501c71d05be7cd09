"""One continuous run of a script, every session call recorded; the same code for the original and its exact migration.

running    the script as the main program; both sides' random numbers made the same ones (`recorder.seeds`)
calls      each session call: what it was given, what it returned, gradients, variables after it
values     what a call returned, as named arrays
writes     which variables an operation may change
variables  every variable of a graph, read without a trace in the script's names
"""
