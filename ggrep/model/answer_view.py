"""How an answer is displayed."""

from typing import Annotated, Final

from msgspec import Struct

from ggrep.model.says import MOST_PATH_BYTES, Sent

_MOST_LINK_BYTES: Final = 512


class ViewOptions(Struct, frozen=True):
    """What a command line knows of its terminal and its flags.

    Attributes:
        json: one JSON document instead of text.
        columns: how wide a line of results may be; 0 for no bound.
        colour: results are painted.
        notes_colour: notes on standard error are painted.
        cwd: absolute directory that shown paths are relative to; empty for the root's own keys.
        scores: print the scores.
        compact: paths only, each once.
        explain: print how the scores came about.
        whole: whole chunks, so that no line is cut to `columns`.
        chunks: chunks rather than lines, also of exact text.
        counts: of listed files the number of lines that match.
        links: what links to files lead to, see `ggrep.base.terminal`; empty for none.
    """

    json: bool = False
    columns: Annotated[int, Sent(100_000)] = 0
    colour: bool = False
    notes_colour: bool = False
    cwd: Annotated[str, Sent(MOST_PATH_BYTES, form="path")] = ""
    scores: bool = False
    compact: bool = False
    explain: bool = False
    whole: bool = False
    chunks: bool = False
    counts: bool = False
    links: Annotated[str, Sent(_MOST_LINK_BYTES)] = ""

    @property
    def shows_lines(self) -> bool:
        """Return whether an answer to exact text is shown as lines, or as the files of them."""
        return not (self.chunks or self.compact or self.scores or self.explain)
