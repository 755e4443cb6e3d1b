"""Compares a slate with what a check expects it to show."""

from collections.abc import Iterator

from ggrep.interfaces.evaluation.check_misses import Miss
from ggrep.interfaces.evaluation.expected import Expected, matches
from ggrep.interfaces.evaluation.visible_places import Choice, Place, ShownFile, ShownSlate


def slate_misses(expected: Expected, slate: ShownSlate) -> Iterator[Miss]:
    """Yield what a slate does not show as expected, in the order of the file."""
    for choice in expected.places:
        if not slate.shows(choice):
            came = "; ".join(_came(place, slate) for place in choice)
            yield Miss("place", _wanted(choice), came)
    for path, section in expected.sections:
        files = [each for each in slate.files if matches(path, each.path)]
        if not any(section in each.sections for each in files):
            yield Miss("section", f"{path} in section {section}", _stands(path, files, slate))


def _wanted(choice: Choice) -> str:
    half = ", ".join(dict.fromkeys(_half(place) for place in choice))
    return f"{' or '.join(map(str, choice))} shown, {half}"


def _half(place: Place) -> str:
    if place.lines == 1:
        return "its one line"
    return f"at least {(place.lines + 1) // 2} of its {place.lines} lines"


def _came(place: Place, slate: ShownSlate) -> str:
    file = slate.file(place.path)
    if file is None:
        return f"{place.path} is not among the {_files(slate)} of the slate"
    shown = file.shows(place)
    told = ", but a range that holds it is named" if file.is_told(place) else ""
    if shown:
        verb = "is" if shown == 1 else "are"
        return f"{shown} of the {place.lines} lines of {place} {verb} shown{told}"
    return f"{place.path} is named, and none of the lines {place.first}-{place.last} shown{told}"


def _stands(path: str, files: list[ShownFile], slate: ShownSlate) -> str:
    if files:
        return ", ".join(f"{each.path} in {' and '.join(each.sections)}" for each in files[:3])
    return f"{path} is not among the {_files(slate)} of the slate"


def _files(slate: ShownSlate) -> str:
    return f"{len(slate.files)} {'file' if len(slate.files) == 1 else 'files'}"
