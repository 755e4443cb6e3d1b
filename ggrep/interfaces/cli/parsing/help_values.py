"""What a page of help consists of."""

from typing import NamedTuple


class Row(NamedTuple):
    """One command, argument or option and what it is for."""

    term: str
    text: str


class Section(NamedTuple):
    """Rows under a title."""

    title: str
    rows: tuple[Row, ...]


class Page(NamedTuple):
    """The help of one command.

    Attributes:
        path: what is typed for it, behind `ggrep`.
        usage: its form.
        brief: what it does in one line.
        about: paragraphs.
        examples: lines to type, and what each does.
    """

    path: tuple[str, ...]
    usage: str
    brief: str
    about: tuple[str, ...]
    sections: tuple[Section, ...]
    examples: tuple[tuple[str, str], ...]
