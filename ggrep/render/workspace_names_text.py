"""Definitions and usages over several repositories for people.

A place is written `alias:path:line`, which `ggrep expand --workspace` takes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from ggrep.model.navigation import Definition, Reference
from ggrep.render.navigation_text import definitions_text, is_import, mentions_of
from ggrep.render.page import Page


@dataclass(frozen=True, slots=True)
class Labelled:
    """A mention in one of several repositories.

    Attributes:
        repo: what the repository is called in places.
        mark: one word on how it is tied to a definition elsewhere; empty for none.
    """

    repo: str
    found: Reference
    mark: str = ""

    @property
    def key(self) -> str:
        """Return its file as it is written."""
        return f"{self.repo}:{self.found.path}"


def labelled_definitions(found: Sequence[tuple[str, Definition]], page: Page) -> str:
    """Return definitions, each with the label of its repository; empty without any."""
    return definitions_text([(f"{repo}:{one.path}", one) for repo, one in found], page)


def labelled_mentions(found: Sequence[Labelled], page: Page) -> str:
    """Return mentions file by file in their order, then where the name is only imported.

    Empty without any.
    """
    used = [one for one in found if not is_import(one.found)]
    blocks = []
    for (key, mark), group in groupby(used, key=lambda one: (one.key, one.mark)):
        blocks.append(mentions_of(key, [one.found for one in group], page, mark))
    if imports := [one for one in found if is_import(one.found)]:
        blocks.append(f"imported at {', '.join(_place(one, page) for one in imports)}\n")
    return "\n".join(blocks)


def _place(one: Labelled, page: Page) -> str:
    """Return the place of an import; what it is a guess of is said, for it may be another's."""
    place = page.path(one.key, one.found.line)
    return f"{place} {page.muted(one.mark)}" if one.mark == "guess" else place
