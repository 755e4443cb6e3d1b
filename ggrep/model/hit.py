"""A ranked hit."""

from msgspec import Struct
from msgspec.structs import replace

from ggrep.model.corpus import Corpus


class HitLine(Struct, frozen=True):
    """A line of a file that matches, or a line of context.

    Attributes:
        line: 1-based.
        text: without its end; of a long line it is the part around its first match.
        columns: of each match the 1-based bytes of the file's own line at which it begins and
            behind which it ends; empty for a line of context.
        marks: of each match the offsets in `text`, in characters.
        is_cut: `text` is not the whole line.
    """

    line: int
    text: str
    columns: tuple[tuple[int, int], ...] = ()
    marks: tuple[tuple[int, int], ...] = ()
    is_cut: bool = False


class Hit(Struct, frozen=True):
    """One chunk, ranked.

    Attributes:
        row_id: equal wherever the same text stands at the same place.
        path: the file's path key.
        start_line: 1-based inclusive, as `end_line`: the whole chunk.
        score: what the list is ordered by, rounded to 9 decimals.
        lexical: the secondary score, rounded likewise.
        content: the snippet, at most as long as the request's snippet mode and byte caps say.
        content_start_line: line of the snippet's first line.
        hidden_lines: lines of the chunk below the snippet.
        signature: the definition's head on one line; empty for what has none.
        components: parts of the score by name, filled when the request asked to explain.
        encoding: what the file was written in, where that is not UTF-8; else empty.
        traits: those of `ggrep.model.traits.READING` that its file has.
        definition: first and last line of the definition that the chunk is only a part of.
        rule: what chose it, see `ggrep.model.quota.Dealt`; filled likewise.
        lines: of a text or expression that is matched, the chunk's first matching lines and the
            requested context, ascending.
        matching_lines: how many lines of the chunk match.
    """

    row_id: str
    chunk_id: str
    path: str
    start_line: int
    end_line: int
    score: float
    lexical: float
    corpus: Corpus
    chunk_type: str
    name: str
    qualified_name: str
    breadcrumb: tuple[str, ...]
    language: str
    is_anchor: bool
    content: str
    content_start_line: int
    hidden_lines: int
    signature: str = ""
    components: tuple[tuple[str, float], ...] = ()
    rule: str = ""
    encoding: str = ""
    traits: int = 0
    definition: tuple[int, int] | None = None
    lines: tuple[HitLine, ...] = ()
    matching_lines: int = 0


def shortened(hit: Hit, size: int) -> Hit:
    """Return the hit with at most `size` bytes of its content, cut between characters.

    Lines that are lost count as hidden, the cut one too when nothing of it is left.
    """
    content = hit.content.encode()[:size].decode(errors="ignore")
    lost = hit.content.count("\n") - content.count("\n") + (not content)
    return replace(hit, content=content, hidden_lines=hit.hidden_lines + lost)
