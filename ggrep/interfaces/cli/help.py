"""`ggrep help [COMMAND]`: the same page as `--help`; `ggrep help agents`: what to tell an agent."""

from typing import Annotated, Final

import typer

from ggrep.base.commands import OTHER_NAMES, nearest, slip_of, spelled
from ggrep.base.errors import UsageError

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
    context: typer.Context,
    command: Annotated[
        list[str] | None,
        typer.Argument(help="A command, such as workspace add; or agents: what to tell yours."),
    ] = None,
) -> int:
    """Show a command's help."""
    shown, path = context.find_root(), list[str]()
    if command == ["agents"]:
        typer.echo(AGENTS, nl=False)
        return 0
    for word in command or []:
        known = getattr(shown.command, "commands", {})
        if word not in known:
            raise UsageError(_no_such(word, path, list(known)))
        path.append(word)
        shown = typer.Context(known[word], info_name=word, parent=shown)
    typer.echo(shown.get_help())
    return 0


def _no_such(word: str, path: list[str], known: list[str]) -> str:
    said = f"no command {' '.join((*path, word))}"
    if not path and word in OTHER_NAMES:
        return f"{said}; instead: ggrep {OTHER_NAMES[word]}"
    meant = nearest(word, known) if path else slip_of(word) or nearest(word, known)
    if meant in known:
        return f"{said}; did you mean: {spelled('help', *path, meant)}"
    return f"{said}; see: {spelled('help', *path)}"
