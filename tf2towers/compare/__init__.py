"""Two trainings side by side: how fast each is, what it needs, and where its loss goes. `tf2towers compare`.

`watch` runs inside each script's process and reports every step; the rest runs in the parent and adds up.
"""
