"""The material of slates: matching files, and the text of the chosen ones."""

from msgspec import Struct

from ggrep.model.slate import Evidence, Reason, Role, Section


class FileCandidate(Struct, frozen=True):
    """A file that matches a question, as one section would show it.

    Attributes:
        score: score of its best row that the section may show.
        segment: place in the snapshot's segments; `file` is the place within that segment.
        corpora: places in CORPORA of the rows that the section shows.
        is_test: its path is that of a test.
        is_list: a translation or word list: it has the words and explains nothing.
        used: how much it defines of what the best code uses, from 0 to 1.
    """

    path: str
    section: Section
    roles: frozenset[Role]
    language: str
    score: float
    segment: int
    file: int
    corpora: frozenset[int]
    is_test: bool = False
    is_list: bool = False
    used: float = 0.0


class Pick(Struct, frozen=True):
    """A chosen candidate.

    Attributes:
        rank: place within its section, 0 for the best.
        lines: requested line numbers; chunks with them are evidence first.
    """

    candidate: FileCandidate
    reason: Reason
    rank: int
    lines: tuple[int, ...] = ()


class TextPiece(Evidence, frozen=True, kw_only=True):
    """A chunk of a chosen file with its text; its snippet is what its level shows of it.

    Attributes:
        names: names of all definitions in it.
        text: as it stands in the file.
        extra: a diagram's relations, or an anchor's imports.
    """

    names: tuple[str, ...]
    text: str
    extra: str


class PackMaterial(Struct, frozen=True):
    """A chosen file with the text to show.

    Attributes:
        anchor: its opening lines; None for a file without any.
        evidence: chunks by line.
        neighbours: chunks around the best evidence, by line; empty below level 2.
        more_evidence: matching pieces that are not among `evidence`.
        unread: pieces among them that were left out for better pieces of other files.
    """

    pick: Pick
    anchor: TextPiece | None
    evidence: tuple[TextPiece, ...]
    neighbours: tuple[TextPiece, ...]
    more_evidence: int
    unread: int = 0
