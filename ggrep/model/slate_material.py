"""The material of slates: matching files, and the text of the chosen ones."""

from msgspec import Struct

from ggrep.model.slate import Reason, Role, Section


class FileCandidate(Struct, frozen=True):
    """A file that matches a question, as one section would show it.

    Attributes:
        score: of its best row that the section may show.
        mention: how much of what the best code defines it mentions, 0 to 1.
        segment: place in the snapshot's segments; `file` is the place within that segment.
        corpora: places in CORPORA of the rows that the section shows.
        is_test: its path is that of a test.
        is_list: a translation, a word list: it has the words and says nothing of the program.
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
    mention: float = 0.0
    is_list: bool = False


class Pick(Struct, frozen=True):
    """A candidate that was chosen.

    Attributes:
        rank: place within its section, 0 for the best.
        lines: that were asked for by their numbers; what holds them is evidence before all else.
        factor: learned; of what its lines are worth beside those of other files.
    """

    candidate: FileCandidate
    reason: Reason
    rank: int
    lines: tuple[int, ...] = ()
    factor: float = 1.0


class TextPiece(Struct, frozen=True):
    """A chunk of a chosen file with its text.

    Attributes:
        score: 0.0 where it was not searched for.
        text: as it stands in the file.
        extra: what indexing made of it beside its text: a diagram's relations, an anchor's imports.
        names: of all definitions in it.
        snippet: the lines that its level shows, before any budget cuts them.
        snippet_start_line: line of the first of those.
        hidden_lines: lines of the chunk that the snippet leaves out.
        reason: why it is there.
        mention: how much of what the best code defines it mentions, 0 to 1.
    """

    row_id: str
    chunk_id: str
    start_line: int
    end_line: int
    score: float
    chunk_type: str
    name: str
    breadcrumb: tuple[str, ...]
    signature: str
    names: tuple[str, ...]
    text: str
    extra: str
    snippet: str
    snippet_start_line: int
    hidden_lines: int
    reason: Reason
    mention: float = 0.0


class PackMaterial(Struct, frozen=True):
    """A chosen file with the text of what is shown of it.

    Attributes:
        anchor: its opening lines; None for a file without any.
        evidence: by line.
        neighbours: what stands around the best of the evidence, by line; empty below level 2.
        more_evidence: pieces that match as well and are not among `evidence`.
        unread: those among them that were left out for other files' better ones.
    """

    pick: Pick
    anchor: TextPiece | None
    evidence: tuple[TextPiece, ...]
    neighbours: tuple[TextPiece, ...]
    more_evidence: int
    unread: int = 0
