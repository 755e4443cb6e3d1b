"""A client of the public interface, which only mypy reads: its types are exactly these.

mypy runs strictly and refuses an ignored line that is right, so that the mistakes stay mistakes.
"""

from typing import assert_type

import ggrep
from ggrep.model.confidence import Confidence
from ggrep.model.limits import LimitHit
from ggrep.model.response import Hit
from ggrep.model.slate import Pack, Section
from ggrep.service.answers import SymbolAnswer
from ggrep.service.repository import Repository
from ggrep.service.workspace_calls import WorkspaceSlateAnswer

repo = ggrep.open(".", daemon="never")
answer = repo.search("q", limit=3, mode="debug", filters=["lang:python"])
assert_type(repo, Repository)
assert_type(answer.hits[0].path, str)
assert_type(answer.confidence, Confidence)
assert_type(answer.limits_hit, tuple[LimitHit, ...])
assert_type(repo.slate("q", level=1).slate.sections, tuple[tuple[Section, tuple[Pack, ...]], ...])
assert_type(repo.expand("a.py:12").content, str)
assert_type(repo.sync().indexed, int)
assert_type(repo.status().snapshot.files, int)
assert_type(ggrep.open_workspace("w").search("q", select=["a"]).hits[0].hit, Hit)
try:
    repo.search("q", limt=3)  # type: ignore[call-arg]
except ggrep.Busy as error:
    assert_type(error.retry_after_ms, int)
repo.symbol("q", limit="3")  # type: ignore[arg-type]
ggrep.open(daemon="perhaps")  # type: ignore[arg-type]
ggrep.opne()  # type: ignore[attr-defined]


async def twins() -> None:
    async with ggrep.AsyncRepository(".") as repository, ggrep.AsyncWorkspace("w") as workspace:
        assert_type(await repository.symbol("q", limit=2), SymbolAnswer)
        assert_type(await workspace.slate("q", level=2), WorkspaceSlateAnswer)
