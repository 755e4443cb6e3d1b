"""`ggrep help [COMMAND]`: the same page as `--help`; `ggrep help agents`: what to tell an agent."""

from typing import Annotated, Final

from ggrep.base.commands import OTHER_NAMES, nearest, slip_of, spelled
from ggrep.base.errors import UsageError
from ggrep.interfaces.cli.parsing.flags import Argument, Flag
from ggrep.interfaces.cli.parsing.help_pages import names_below, page_at
from ggrep.interfaces.cli.parsing.help_text import text_of
from ggrep.interfaces.cli.terminal import open_terminal

AGENTS: Final = """\
To find code by what it does or by its names, use ggrep instead of grep. It follows your edits.

ggrep slate "a whole question" --format agent --max-bytes 6000
    the lines that answer it, from code, docs, configuration and tests; start here
ggrep "what the code does" --format agent
    places with line ranges, the best opened; --filter ext:go, path:src/, path:doc/09* or
    -test:true narrows
ggrep --find regex "max_\\w+ =" --format agent
    matching lines by file; --find exact-text for plain text
ggrep symbol NAME... --format agent
    where names are defined
ggrep refs NAME... --format agent
    where they are used: calls first, tests apart
ggrep expand PLACE... --format agent
    a definition by NAME, Container.name or path:line; these lines by path:10-40; long comments
    are left out, --comments shows them
ggrep outline PATH... --format agent
    what files and folders define; `ggrep tour` tells what the repository is

What you read is what it costs:
- Lines that are shown are the file's own, behind a tab, every fifth behind its number. Cite them;
  do not open them again.
- Open a definition by its name rather than a range cut by guess, never a whole file.
- Name several in one call: nothing is shown twice.
- `cut:` says what is missing, and how to get it. `confidence none` means that nothing fits.
- With --workspace FILE search, slate, symbol, refs and expand ask several repositories.
"""
"""For a repository's own words to agents: `ggrep help agents >> AGENTS.md`."""


def show_help(
    command: Annotated[
        list[str] | None,
        Argument(
            "A command, such as workspace add; or agents: what to tell yours.", takes="command"
        ),
    ] = None,
    man: Annotated[bool, Flag("--man", "Write a manual page, for `man -l -`.")] = False,
) -> int:
    """Show a command's help."""
    terminal = open_terminal()
    words = command or []
    if words == ["agents"] and not man:
        terminal.write(AGENTS)
        return 0
    for at, word in enumerate(words):
        known = names_below(words[:at])
        if word not in known:
            raise UsageError(_no_such(word, words[:at], known))
    page = page_at(words)
    assert page is not None  # noqa: S101 - each of its words is a name
    if man:
        from ggrep.interfaces.cli.parsing.help_roff import roff_of

        terminal.write(roff_of(page))
    else:
        terminal.write(text_of(page, terminal.columns))
    return 0


def _no_such(word: str, path: list[str], known: list[str]) -> str:
    said = f"no command {' '.join((*path, word))}"
    if not path and word in OTHER_NAMES:
        return f"{said}; instead: ggrep {OTHER_NAMES[word]}"
    meant = nearest(word, known) if path else slip_of(word) or nearest(word, known)
    if meant in known:
        return f"{said}; did you mean: {spelled('help', *path, meant)}"
    return f"{said}; see: {spelled('help', *path)}"
