"""The material of slates: matching files, and the text of the chosen files."""

from msgspec import Struct

from ggrep.model.slate import Evidence, Reason, Role, Section


class FileCandidate(Struct, frozen=True):
    """A file that matches a question, as a candidate for one section.

    Attributes:
        score: score of the file's best row that the section may show.
        segment: index of the snapshot's segment; `file` is the index of the file in that segment.
        corpora: the corpora of rows that the section shows, as indexes in CORPORA.
        is_test: whether the path looks like a test.
        is_list: whether the file is a translation or word list, which explains nothing.
        used: how much this file defines names that the best code uses, from 0 to 1.
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
        rank: rank in the section, 0 for the best.
        lines: requested line numbers; chunks with these lines are preferred as evidence.
    """

    candidate: FileCandidate
    reason: Reason
    rank: int
    lines: tuple[int, ...] = ()


class TextPiece(Evidence, frozen=True, kw_only=True):
    """A chunk of a chosen file with its text; the level of detail determines the snippet.

    Attributes:
        names: names of all definitions in the chunk.
        text: the chunk's text in the file.
        extra: a diagram's relations, or an anchor's imports.
    """

    names: tuple[str, ...]
    text: str
    extra: str


class PackMaterial(Struct, frozen=True):
    """A chosen file with the text to show.

    Attributes:
        anchor: opening lines of the file; None if it has none.
        evidence: chunks in the order of lines.
        neighbours: chunks around the best evidence, by line; empty in slates below level 2.
        more_evidence: number of matching chunks that are not in `evidence`.
        unread: the part of `more_evidence` that was omitted in favour of better chunks of other
            files.
    """

    pick: Pick
    anchor: TextPiece | None
    evidence: tuple[TextPiece, ...]
    neighbours: tuple[TextPiece, ...]
    more_evidence: int
    unread: int = 0
