"""`python idiomatic_form.py SCRIPT FOLDER`: the idiomatic form of a script that the register is not certain of.

`migrate --idiomatic` writes the exact form of such a script; tests of what looks at hand-shaped programs (verify,
compare) want it all the same.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tf2towers.migrate import migrate
from tf2towers.source.script import Script

if __name__ == "__main__":
    script, folder = Path(sys.argv[1]), Path(sys.argv[2])
    result = migrate(Script.read(script))
    assert not result.left and result.changed, result.findings
    folder.mkdir(parents=True, exist_ok=True)
    for change in result.changes:
        (folder / change.path.name).write_bytes(change.encoded())
