"""One rewrite a file: from a program understood to the text of its TF2 counterpart."""
