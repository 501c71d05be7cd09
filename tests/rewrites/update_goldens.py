"""Writes `goldens/` anew: `python tests/rewrites/update_goldens.py`, then read the difference before committing it."""

from cases import GOLDENS, after, all_cases, is_left, migrated


def main() -> None:
    """One file for every case that is migrated."""
    GOLDENS.mkdir(exist_ok=True)
    wanted = {name for name, case in all_cases().items() if not is_left(case) and migrated(name).changes}
    for file in GOLDENS.glob("*.txt"):
        if file.stem not in wanted:
            file.unlink()
    for name in sorted(wanted):
        (GOLDENS / f"{name}.txt").write_text(after(name))


if __name__ == "__main__":
    main()
