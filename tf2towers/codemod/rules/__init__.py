"""The rules, a file each: `RULE` in `t2tNNN_name.py`."""
