"""Collects the mentions of a name in the order of the answer, and checks their container."""

from collections import Counter
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.model.containers import (
    MAX_DEFINED,
    MOST_DEFINITIONS,
    DefinedName,
    Family,
    SortedDefinitions,
    family_of,
    hidden_doubts,
    mention_order,
    sort_definitions,
)
from ggrep.model.limits import LimitHit
from ggrep.model.navigation import Reference, ReferencesRequest
from ggrep.model.sanitise import sanitise_line
from ggrep.parse.occurrences.keyed_names import SECTION
from ggrep.search.navigation.containers import Judge, Standing, Use
from ggrep.search.navigation.definitions import defined_at, fit_of, qualified_name
from ggrep.search.navigation.name_candidates import AskedName, NameFile, Searched
from ggrep.search.navigation.name_reading import Place
from ggrep.search.navigation.uses import role_in

MAX_LINE_CHARACTERS: Final = 240
"""Maximum length of the line that is shown with a mention."""
MAX_JUDGED: Final = 20_000
"""Maximum number of usages whose container is checked; further usages are only counted."""
_BEFORE: Final = 80
"""Number of characters of a longer line that are shown before the name."""


class Judged(Struct, frozen=True):
    """The mentions that an answer shows.

    Attributes:
        shown: the mentions of this page, in order.
        wanted: number of all mentions, shown or not.
        left: number of usages that belong to another container.
        doubtful: number of usages whose container is unknown; `wanted` includes them.
        found: the definitions, grouped by their relation to the container.
        limits: the limits on the usages and definitions that were compared.
    """

    shown: tuple[tuple[Place, Reference], ...]
    wanted: int
    left: int
    found: SortedDefinitions
    doubtful: int = 0
    limits: tuple[LimitHit, ...] = ()

    def without_doubts(self) -> "Judged":
        """Return the mentions for an answer of one store.

        If there are many doubtful and some certain usages, the doubtful usages are only counted.
        """
        hidden = hidden_doubts(self.wanted - self.doubtful, self.doubtful)
        shown = tuple(each for each in self.shown if not (hidden and each[1].guess))
        return replace(self, shown=shown, wanted=self.wanted - hidden, doubtful=hidden)


class Mentions(Struct):
    """Collects occurrences in the order of the answer and keeps as many as the answer shows.

    Attributes:
        skip: number of matching mentions that were shown before.
        defining: files that may define the name; None while unknown.
        totals: number of all mentions, by kind.
        other_spelling: the first mention that is not spelled like the requested name.
        definitions: the first definitions, up to a limit.
    """

    request: ReferencesRequest
    asked: AskedName
    skip: int = 0
    defining: frozenset[NameFile] | None = None
    totals: Counter[str] = field(default_factory=Counter)
    other_spelling: Place | None = None
    definitions: list[DefinedName] = field(default_factory=list)
    _kept: list[tuple[Place, Reference, Use]] = field(default_factory=list)
    _passed: int = 0

    def wants(self, file: NameFile) -> bool:
        """Return whether the answer needs the syntax of the next file.

        Syntax is needed until the page is full and another usage is known, and for the first
        definitions. For a qualified name, all files are needed, because all definitions determine
        its container.
        """
        full = self.totals["usage"] > self.skip + self.request.limit
        defines = len(self.definitions) < self._most_definitions and file in (self.defining or ())
        return bool(self.asked.owners) or not full or defines

    def take(self, content: Searched, text: str, places: tuple[Place, ...]) -> None:
        """Count a file's occurrences and keep the occurrences that the answer may show."""
        lines, kinds = list[str](), self.request.kinds
        for place in places:
            mention = place.mention
            if mention.defined is not None and mention.defined.kind == SECTION:
                mention = replace(mention, kind="comment", defined=None)
                place = replace(place, mention=mention)  # noqa: PLW2901
            self.totals[mention.kind] += 1
            if not self.asked.spells(mention.text):
                self.other_spelling = self.other_spelling or place
            if mention.defined is not None and len(self.definitions) < self._most_definitions:
                self.definitions.append(_defined_name(content, place, self.asked))
            if mention.kind in kinds and self._keeps():
                lines = lines or text.split("\n")
                line = lines[mention.line - 1]
                shown = _reference(content, place, line)
                self._kept.append((place, shown, _use(shown, line, mention.receiver)))

    @property
    def _reorders(self) -> bool:
        """Return whether the answer's order is known only at the end."""
        return bool(self.asked.owners) or len(self.request.kinds) > 1

    @property
    def _most_definitions(self) -> int:
        return MOST_DEFINITIONS if self.asked.owners else MAX_DEFINED

    def _keeps(self) -> bool:
        """Return whether the next mention may be shown; containers are compared only at the end."""
        if self._reorders:
            return len(self._kept) < MAX_JUDGED
        self._passed += 1
        return self._passed > self.skip and len(self._kept) < self.request.limit

    def answer(self, family: Family | None = None) -> Judged:
        """Return the shown mentions: usages before other mentions, certain before doubtful usages.

        Args:
            family: the container whose uses are wanted; None to derive it from the definitions.
        """
        wanted = sum(self.totals[kind] for kind in self.request.kinds)
        owners = self.asked.owners
        result = sort_definitions(self.definitions, owners)
        kept = [(place, item) for place, item, _ in self._kept]
        if not self._reorders:
            return Judged(tuple(kept), wanted, 0, result)
        if owners:
            judge = Judge(family or family_of(result, owners))
            kept = [
                (place, replace(item, guess=standing == "maybe"))
                for place, item, use in self._kept
                if (standing := self._standing(judge, place, use)) != "other"
            ]
        left, doubtful = len(self._kept) - len(kept), sum(item.guess for _, item in kept)
        kept.sort(key=lambda each: mention_order(each[1]))  # before the page is cut
        shown = tuple(kept[self.skip :][: self.request.limit])
        return Judged(shown, wanted - left, left, result, doubtful, self._limits(wanted))

    def _standing(self, judge: Judge, place: Place, use: Use) -> Standing:
        """Return whether a mention belongs to the container; mentions in text always count."""
        if place.mention.kind != "usage" or not self.asked.owners_of(place.mention.text):
            return "same"
        return judge.standing(use)

    def _limits(self, wanted: int) -> tuple[LimitHit, ...]:
        """Return the limits because of which mentions or definitions were not compared."""
        defined = self.totals["definition"]
        bounds = ((MAX_JUDGED, wanted), (MOST_DEFINITIONS, defined))
        return tuple(LimitHit("max_judged", most, seen) for most, seen in bounds if seen > most)


def _defined_name(content: Searched, place: Place, asked: AskedName) -> DefinedName:
    mention, defined = place.mention, place.mention.defined
    assert defined is not None  # noqa: S101 - only defining places are kept
    return DefinedName(
        at=defined_at(place, defined, qualified_name(place)),
        container=mention.container,
        fit=fit_of(place, asked),
        language=content.segments[place.file.segment].image.language(place.file.file),
        bases=mention.bases,
        declared_only=defined.declared_only,
        test=place.file.test,
    )


def _reference(content: Searched, place: Place, line: str) -> Reference:
    mention, image = place.mention, content.segments[place.file.segment].image
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


def _use(reference: Reference, line: str, receiver: str) -> Use:
    before = line[: reference.column - 1]
    imports = reference.role == "import"
    return Use(before, line, reference.container, reference.language, imports, receiver)


def _shortened(line: str, column: int) -> str:
    """Return a line without indentation, cut around the name if it is long."""
    if len(line) <= MAX_LINE_CHARACTERS or column + _BEFORE <= MAX_LINE_CHARACTERS:
        return line.strip()[:MAX_LINE_CHARACTERS]
    start = column - 1 - _BEFORE
    return line[start : start + MAX_LINE_CHARACTERS].strip()
