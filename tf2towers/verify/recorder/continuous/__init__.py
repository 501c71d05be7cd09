"""One continuous run of a script, every session call recorded; the same code for the original and its exact migration.

running    the script as the main program, or a task of a cluster; the same random numbers on both sides
calls      each session call: what it was given, what it returned, gradients, variables after it
values     what a call returned, as named arrays
variables  every variable of a graph, read without a trace in the script's names; which of them an operation may change
"""
