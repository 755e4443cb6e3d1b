"""Counts bytes for budgets: of canonical JSON, or of the text for agents."""

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.model.line_numbers import numbered_lines
from ggrep.model.slate import Budgets, Evidence, Pack, Section, Slate
from ggrep.search.slate.document import evidence_json, outlined, pack_json, slate_json
from ggrep.search.slate.slate_lines import (
    file_lines,
    named_line,
    piece_lines,
    slate_lines,
    told_lines,
)

_QUOTES: Final = 2
_NEWLINE: Final = 2
_COMMA: Final = 1
_SMALL: Final = 8_192
"""Number of bytes of text with few files; beyond it, file names get a larger share."""


class Fixed(Struct, frozen=True):
    """Numbers of bytes that do not depend on the shown evidence.

    Attributes:
        skeleton: an empty slate with numbers of maximum length.
        aside: reserve for parts that are added after the slate was measured.
        section: a section without files; `between` is the separator of two files.
        shown: the JSON key `evidence`; `named` is for the key `outline`, and `anchor` for the key
            `anchor`. All three are 0 for text, which has no keys.
        tells_advice: whether the overview and the next commands count.
        counts_itself: whether the fields with the slate's own size count.
    """

    skeleton: int
    aside: int
    section: int
    between: int
    shown: int
    named: int
    anchor: int
    tells_advice: bool
    counts_itself: bool


class _InJson:
    fixed = Fixed(
        skeleton=480,
        aside=14,  # digits of `total_bytes` and `estimated_tokens`, which are measured as 0
        section=len(b'{"files":[],"kind":"diagrams"},'),
        between=_COMMA,
        shown=len(b',"evidence":[]') - _COMMA,
        named=len(b',"outline":[]') - _COMMA,
        anchor=len(b',"anchor":') - _COMMA,
        tells_advice=True,
        counts_itself=True,
    )

    def for_names(self, room: float) -> float:
        return 0.35 * room

    def slate(self, slate: Slate) -> int:
        return len(stable_json.dumps(slate_json(slate)))

    def frame(self, pack: Pack, level: int) -> int:
        return len(stable_json.dumps(pack_json(_bare(pack), level)))

    def named(self, piece: Evidence) -> int:
        return len(stable_json.dumps(outlined(piece))) + _COMMA

    def shown(self, piece: Evidence, _: Section) -> int:
        return len(stable_json.dumps(evidence_json(piece))) + _COMMA

    def lines(self, piece: Evidence, _: Section) -> Sequence[int]:
        first, *rest = piece.snippet.split("\n")
        return [_quoted(first), *(_quoted(line) + _NEWLINE for line in rest)]


class _InText:
    fixed = Fixed(
        skeleton=400,
        aside=256,  # confidence, limits, warnings, and the session's token
        section=len(b"## diagrams\n"),
        between=0,
        shown=0,
        named=0,
        anchor=0,
        tells_advice=False,
        counts_itself=False,
    )

    def for_names(self, room: float) -> float:
        # A small slate shows fewer files rather than fewer lines.
        return 0.1 * room + 0.25 * max(room - _SMALL, 0)

    def slate(self, slate: Slate) -> int:
        return _size(slate_lines(slate_json(slate)))

    def frame(self, pack: Pack, level: int) -> int:
        return _size(file_lines(pack_json(_bare(pack), level)))

    def named(self, piece: Evidence) -> int:
        return _size((named_line(outlined(piece)),))

    def shown(self, piece: Evidence, section: Section) -> int:
        return _size(piece_lines(evidence_json(piece), is_source=section is not Section.DIAGRAMS))

    def lines(self, piece: Evidence, section: Section) -> Sequence[int]:
        document = evidence_json(piece)
        _, *lines = piece_lines(document, is_source=section is not Section.DIAGRAMS)
        printed = zip(told_lines(document), lines, strict=True)
        sizes = {number: len(line.encode()) + 1 for (number, _), line in printed}
        numbered = numbered_lines(piece.snippet.split("\n"), piece.snippet_start_line)
        return [sizes.get(number, 0) for number, _ in numbered]


Measure: TypeAlias = _InJson | _InText
"""Counts the bytes of a slate, of a file without evidence, of a piece with or without its lines,
and of each line; and the bytes that the names of files may use.
"""

_JSON: Final = _InJson()
_TEXT: Final = _InText()


def measure_of(budgets: Budgets) -> Measure:
    """Return the measure in which budgets count bytes: of text or of JSON."""
    return _TEXT if budgets.of_text else _JSON


def _bare(pack: Pack) -> Pack:
    more = pack.more_evidence + len(pack.evidence)
    return replace(pack, anchor=None, evidence=(), more_evidence=more)


def _quoted(line: str) -> int:
    return len(stable_json.dumps(line)) - _QUOTES


def _size(lines: Iterable[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)
