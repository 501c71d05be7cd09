"""Scripts in Python 2, made Python 3 with the same meaning before they are migrated.

`grammar` (fissix, the maintained lib2to3) converts what is a matter of syntax and of names; `meaning` what Python 3
reads without a complaint and does otherwise: division, rounding, pickles. A program in Python 3 imports none of it.
"""
