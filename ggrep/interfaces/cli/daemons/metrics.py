"""`ggrep metrics`: metrics of all daemons of the home, for other programs."""

from typing import TYPE_CHECKING, Annotated

from ggrep.base.clock import SystemClock
from ggrep.config.settings import home_from
from ggrep.interfaces.cli.parsing.flags import Flag
from ggrep.interfaces.cli.terminal import open_terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ggrep.daemon.daemon_metrics import Scraped


def metrics(
    json: Annotated[
        bool, Flag("--json", "Print one JSON document instead of Prometheus text.")
    ] = False,
) -> int:
    """Print metrics of all daemons, with a row also for those that do not answer."""
    import anyio

    from ggrep.daemon.daemon_metrics import scrape_json, scrape_text
    from ggrep.service.scraping import scrape

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
