"""The pool that reads the syntax of an engine's files."""

import pytest

from ggrep.search.engine.engine import Engine
from tests.fakes.mentions import InProcessMentions


@pytest.fixture
def pool(engine: Engine) -> InProcessMentions:
    """Return the pool of the engine, which reads syntax in this process."""
    assert isinstance(engine._occurrences, InProcessMentions)
    return engine._occurrences
