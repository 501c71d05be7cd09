"""Changes of a script that keep its meaning; one is dropped where the original no longer prints the same."""

from mutations import expressions, layout, modules, names, statements
from mutations.text import MUTATIONS, Source

__all__ = ["MUTATIONS", "Source", "expressions", "layout", "modules", "names", "statements"]
