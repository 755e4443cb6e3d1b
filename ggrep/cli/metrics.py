"""`ggrep metrics`: the figures of all daemons of the home, for other programs."""

from typing import TYPE_CHECKING, Annotated

from ggrep.cli.flags import Flag
from ggrep.cli.terminal import open_terminal
from ggrep.clock import SystemClock
from ggrep.config.settings import home_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ggrep.daemon.metrics import Scraped


def metrics(
    json: Annotated[
        bool, Flag("--json", "Print one JSON document instead of Prometheus' text.")
    ] = False,
) -> int:
    """Print the figures of all daemons; one that does not answer is a row like any other."""
    import anyio

    from ggrep.daemon.metrics import scrape_json, scrape_text
    from ggrep.surfaces.scraping import scrape

    terminal = open_terminal()
    home = home_from(terminal.environ)

    async def scraped() -> "Sequence[Scraped]":
        return await scrape(home, SystemClock())

    rows = anyio.run(scraped)
    if json:
        terminal.write_json(scrape_json(rows), pretty=True)
    else:
        terminal.write(scrape_text(rows))
    return 0
