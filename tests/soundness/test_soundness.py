"""Every program of the suite prints the same when it is migrated, to the last digit, or is refused with its reason."""

import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from suite import Program, ended, first_difference, migrated, one_process, started

pytestmark = pytest.mark.tensorflow

ALL = one_process()
TAKEN = [program for program in ALL if not program.refused]


def name_of(program: Program) -> str:
    return program.name


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the programs are: `original`, and `migrated` as far as they are, whether or not something is left."""
    folder = tmp_path_factory.mktemp("soundness")
    for program in ALL:
        program.write(folder / "original")
    return folder


@pytest.fixture(scope="session")
def left(home: Path) -> dict[str, list[str] | str]:
    """Name of the program -> the codes of what is left to you, or what `migrate` crashed with."""
    found: dict[str, list[str] | str] = {}
    for program in ALL:
        path = home / "original" / f"{program.name}.py"
        text = program.text
        try:
            result = migrated(path)
        except Exception as error:
            found[program.name] = repr(error)
        else:
            found[program.name] = [finding.code for finding in result.left]
            text = next((change.after for change in result.changes if change.path == path), text)
        Program(program.name, text).write(home / "migrated")
    return found


@pytest.fixture(scope="session")
def runs(home: Path, left: dict) -> dict[str, dict[str, dict]]:
    """Mode of `run_many.py` -> name of the program -> its run."""
    if find_spec("tensorflow") is None:
        pytest.skip("needs TensorFlow")
    running = {mode: start(mode, home) for mode in ("original", "migrated")}
    found = {"original": ended(running["original"], home / "original.json")}
    running["rewriting"] = start("rewriting", home)
    for mode in ("migrated", "rewriting"):
        found[mode] = ended(running[mode], home / f"{mode}.json")
    return found


def start(mode: str, home: Path) -> subprocess.Popen[str]:
    programs, folder = (ALL, "original") if mode == "original" else (TAKEN, "migrated")
    paths = [home / folder / f"{program.name}.py" for program in programs]
    return started("run_many.py", mode, home / f"{mode}.json", paths)


@pytest.mark.parametrize("program", ALL, ids=name_of)
def test_original_runs(program: Program, runs: dict) -> None:
    run = runs["original"][program.name]
    assert run["error"] is None, run["traceback"]
    assert sum(character.isdigit() for character in run["stdout"]) >= 5


@pytest.mark.parametrize("program", ALL, ids=name_of)
def test_what_has_to_be_refused_is_refused_and_nothing_else(program: Program, left: dict) -> None:
    if program.refused:
        assert program.refused in left[program.name]
    else:
        assert left[program.name] == []


@pytest.mark.parametrize("mode", ["migrated", "rewriting"])
@pytest.mark.parametrize("program", TAKEN, ids=name_of)
def test_the_migrated_program_prints_the_same(program: Program, mode: str, runs: dict) -> None:
    """The migrated program prints what the original does: to the last digit; with rewritten graphs, to four digits."""
    original, other = runs["original"][program.name], runs[mode][program.name]
    difference = first_difference(original, other, nearly=mode == "rewriting")
    assert difference is None, f"{difference}\n{other['traceback']}"
