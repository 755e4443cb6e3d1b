"""Collects the mentions of a name in the order of the answer, and judges those of a container."""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Final

from ggrep.model.limits import Notice
from ggrep.model.navigation import DefinedAt, Reference, ReferencesRequest, Relation
from ggrep.model.sanitise import sanitise_line
from ggrep.search.navigation.containers import Sorted, Use, family_of, sort_definitions, standing
from ggrep.search.navigation.definitions import qualified_name
from ggrep.search.navigation.name_candidates import AskedName, Searched
from ggrep.search.navigation.name_reading import Place
from ggrep.search.navigation.uses import role_in

MAX_LINE_CHARACTERS: Final = 240
"""Most of a line that is shown beside a mention."""
MAX_DEFINED: Final = 20
"""Definitions that are told beside the usages of a name."""
MAX_JUDGED: Final = 20_000
"""Usages whose container is judged; those behind them are counted and not shown."""
_BEFORE: Final = 80
"""What of a longer line is shown in front of the name."""
_MOST_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Judged:
    """The mentions that an answer shows.

    Attributes:
        wanted: how many there are, shown or not.
    """

    shown: tuple[Reference, ...]
    wanted: int
    defined: tuple[DefinedAt, ...]
    notices: tuple[Notice, ...] = ()


@dataclass(slots=True)
class Mentions:
    """Collects occurrences in the order of the answer and keeps the first.

    Attributes:
        kinds: which are shown.
        totals: all of them, by kind.
        other_spelling: the first that is not spelled as the name was asked for.
        definitions: each with its language.
    """

    request: ReferencesRequest
    asked: AskedName
    kinds: frozenset[str] = frozenset()
    shown: list[tuple[Reference, Use]] = field(default_factory=list)
    totals: Counter[str] = field(default_factory=Counter)
    other_spelling: Place | None = None
    definitions: list[tuple[Place, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Derive which kinds are shown from the request."""
        given = {"string": self.request.strings, "comment": self.request.comments}
        self.kinds = frozenset({"usage", *(kind for kind, wanted in given.items() if wanted)})

    def take(self, held: Searched, text: str, places: tuple[Place, ...]) -> None:
        """Count a file's occurrences and keep those that may fit the answer."""
        lines: list[str] = []
        most = MAX_JUDGED if self.asked.owners else self.request.limit
        for place in places:
            mention = place.mention
            self.totals[mention.kind] += 1
            if mention.text != self.asked.last:
                self.other_spelling = self.other_spelling or place
            if mention.defined is not None:
                language = held.segments[place.file.segment].image.language(place.file.file)
                self.definitions.append((place, language))
            if mention.kind in self.kinds and len(self.shown) < most:
                lines = lines or text.split("\n")
                line = lines[mention.line - 1]
                shown = _reference(held, place, line)
                self.shown.append((shown, _use(shown, line)))

    def answer(self) -> Judged:
        """Return what is shown of it all; to be called once, at the end."""
        wanted = sum(self.totals[kind] for kind in self.kinds)
        owners = self.asked.owners
        found = sort_definitions(self.definitions, owners)
        if not owners:
            shown = tuple(reference for reference, _ in self.shown)
            return Judged(shown, wanted, _defined(found))
        family = family_of(found, owners)
        kept: list[Reference] = []
        left: Counter[str] = Counter()
        for reference, use in self.shown:
            match standing(use, family):
                case "other":
                    left[use.container if use.imports else _said(use)] += 1
                case judged:
                    kept.append(replace(reference, guess=judged == "maybe"))
        notices = _notices(self.asked, found, sum(left.values()))
        wanted -= sum(left.values())
        kept.sort(key=lambda each: each.guess)  # what is certain before what the limit may cut
        return Judged(tuple(kept[: self.request.limit]), wanted, _defined(found), notices)


def _said(use: Use) -> str:
    return use.before.split()[-1] if use.before.split() else ""


def _notices(asked: AskedName, found: Sorted, left: int) -> tuple[Notice, ...]:
    """Return what is said of definitions and usages of other containers."""
    name = ".".join((*asked.owners, asked.last))
    told: list[str] = []
    if not found.asked and found.others:
        places = dict.fromkeys(qualified_name(place) for place in found.others)
        shown = ", ".join(list(places)[:_MOST_NAMED])
        told.append(f"nothing here defines {name}; there is {shown}")
    if left:
        uses = "1 usage says" if left == 1 else f"{left} usages say"
        told.append(f"{uses} another container and are left out; {asked.last} alone shows them")
    return (Notice("other_container", sanitise_line("; ".join(told))),) if told else ()


def _defined(found: Sorted) -> tuple[DefinedAt, ...]:
    groups: tuple[tuple[tuple[Place, ...], Relation, bool], ...] = (
        (found.asked, "definition", False),
        (found.implementing, "implementation", False),
        (found.guessed, "implementation", True),
    )
    every = [
        DefinedAt(
            path=sanitise_line(place.file.path),
            start_line=defined.start_line,
            end_line=defined.end_line,
            kind=defined.kind,
            qualified_name=sanitise_line(qualified_name(place)),
            relation=relation,
            guess=guess,
        )
        for places, relation, guess in groups
        for place in sorted(places, key=lambda each: each.file.test)
        if (defined := place.mention.defined) is not None
    ]
    return tuple(every[:MAX_DEFINED])


def _reference(held: Searched, place: Place, line: str) -> Reference:
    mention, image = place.mention, held.segments[place.file.segment].image
    kind = mention.kind
    assert kind != "definition"  # noqa: S101 - those are counted, never shown
    return Reference(
        row_id=image.row_id(place.row).hex(),
        path=sanitise_line(place.file.path),
        line=mention.line,
        column=mention.column,
        kind=kind,
        container=sanitise_line(mention.container),
        language=image.language(place.file.file),
        content=sanitise_line(_shortened(line, mention.column)),
        role=role_in(mention, line),
        test=place.file.test or mention.test,
    )


def _use(reference: Reference, line: str) -> Use:
    before = line[: reference.column - 1]
    imports = reference.role == "import"
    return Use(before, line, reference.container, reference.language, imports)


def _shortened(line: str, column: int) -> str:
    """Return a line without indentation, cut around the name if it is long."""
    if len(line) <= MAX_LINE_CHARACTERS or column + _BEFORE <= MAX_LINE_CHARACTERS:
        return line.strip()[:MAX_LINE_CHARACTERS]
    start = column - 1 - _BEFORE
    return line[start : start + MAX_LINE_CHARACTERS].strip()
