"""Capabilities of a terminal and options for them: width, colour, links, pager.

This module only imports small parts of the standard library, as every search loads it.
"""
# importing pathlib takes longer than running this whole module

import os

DEFAULT_COLUMNS = 160
"""Default width, as in a file or a pipe."""

_LEAST_COLUMNS = 40
_MOST_COLUMNS = 240

COLOUR = ("auto", "always", "never")
"""Words of `--color`."""
NO_PAGER = "--no-pager"
_COLOUR_FLAGS = frozenset({"--color", "--colour"})

LINKS = {
    "file": "file://{host}{path}",
    "file-line": "file://{host}{path}#{line}",
    "vscode": "vscode://file{path}:{line}",
    "cursor": "cursor://file{path}:{line}",
    "zed": "zed://file{path}:{line}",
    "idea": "idea://open?file={path}&line={line}",
}
"""URL templates of links by name; `GGREP_LINKS` is such a name, a template, or `never`."""
_PROGRAMS = frozenset({"iTerm.app", "WezTerm", "ghostty", "Hyper", "Tabby", "rio"})
_TERMS = ("foot", "alacritty", "xterm-ghostty", "contour")
_LEAST_VTE = 5000


class UnknownWord(ValueError):
    """An option of the terminal has an unknown value."""


def without_terminal_options(arguments: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return arguments without terminal options, and the variables that these options set."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    left: list[str] = []
    chosen: dict[str, str] = {}
    words = iter(arguments[:end])
    for word in words:
        flag, is_joined, value = word.partition("=")
        if flag in _COLOUR_FLAGS:
            chosen |= _of_colour(value if is_joined else next(words, ""))
        elif word == NO_PAGER:
            chosen["GGREP_PAGER"] = "cat"
        else:
            left.append(word)
    return left + arguments[end:], chosen


def _of_colour(word: str) -> dict[str, str]:
    if word not in COLOUR:
        raise UnknownWord(word)
    if word == "auto":
        return {}
    wanted = word == "always"
    return {"NO_COLOR": "" if wanted else "1", "FORCE_COLOR": "1" if wanted else ""}


def columns_of(environ: dict[str, str], descriptor: int) -> int:
    """Return the width of a line: `COLUMNS`, else the terminal's width, within bounds."""
    named = environ.get("COLUMNS", "")
    if named.isascii() and named.isdigit() and int(named):
        width = int(named)
    else:
        try:
            width = os.get_terminal_size(descriptor).columns
        except OSError:
            width = 0
    return min(max(width or DEFAULT_COLUMNS, _LEAST_COLUMNS), _MOST_COLUMNS)


def wants_colour(environ: dict[str, str], *, plain: bool, terminal: bool) -> bool:
    """Return whether to write colour.

    `--plain` and NO_COLOR disable colour; FORCE_COLOR and CLICOLOR_FORCE enable it.
    """
    if plain or environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR") or environ.get("CLICOLOR_FORCE", "0") not in {"", "0"}:
        return True
    return terminal and environ.get("TERM") != "dumb"


def link_form(environ: dict[str, str]) -> str:
    """Return the URL template of links to files, with `{path}` and `{line}`; empty for no links.

    Without `GGREP_LINKS`, only terminals that are known to support links show links.
    """
    named = environ.get("GGREP_LINKS") or _usual(environ)
    form = LINKS.get(named, named if "{path}" in named else "")
    return form.replace("{host}", os.uname().nodename)


def _usual(environ: dict[str, str]) -> str:
    program, term = environ.get("TERM_PROGRAM", ""), environ.get("TERM", "")
    vte = environ.get("VTE_VERSION", "")
    if program == "vscode":
        return "cursor" if "CURSOR_TRACE_ID" in environ else "vscode"
    if "KITTY_WINDOW_ID" in environ:
        return "file-line"
    is_new = vte.isascii() and vte.isdigit() and int(vte) >= _LEAST_VTE
    is_known = is_new or "KONSOLE_VERSION" in environ or "WT_SESSION" in environ
    return "file" if is_known or program in _PROGRAMS or term.startswith(_TERMS) else "never"


def paged(text: str, environ: dict[str, str]) -> bool:
    """Show text in a pager if it is longer than the terminal; return whether it was shown."""
    if not (os.isatty(0) and os.isatty(1)) or environ.get("TERM") == "dumb":
        return False
    if text.count("\n") < os.get_terminal_size(1).lines:
        return False
    line = _pager(environ)
    if not line:
        return False
    # Imported late: most answers are short or read by programs.
    import signal
    import subprocess

    env = {"LESS": "FRX", "LV": "-c", **environ}
    # The pager handles Ctrl-C. A handler that does nothing, since children inherit ignored signals.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        process = subprocess.Popen(line, stdin=subprocess.PIPE, env=env)  # noqa: S603 - the user's
        process.communicate(text.encode(errors="replace"))
    except OSError:
        return False
    finally:
        signal.signal(signal.SIGINT, before)
    return True


def _pager(environ: dict[str, str]) -> list[str]:
    """Return the command line of the pager; empty if paging is off or the pager is missing."""
    import shlex
    import shutil

    named = environ.get("GGREP_PAGER") or environ.get("PAGER") or "less"
    try:
        line = shlex.split(named)
    except ValueError:
        return []
    if line and "=" in line[0]:  # only a shell can set a variable before the command
        line = ["/bin/sh", "-c", named]
    if not line or line[0] == "cat" or shutil.which(line[0]) is None:
        return []
    is_less = os.path.basename(line[0]) == "less"  # noqa: PTH119 - as above
    return [*line, "-R"] if is_less else line
