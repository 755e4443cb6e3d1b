"""A ranked hit."""

from collections.abc import Mapping
from typing import Annotated, Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.model.constraints import Code, Count, Named, Positive, Sha256, hides
from ggrep.model.corpus import Corpus

_OTHERWISE: Final[Mapping[str, str | None]] = {
    "row_id": None,
    "path": None,
    "start_line": None,
    "end_line": None,
    "score": None,
    "definition": None,
    "chunk_type": "kind",
    "content_start_line": "contentStart",
}


class Extent(Struct, frozen=True):
    """Lines of a file."""

    start_line: Positive
    """The first, 1-based."""
    end_line: Positive
    """The last, inclusive."""


@hides("marks")
class HitLine(Struct, frozen=True, omit_defaults=True):
    """A line that matches, or a line of context."""

    line: Positive
    """Number of the line, 1-based."""
    text: str
    """The line without its end, free of control characters; of a long line the part around its
    first match.
    """
    columns: tuple[tuple[Positive, Positive], ...]
    """The 1-based bytes of the line at which each match begins and behind which it ends;
    none for a line of context.
    """
    marks: tuple[tuple[int, int], ...] = ()
    """Offsets of each match in `text`, in characters."""
    cut: Annotated[bool, (True,)] = False
    """Present where `text` is not the whole line."""


@hides("chunk_id", "components", "rule", "traits")
class Hit(Struct, frozen=True, omit_defaults=True):
    """One chunk."""

    row_id: Sha256
    """Equal wherever the same text stands at the same place of the same path."""
    chunk_id: str
    path: str
    """Path below the repository's root, with forward slashes."""
    start_line: Positive
    """First line of the chunk, 1-based."""
    end_line: Positive
    """Last line of the chunk, 1-based, inclusive."""
    score: float
    """What the list is ordered by; comparable within one answer."""
    lexical_score: float
    """What breaks ties of the score: its share from words alone."""
    corpus: Annotated[Corpus, Corpus]
    """Which list of a federated answer the chunk belongs to."""
    chunk_type: Code
    """What the chunk is: function, method, class, section, diagram, block and so on."""
    name: str
    """The definition's or heading's own name; empty for blocks."""
    qualified_name: str
    """The name behind its parents, joined with dots; empty when the name is."""
    signature: str
    """The definition's head on one line; empty for what has none."""
    breadcrumb: tuple[str, ...]
    """Enclosing definitions or headings, outermost first, without the name."""
    language: str
    """Lower-case name such as python or markdown; text when unknown."""
    is_anchor: bool
    """The chunk is the file's header chunk."""
    content: str
    """The snippet, free of control characters; empty when none was asked for."""
    content_start_line: Positive
    """Line of the snippet's first line, 1-based."""
    hidden_lines: Count
    """Lines of the chunk below the snippet."""
    components: tuple[tuple[str, float], ...] = ()
    """Parts of the score by name, where the request asked to explain."""
    rule: str = ""
    """Why the hit was chosen, see `ggrep.model.quota.Dealt`, where the request asked to explain."""
    traits: int = 0
    """Those of `ggrep.model.traits.READING` that the file has."""
    lines: tuple[HitLine, ...] = ()
    """Where lines are matched: the first of the chunk's lines that match, and the context that was
    asked for, in the order of the file.
    """
    matching_lines: Count = 0
    """How many lines of the chunk match; present with `lines`."""
    definition: Extent | None = None
    """All of the definition, where the chunk is only a part of it."""
    encoding: Named = ""
    """What the file was written in, where that is not UTF-8, as `cp1252` or `shift_jis_2004`; the
    text of the answer is UTF-8.
    """


def federated_key(name: str) -> str | None:
    """Return what an answer over a workspace calls a field of a Hit; None where it has its own."""
    if name in _OTHERWISE:
        return _OTHERWISE[name]
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def shortened(hit: Hit, size: int) -> Hit:
    """Return the hit with at most `size` bytes of its content, cut between characters.

    Lines that are lost count as hidden, the cut one too when nothing of it is left.
    """
    content = hit.content.encode()[:size].decode(errors="ignore")
    lost = hit.content.count("\n") - content.count("\n") + (not content)
    return replace(hit, content=content, hidden_lines=hit.hidden_lines + lost)
