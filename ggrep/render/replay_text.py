"""The outcome of a replay for people: the result, the reason, and a line for each hit."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from ggrep.model.receipt import Change
from ggrep.model.replay import Fate, NewHit, OldHit, Outcome, Place, Replay
from ggrep.model.sanitise import sanitise_line
from ggrep.render.style import Style, cut

_NEW = "new"
_DIGEST_CHARACTERS = 12
_NAME_CHARACTERS = 80
_VALUE_CHARACTERS = 70
_ROLES = {
    Fate.SAME: "good",
    Fate.MOVED: "warning",
    Fate.EDITED: "warning",
    Fate.GONE: "bad",
    Fate.UNKNOWN: "bad",
}


class _Frame(Struct, frozen=True):
    """Columns that the lines of one list share: of numbers, of fates, of places."""

    number: int
    fate: int
    place: int


def render_replay(replay: Replay, style: Style) -> str:
    """Return the outcome, what differs, and what became of each hit."""
    role = "good" if replay.is_reproduced else "bad"
    head, told = _heading(replay)
    lines = [style.paint(role, head) + (f": {sanitise_line(told)}" if told else "")]
    if not replay.is_reproduced:
        lines += [style.paint("muted", f"  {render_change(item)}") for item in replay.changes]
        lines += _differences(replay)
        lines += ["", *render_fates(replay.hits, replay.new_hits, style)]
        same = "; today's hits are the same" if replay.same_hits else ""
        lines += ["", render_summary(replay.hits, replay.new_hits) + same]
    return "\n".join(lines) + "\n"


def _heading(replay: Replay) -> tuple[str, str]:
    if replay.is_reproduced:
        count = _count(len(replay.hits), "hit")
        return "reproduced", f"snapshot {replay.now.snapshot_id} gives the same bytes, {count}"
    return "not reproduced", _why_not(replay)


def _why_not(replay: Replay) -> str:
    was, now = replay.receipt.origin, replay.now
    told = {
        Outcome.NEWER_SNAPSHOT: f"{now.snapshot_id} was queried, newer than {was.snapshot_id}",
        Outcome.SNAPSHOT_GONE: f"snapshot {was.snapshot_id} is gone; {now.snapshot_id} was queried",
        Outcome.OTHER_STORE: f"the current settings select {now.store_id}, not {was.store_id}",
        Outcome.OTHER_REPOSITORY: f"the receipt is of {was.repo_id}; {now.repo_id} was asked",
    }
    return told.get(replay.outcome, f"snapshot {was.snapshot_id} gives different bytes")


def render_change(change: Change) -> str:
    """Return something that is not as it was, in a line without its end."""
    return sanitise_line(f"{change.what}: {_short(change.was)} -> {_short(change.now)}")


def _short(value: str | None) -> str:
    """Return a value that fits a line: digests are told apart by their beginning."""
    if value is None:
        return "none"
    if len(value) in {40, 64} and set(value) <= set("0123456789abcdef"):
        return value[:_DIGEST_CHARACTERS]
    return cut(value, _VALUE_CHARACTERS)


def _differences(replay: Replay) -> Iterator[str]:
    for item in replay.differences:
        was, now = (cut(value or "nothing", _VALUE_CHARACTERS) for value in (item.was, item.now))
        yield sanitise_line(f"  {item.place}: {was} -> {now}")
    left = replay.differing - len(replay.differences)
    if left:
        yield f"  and {_count(left, 'place')} more"


def render_fates(hits: Sequence[OldHit], new_hits: Sequence[NewHit], style: Style) -> list[str]:
    """Return a line for each hit of a receipt, then one for each that is new, aligned."""
    most = max([len(hits), *(item.rank + 1 for item in new_hits)])
    fates = [item.whereabouts.fate.value for item in hits] + ([_NEW] if new_hits else [])
    frame = _Frame(
        number=len(str(most)),
        fate=max([len(fate) for fate in fates], default=0),
        place=max([len(_where(item)) for item in hits], default=0),
    )
    lines = [_old(item, style, frame) for item in hits]
    return lines + [_new(item, style, frame) for item in new_hits]


def render_summary(hits: Sequence[OldHit], new_hits: Sequence[NewHit]) -> str:
    """Return what the fates come to, in a line without its end."""
    fates = [item.whereabouts.fate for item in hits]
    shown = [fate for fate in Fate if fate is not Fate.UNKNOWN or fate in fates]
    told = [f"{fates.count(fate)} {fate.value}" for fate in shown]
    return f"{_count(len(fates), 'hit')}: {', '.join(told)}; {len(new_hits)} new"


def _old(item: OldHit, style: Style, frame: _Frame) -> str:
    found = item.whereabouts
    parts = [
        style.paint("number", f"{item.rank + 1:>{frame.number}}."),
        style.paint(_ROLES[found.fate], f"{found.fate.value:<{frame.fate}}"),
        style.paint("path", f"{_where(item):<{frame.place}}"),
    ]
    if found.place is not None and found.fate is not Fate.SAME:
        parts.append("-> " + style.paint("path", _at(found.place)))
    name = found.place.name if found.place is not None else item.hit.name
    parts.append(style.paint("name", cut(sanitise_line(name), _NAME_CHARACTERS)))
    parts.append(style.paint("muted", _rank(item)))
    return "  ".join(part for part in parts if part).rstrip()


def _new(item: NewHit, style: Style, frame: _Frame) -> str:
    parts = [
        " " * (frame.number + 1),
        style.paint("kind", f"{_NEW:<{frame.fate}}"),
        style.paint("path", f"{_at(item.place):<{frame.place}}"),
        style.paint("name", cut(sanitise_line(item.place.name), _NAME_CHARACTERS)),
        style.paint("muted", f"now {item.rank + 1}."),
    ]
    return "  ".join(part for part in parts if part).rstrip()


def _rank(item: OldHit) -> str:
    """Return where the hit stands in the answer of today; nothing where that is as it was."""
    if item.rank_now == item.rank:
        return ""
    if item.rank_now is None:
        return "not among the hits now" if item.whereabouts.place else ""
    return f"now {item.rank_now + 1}."


def _where(item: OldHit) -> str:
    return sanitise_line(f"{item.hit.path}:{item.hit.start_line}")


def _at(place: Place) -> str:
    return sanitise_line(f"{place.path}:{place.start_line}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
