"""Which TensorFlow a script is written for, by what its code says; comments and strings do not count."""

from __future__ import annotations

import contextlib
import io
import re
import tokenize
from pathlib import Path

from tf2towers.source.errors import SourceError
from tf2towers.source.local_imports import local_modules
from tf2towers.source.script import Script

#: it has chosen by itself, or it is written for TF 2
_AS_IT_IS = re.compile(
    r"\b(?:tensorflow|tf)\.compat\.v[12]\b|\bfrom tensorflow\.compat\b|"
    r"\btf\.(?:function|GradientTape|random\.set_seed|distribute\.MirroredStrategy)\b"
)
#: what TF 2 has under no such name, and every TF1 trainer uses some of
_TF1_ONLY = re.compile(
    r"\b(?:tf|tensorflow)\.(?:Session|InteractiveSession|placeholder|get_variable|variable_scope|ConfigProto|"
    r"global_variables_initializer|initialize_all_variables|app\.run|app\.flags|flags\.|contrib\.|layers\.|"
    r"get_collection|trainable_variables\(|set_random_seed|gfile\.|"
    r"train\.(?:\w+Optimizer|MonitoredTrainingSession|Saver|Server|get_or_create_global_step))"
)


def is_tf1(script: Path) -> bool:
    """Whether it, or a local module that it reaches, says `import tensorflow` and means TensorFlow 1.

    Not so where one of them names `tensorflow.compat.v1` itself: then they run as they are.
    """
    paths = [script]
    with contextlib.suppress(SourceError):  # Python 2, say
        paths += local_modules(Script.read(script))
    texts = [code(path.read_text(encoding="utf-8", errors="replace")) for path in paths]
    return any(map(_TF1_ONLY.search, texts)) and not any(map(_AS_IT_IS.search, texts))


def code(text: str) -> str:
    """A program's text without comments and strings, names and dots without spaces; all of it where Python cannot."""
    words: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME and words and words[-1][-1:].isalnum():
                words.append(" ")
            if token.type not in (tokenize.COMMENT, tokenize.STRING, tokenize.INDENT, tokenize.DEDENT):
                words.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        return text
    return "".join(words)
