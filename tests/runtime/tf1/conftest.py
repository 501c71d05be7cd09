"""What `graph_mode` does for tf_slim, for tests that build graphs in this process."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


@pytest.fixture(autouse=True, scope="session")
def tf_slim_has_its_names() -> None:
    if find_spec("tensorflow") is not None:
        from tf2towers.runtime.graph_session.patches import tf_slim_finds_its_names

        tf_slim_finds_its_names()
