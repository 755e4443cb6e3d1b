"""The maintenance commands of a workspace, with their options.

What they do is imported when they are run: every other command would pay for it.
"""

from typing import Annotated

from ggrep.federation.upkeep_limits import DEFAULT_BUILDS, GRACE_DAYS, MAX_BUILDS
from ggrep.interfaces.cli.parsing.flags import EncoderFlag, Flag, JsonFlag, PlainFlag
from ggrep.interfaces.cli.terminal import open_terminal
from ggrep.interfaces.cli.workspaces.workspace_file import (
    FileArgument,
    FileOption,
    chosen_file,
)


def manifest(
    file: FileArgument = None,
    named: FileOption = None,
    encoder: EncoderFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Record the state of the indexes when it has changed."""
    from ggrep.interfaces.cli.workspaces.workspace_state import write_manifest

    terminal = open_terminal(plain=plain)
    return write_manifest(terminal, chosen_file(file, named), encoder, json=json)


def status(
    file: FileArgument = None,
    named: FileOption = None,
    encoder: EncoderFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Show each repository's index and daemon; write nothing."""
    from ggrep.interfaces.cli.workspaces.workspace_state import show_status

    terminal = open_terminal(plain=plain)
    return show_status(terminal, chosen_file(file, named), encoder, json=json)


def catalog(
    file: FileArgument = None,
    named: FileOption = None,
    encoder: EncoderFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Show paths, hashes and keys, for troubleshooting; write nothing."""
    from ggrep.interfaces.cli.workspaces.workspace_state import show_catalog

    terminal = open_terminal(plain=plain)
    return show_catalog(terminal, chosen_file(file, named), encoder, json=json)


def build(
    file: FileArgument = None,
    named: FileOption = None,
    include_disabled: Annotated[
        bool, Flag("--include-disabled", "Build disabled repositories too.")
    ] = False,
    concurrency: Annotated[
        int,
        Flag(
            "--concurrency", "Build this many repositories in parallel.", least=1, most=MAX_BUILDS
        ),
    ] = DEFAULT_BUILDS,
    strict: Annotated[
        bool,
        Flag(
            "--strict",
            "Fail when a file cannot be indexed; build nothing after a failure.",
        ),
    ] = False,
    encoder: EncoderFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Build or update the index of every enabled repository, then write the manifest."""
    from ggrep.interfaces.cli.workspaces.workspace_build import Wanted, build_workspace

    wanted = Wanted(
        include_disabled=include_disabled, concurrency=concurrency, strict=strict, encoder=encoder
    )
    terminal = open_terminal(plain=plain)
    return build_workspace(terminal, chosen_file(file, named), wanted, json=json)


def doctor(
    file: FileArgument = None,
    named: FileOption = None,
    encoder: EncoderFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Find problems of a workspace and show how to fix them."""
    from ggrep.interfaces.cli.workspaces.workspace_doctor import examine_workspace

    terminal = open_terminal(plain=plain)
    return examine_workspace(terminal, chosen_file(file, named), encoder, json=json)


def watch(
    file: FileArgument = None,
    named: FileOption = None,
    once: Annotated[bool, Flag("--once", "Check once and return, for scripts.")] = False,
    encoder: EncoderFlag = None,
    json: Annotated[bool, Flag("--json", "Print each change as one line of JSON.")] = False,
    plain: PlainFlag = False,
) -> int:
    """Keep the daemons of all enabled repositories running, until Ctrl-C."""
    from ggrep.interfaces.cli.workspaces.workspace_watch import watch_workspace

    terminal = open_terminal(plain=plain)
    return watch_workspace(terminal, chosen_file(file, named), encoder, once=once, json=json)


def gc(
    file: FileArgument = None,
    named: FileOption = None,
    force: Annotated[
        bool, Flag("--force", "Delete, instead of only listing what would go.")
    ] = False,
    grace_days: Annotated[
        int, Flag("--grace-days", "Keep directories younger than this many days.", least=0)
    ] = GRACE_DAYS,
    json: JsonFlag = False,
) -> int:
    """Delete leftovers of removed workspaces; with FILE, in its cacheRoot too."""
    from ggrep.interfaces.cli.workspaces.workspace_gc import collect

    chosen = chosen_file(file, named) if file is not None or named else None
    return collect(open_terminal(), chosen, grace_days, force=force, json=json)
