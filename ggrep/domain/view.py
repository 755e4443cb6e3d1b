"""How an answer is shown to the one who asked."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ViewOptions:
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
    """

    json: bool = False
    columns: int = 0
    colour: bool = False
    notes_colour: bool = False
    cwd: str = ""
    scores: bool = False
    compact: bool = False
    explain: bool = False
    whole: bool = False
