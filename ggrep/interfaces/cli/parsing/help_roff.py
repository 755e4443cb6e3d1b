"""A page of help as a manual page, in roff with the `man` macros."""

from typing import Final

from ggrep import __version__
from ggrep.interfaces.cli.parsing.help_values import Page, Section

_ESCAPES: Final = str.maketrans(
    {
        "\\": r"\(rs",
        "-": r"\-",
        "'": r"\(aq",
        "`": r"\(ga",
        "^": r"\(ha",
        "~": r"\(ti",
    }
)
"""What roff would set as another character than the one that is typed."""


def roff_of(page: Page) -> str:
    """Return a page as roff; the same bytes on every day."""
    name = "-".join(("ggrep", *page.path))
    lines = [
        f'.TH {_text(name.upper())} 1 "" "ggrep {_text(__version__)}" "User Commands"',
        ".SH NAME",
        rf"{_text(name)} \- {_text(page.brief.rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {_text(page.usage)}",
        ".SH DESCRIPTION",
    ]
    for paragraph in page.about:
        lines += [".PP", _text(paragraph)]
    for section in page.sections:
        lines += _section(section)
    if page.examples:
        lines.append(".SH EXAMPLES")
    for line, text in page.examples:
        lines += [".TP", f".B {_text(line)}", _text(_sentence(text))]
    lines += [".SH SEE ALSO", r"\fBggrep help\fR, \fBggrep help \-\-man\fR \fICOMMAND\fR"]
    return "\n".join(lines) + "\n"


def _section(section: Section) -> list[str]:
    lines = [f".SH {_text(section.title.upper())}"]
    for row in section.rows:
        lines += [".TP", f".B {_text(row.term)}", _text(row.text)]
    return lines


def _text(text: str) -> str:
    """Return text that roff sets as it stands: no escapes, and no request at its beginning."""
    escaped = text.translate(_ESCAPES).replace('"', r"\(dq")
    return rf"\&{escaped}" if escaped.startswith(".") else escaped


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
