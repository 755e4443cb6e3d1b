"""Definitions and usages over several repositories for people.

A place is written `alias:path:line`, which `ggrep expand --workspace` takes.
"""

from collections.abc import Sequence

from msgspec import Struct

from ggrep.model.navigation import Definition, Reference
from ggrep.render.navigation_text import Placed, definitions_text, placed_mentions
from ggrep.render.page import Page


class Labelled(Struct, frozen=True):
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
    """Return mentions as those of one repository, each with the label of its own.

    Empty without any.
    """
    return placed_mentions([Placed(one.key, one.found, one.mark) for one in found], page)
