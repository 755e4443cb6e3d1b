"""`ggrep clone-store`: copies a store under another name."""

from typing import Annotated

from ggrep.config.settings import home_from, load_settings, without_profile
from ggrep.interfaces.cli.flags import Argument, Flag
from ggrep.interfaces.cli.options import JsonFlag
from ggrep.interfaces.cli.stores_json import clone_json
from ggrep.interfaces.cli.terminal import open_terminal


def clone(
    source: Annotated[str, Argument("A store id from `ggrep list`.", metavar="FROM")],
    target: Annotated[
        str, Argument("The new store's id, with the same configuration part.", metavar="TO")
    ],
    overwrite: Annotated[
        bool, Flag("--overwrite", "Replace an existing store of that name.")
    ] = False,
    json: JsonFlag = False,
) -> int:
    """Copy a store's active snapshot to a new store."""
    from ggrep.index.maintenance.clone import clone_store

    terminal = open_terminal()
    home = home_from(terminal.environ)
    # No repository has a say in what becomes of stores: there is no settings file in `data`.
    environ = without_profile(terminal.environ)
    settings = load_settings(home, home.data, environ=environ).settings
    report = clone_store(home, source, target, settings, overwrite=overwrite)
    if json:
        terminal.write_json(clone_json(report), pretty=True)
    else:
        verb = "replaced" if report.replaced else "made"
        terminal.tell(
            f"{verb} {report.store_id} from {report.source}, {report.size_bytes / 1e6:.1f} MB;"
            f" files linked: {report.artifacts.linked}, copied: {report.artifacts.copied}"
        )
    return 0
