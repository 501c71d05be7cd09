"""A program of modern/ in a folder of its own, with the modules it imports, run with TensorFlow alone."""

import ast
import shutil
from pathlib import Path

MODERN = Path(__file__).parents[2] / "modern"
#: Refuses whatever `pip install tensorflow` does not bring, then runs the program in its folder: python -c RUN SCRIPT
RUN = """
import importlib.metadata, os, re, runpy, sys
def needed(name, found):
    if name not in found:
        found.add(name)
        try:
            lines = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            return found
        for line in lines:
            if 'extra ==' not in line:
                needed(re.match(r'[\\w.-]+', line)[0].lower().replace('_', '-'), found)
    return found
allowed = needed('tensorflow', set())
class Only:
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, path=None, target=None):
        owners = {owner.lower().replace('_', '-') for owner in OWNERS.get(name.partition('.')[0], allowed)}
        return self.finder.find_spec(name, path, target) if owners & allowed else None
OWNERS = {**importlib.metadata.packages_distributions(), 'tf2towers': ['tf2towers']}
sys.meta_path[:] = map(Only, sys.meta_path)
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name='__main__')
"""
#: what a program prints, once, where scikit-learn is not there
MADE_UP = "scikit-learn is not installed: training on made-up images"


def imported(node: ast.AST) -> list[str]:
    """The modules that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


def with_its_modules(script: str, folder: Path) -> Path:
    """Copies a program, and what it imports of modern/; its path in the folder."""
    if not (folder / script).exists():
        shutil.copy(MODERN / script, folder)
        for node in ast.walk(ast.parse((MODERN / script).read_text())):
            for name in imported(node):
                if (MODERN / f"{name}.py").exists():
                    with_its_modules(f"{name}.py", folder)
    return folder / script
