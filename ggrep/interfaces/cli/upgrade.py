"""`ggrep upgrade-store`: converts an older store to the formats of this build."""

from ggrep.interfaces.cli.options import JsonFlag, PathFlag
from ggrep.interfaces.cli.stores_json import upgrade_json
from ggrep.interfaces.cli.terminal import open_terminal
from ggrep.service.places import open_engine, place_of


def upgrade(
    path: PathFlag = None,
    json: JsonFlag = False,
) -> int:
    """Convert a repository's index from an older build's formats, without indexing again."""
    terminal = open_terminal()
    report = open_engine(place_of(path).root, terminal.environ).upgrade()
    if json:
        terminal.write_json(upgrade_json(report), pretty=True)
    elif report.upgraded:
        terminal.tell(f"upgraded {report.store_id}; active snapshot: {report.snapshot_id}")
    else:
        terminal.tell(f"{report.store_id} is in this build's formats; nothing to do")
    return 0
