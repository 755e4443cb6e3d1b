"""Documents about all daemons of a host."""

from ggrep.interfaces.cli.daemons.serve import stops_json
from ggrep.interfaces.cli.daemons.status_text import daemons_json
from ggrep.model.daemons import Stop
from tests.fakes.daemons import rows, stops


def test_order_of_reading_does_not_show() -> None:
    """Same daemons, same bytes."""
    assert daemons_json(rows()) == daemons_json(rows()[::-1])
    assert stops_json(stops()) == stops_json(stops()[::-1])


def test_a_stop_is_ok_unless_one_goes_on() -> None:
    """What was gone before is as good as stopped."""
    assert stops_json([])["ok"]
    assert stops_json([Stop("/r", "a", None, "gone"), Stop("/r", "b", None, "killed")])["ok"]
    assert not stops_json([Stop("/r", "a", None, "stopped"), Stop("/r", "b", None, "failed")])["ok"]
