"""Converts scripts from Python 2 to Python 3 with the same meaning, before they are migrated.

`grammar` (with fissix, the maintained lib2to3) converts syntax and names; `meaning` converts code
that is valid in Python 3, but behaves differently: division, rounding, pickles. For a program in
Python 3, nothing of this is imported.
"""
