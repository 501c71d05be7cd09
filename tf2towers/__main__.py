"""`python -m tf2towers`."""

from tf2towers.cli.main import run

if __name__ == "__main__":
    run()
