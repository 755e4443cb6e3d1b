"""The candidates of a slate: matching files by section, with their best rows.

Every visible row was scored, so the best of each section is known and not merely the best of a
list of hits. Files alone are looked at here; text is read of those that are chosen.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise, starmap
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base.cache import CacheKey
from ggrep.base.clock import Deadline
from ggrep.config.roles import Filing, RoleRules, filing_of
from ggrep.index.lexical.layout import CRUMB, NAME
from ggrep.model.corpus import CORPORA, Corpus
from ggrep.model.files import TEST, traits_of
from ggrep.model.slate import SECTIONS, Role, Section
from ggrep.model.slate_material import FileCandidate
from ggrep.search.query.best_rows import CODE
from ggrep.search.query.eligible import Mask
from ggrep.search.query.pipeline import Ranked
from ggrep.search.query.score import DECIMALS, Places
from ggrep.search.query.segments import SearchableSegment, find_file, spread
from ggrep.search.slate.related_files import RelatedFiles

FLOOR: Final = 0.12
"""Share of the best row's score that a file must reach to be looked at."""

MENTIONED: Final = 0.3
"""A file that mentions so much of what was found is looked at whatever its score."""

_FURTHER: Final = 0.4
"""Share of the best row's score that another row of the file must reach to be evidence as well."""

_MENTION: Final = 0.5
"""What a row gains by mentioning all that the best code defines, as a share of its score."""

_COVERED: Final = 2.0
_OF_BEST: Final = 0.6
_LENGTH: Final = 0.3
_FILE_ROWS: Final = 0.2
"""Exponents of a row's priority: words of the question that it holds, the rank of its file, lines,
and matching rows of its file.

Fitted on the questions of fixtures/places that nothing is held out of.
"""

_OF_SECTION: Final = {Section.DOCS: 0.7, Section.DIAGRAMS: 0.7, Section.TESTS: 0.5}
"""Factor of the rows of a section: a question is answered by code first."""

MOST_FILES: Final = 100
"""Files of one corpus that are looked at: of the whole snapshot, or its layout would show."""

COVERED_ROLES: Final = (Role.ENTRYPOINT, Role.POLICY, Role.CONFIGURATION)
"""Roles of which a slate shows a file where the repository has one that matches the question."""

_ROLE_FLOOR: Final = 0.03
_MOST_ROLE_FILES: Final = 300
"""Share of the best row's score, and rank, that the only file of such a role must reach."""

_SECTION_OF: Final = {
    Corpus.CODE: Section.CODE,
    Corpus.PROSE: Section.DOCS,
    Corpus.EXTRACTED_PROSE: Section.DIAGRAMS,
    Corpus.RECORDS: Section.CONFIG,
}
CONFIGURING: Final = frozenset({Role.CONFIGURATION, Role.OPERATIONS})
"""Roles by which a module of code is shown as configuration."""


class _Standing(Struct, frozen=True):
    """Properties of a file that follow from its path and traits."""

    path: str
    roles: frozenset[Role]
    filing: Filing
    language: str
    is_test: bool


_FILES: Final = CacheKey[dict[RoleRules, dict[tuple[int, int], _Standing]]]()
_OPTIONS: Final = CacheKey[dict[int, Mask]]()

Figures = npt.NDArray[np.float64]


class ScoredRow(Struct, frozen=True):
    """A row of a file that matches.

    Attributes:
        row: place in its segment.
        priority: its place in the order in which lines of all files are shown; larger goes first.
    """

    row: int
    score: float
    priority: float
    start_line: int
    end_line: int


class _Figures(Struct, frozen=True):
    """Figures of one segment's files.

    Attributes:
        best: float64 (files, corpora), of the best row.
        options: float64 (files,), of the best row of code that defines options.
    """

    best: Figures
    options: Figures


class FileRows(Struct, frozen=True):
    """The matching rows of a file.

    Attributes:
        best: by priority, then by line.
        telling: how many rows do at all, those among `best` too.
    """

    best: tuple[ScoredRow, ...]
    telling: int


class CandidateFiles:
    """Collects candidates from one ranked snapshot in two passes."""

    def __init__(self, ranked: Ranked, rules: RoleRules, deadline: Deadline) -> None:
        """Read the scores of all rows once.

        Raises:
            DeadlineExceeded: time ran out.
        """
        self._ranked = ranked
        self._deadline = deadline
        self._figures = []
        for place in range(len(ranked.segments)):
            deadline.check("gathering")
            self._figures.append(_figures(ranked, place))
        best = (float(figures.best.max(initial=0.0)) for figures in self._figures)
        self._top = max(best, default=0.0)
        self._rules = rules
        self._files = ranked.view.derived.keep(_FILES, {}).setdefault(rules, {})

    def leading(self, files: int) -> list[FileCandidate]:
        """Return the best code files, without tests, by score and path; others may mention them."""
        code = [figures.best[:, CODE] for figures in self._figures]
        floor = FLOOR * self._top
        # Some of them may turn out to be tests.
        at = _reaching(self._ranked.segments, code, floor, 3 * files) if self._top > 0.0 else []
        found = [
            candidate
            for place, file in at
            for candidate in self._candidates(place, file, self._figures[place], 0.0)
            if candidate.section is Section.CODE
        ]
        return sorted(found, key=lambda c: (-c.score, c.path))[:files]

    def candidates(self, beside: RelatedFiles | None = None) -> tuple[FileCandidate, ...]:
        """Return the matching files, once for each section that could show them.

        By section, score and path. A module of code that a rule takes for configuration, or that
        defines options in rows that match, may be shown as either.

        Args:
            beside: what mentions the best code; None where that is not known yet.

        Raises:
            DeadlineExceeded: time ran out.
        """
        if self._top <= 0.0:
            return ()
        mention = beside.files if beside else [np.zeros(len(one.options)) for one in self._figures]
        found: list[FileCandidate] = []
        for place, file in self._worth_a_look(mention):
            figures = self._figures[place]
            found += self._candidates(place, file, figures, float(mention[place][file]))
        return tuple(sorted(found, key=lambda c: (SECTIONS.index(c.section), -c.score, c.path)))

    def _worth_a_look(self, mention: Sequence[Figures]) -> list[tuple[int, int]]:
        """Return the positions of files that reach a threshold, a bounded number per reason."""
        floor, kept = FLOOR * self._top, set[tuple[int, int]]()
        reasons = [
            ([figures.best[:, corpus] for figures in self._figures], floor)
            for corpus in range(len(CORPORA))
        ]
        reasons += [([figures.options for figures in self._figures], floor)]
        for columns, least in [*reasons, (mention, MENTIONED)]:
            self._deadline.check("gathering")
            kept.update(_reaching(self._ranked.segments, columns, least, MOST_FILES))
        return sorted(kept | self._covering(kept))

    def _covering(self, kept: Collection[tuple[int, int]]) -> set[tuple[int, int]]:
        """Return the best file of each covered role that none of these files has."""
        missing = set(COVERED_ROLES).difference(*(self._standing(*at).roles for at in kept))
        if not missing:
            return set()
        best = [figures.best.max(axis=1) for figures in self._figures]
        floor = _ROLE_FLOOR * self._top
        near = _reaching(self._ranked.segments, best, floor, _MOST_ROLE_FILES)
        covering = ([at for at in near if role in self._standing(*at).roles] for role in missing)
        return {
            min(at_role, key=lambda at: (-best[at[0]][at[1]], self._standing(*at).path))
            for at_role in covering
            if at_role
        }

    def target(self, path: str) -> FileCandidate | None:
        """Return a file requested by path; None if the snapshot does not show it."""
        if (held := find_file(self._ranked.segments, path)) is None:
            return None
        found = self._candidates(*held, self._figures[held[0]], 0.0)
        by_score = sorted(found, key=lambda c: (c.score, -SECTIONS.index(c.section)))
        return by_score[-1] if found else None

    def _candidates(
        self, place: int, file: int, figures: _Figures, mention: float
    ) -> list[FileCandidate]:
        standing = self._standing(place, file)
        shown: dict[Section, dict[int, float]] = {}
        best = figures.best[file].tolist()
        held = [corpus for corpus, score in enumerate(best) if score > 0.0]
        for corpus in held or _corpora(self._ranked.segments[place], file):
            section = (
                Section.TESTS if standing.is_test else _section_of(CORPORA[corpus], standing.filing)
            )
            shown.setdefault(section, {})[corpus] = best[corpus]
            if section is Section.CODE and corpus == CODE:
                is_set_up = standing.roles & CONFIGURING
                defining = best[corpus] if is_set_up else float(figures.options[file])
                if defining > 0.0:
                    shown.setdefault(Section.CONFIG, {})[corpus] = defining
        return [
            FileCandidate(
                path=standing.path,
                section=section,
                roles=standing.roles,
                language=standing.language,
                score=max(scores.values()),
                segment=place,
                file=file,
                corpora=frozenset(scores),
                is_test=standing.is_test,
                mention=mention,
                is_list=standing.filing == "list",
            )
            for section, scores in shown.items()
        ]

    def _standing(self, place: int, file: int) -> _Standing:
        if (known := self._files.get((place, file))) is not None:
            return known
        image = self._ranked.segments[place].image
        path = image.path(file)
        roles = self._rules.roles_of(path)
        is_marked = bool(int(image.file_traits[file]) & TEST) and not _is_document(path, roles)
        is_test = Role.TEST in roles or is_marked
        known = _Standing(path, roles, filing_of(path), image.language(file), is_test)
        return self._files.setdefault((place, file), known)


def _section_of(corpus: Corpus, filing: Filing) -> Section:
    """Return where rows of a corpus stand, in a file of which its path says so much."""
    if filing == "list" and corpus is not Corpus.EXTRACTED_PROSE:
        return Section.CONFIG
    if filing == "page" and corpus is Corpus.PROSE:
        return Section.CODE
    return _SECTION_OF[corpus]


def _is_document(path: str, roles: frozenset[Role]) -> bool:
    """Return whether a document is only called like a test, as `docs/rpc-spec.md`."""
    directory, slash, _ = path.rpartition("/")
    return Role.DOCUMENT in roles and not traits_of(f"{directory}{slash}x") & TEST


def rows_of(
    ranked: Ranked,
    candidates: Sequence[FileCandidate],
    most: int,
    beside: RelatedFiles | None = None,
    factors: Sequence[float] = (),
) -> list[FileRows]:
    """Return the rows of each candidate whose lines are worth most, and how many match at all.

    A row's priority is its score, raised where it mentions what the best code defines, holds more
    of the question's words or stands in a better file, and lowered by its length. Of code that is
    shown for the options it defines, those rows; and its best row, where that is another: it may
    be what the question is about. `factors` are learned weights of the candidates' lines.
    """
    by_segment: list[list[int]] = [[] for _ in ranked.segments]
    for number, each in enumerate(candidates):
        by_segment[each.segment].append(number)
    weights = [_OF_SECTION.get(each.section, 1.0) for each in candidates]
    if factors:
        weights = [weight * factor for weight, factor in zip(weights, factors, strict=True)]
    best = max((c.score * w for c, w in zip(candidates, weights, strict=True)), default=0.0) or 1.0
    covered = _covered(ranked, candidates)
    by_number: dict[int, FileRows] = {}
    for place, here in enumerate(by_segment):
        if here:
            mention = beside.rows[place] if beside else np.zeros(len(covered[place]))
            weight = np.array([weights[number] for number in here])
            chosen = [candidates[number] for number in here]
            tests = _inner_tests(ranked.segments[place], chosen)
            raised = _Raised(weight, best, mention, covered[place], tests)
            rows = _rows_in(ranked, place, chosen, most, raised)
            by_number.update(zip(here, rows, strict=True))
    return [by_number[number] for number in range(len(candidates))]


class _Raised(Struct, frozen=True):
    """Figures that decide the priority of rows of one segment.

    Attributes:
        weight: float64 (candidates,): factor of their rows.
        best: the best score of all candidates, behind its factor.
        mention: float64 (rows,): how much of what the best code defines each row mentions.
        covered: float64 (rows,): how much of the question's words each row holds.
        tests: bool (rows,): the rows that are tests inside of source files.
    """

    weight: Figures
    best: float
    mention: Figures
    covered: Figures
    tests: Mask

    def priorities(
        self, rows: Places, file: Places, scores: Figures, lines: Places, matching: Places
    ) -> Figures:
        """Return the priorities of rows of these candidates; `matching` are those to be shown."""
        worth = scores * (1.0 + _MENTION * self.mention[rows])
        share = worth * self.weight[file]
        share[self.tests[rows]] *= _OF_SECTION[Section.TESTS]
        top = np.zeros(len(self.weight))
        np.maximum.at(top, file, share)
        power = _COVERED * self.covered[rows] + _OF_BEST * top[file] / self.best
        beside = np.maximum(np.bincount(file[matching], minlength=len(self.weight)), 1)[file]
        weight = lines**-_LENGTH * beside**-_FILE_ROWS
        return np.round(share * np.exp(power) * weight, DECIMALS)


def _covered(ranked: Ranked, candidates: Sequence[FileCandidate]) -> list[Figures]:
    """Return per segment how much of the question's words each row of the candidates holds.

    Words count by how few of these rows hold them: float64 (rows,), from 0 to 1.
    """
    masks = []
    for place, segment in enumerate(ranked.segments):
        mask = np.zeros(segment.image.rows, dtype=np.bool_)
        for each in candidates:
            if each.segment == place:
                rows = segment.rows_of(each.file)
                mask[rows.start : rows.stop] = True
        masks.append(mask & ranked.eligible[place])
    every = sum(int(mask.sum()) for mask in masks)
    covered, total = [np.zeros(len(mask)) for mask in masks], 0.0
    for term in ranked.query.terms:
        found = [segment.rows_with(term) for segment in ranked.segments]
        holding = [hits[mask[hits]] for hits, mask in zip(found, masks, strict=True)]
        weight = math.log(1.0 + every / (1 + sum(map(len, holding))))
        total += weight
        for figures, hits in zip(covered, holding, strict=True):
            figures[hits] += weight
    return [figures / (total or 1.0) for figures in covered]


def _inner_tests(segment: SearchableSegment, candidates: Iterable[FileCandidate]) -> Mask:
    """Return bool (rows,): the rows of the module `tests` of sources in Rust."""
    tests, rust = (np.zeros(segment.image.rows, dtype=np.bool_) for _ in range(2))
    for each in candidates:
        if each.language == "rust" and not each.is_test:
            rows = segment.rows_of(each.file)
            rust[rows.start : rows.stop] = True
    if rust.any():
        tests[segment.row_postings.rows_with("tests", range(NAME, CRUMB + 1))] = True
    return tests & rust


def _rows_in(
    ranked: Ranked,
    place: int,
    candidates: Sequence[FileCandidate],
    most: int,
    raised: _Raised,
) -> list[FileRows]:
    """Return the rows of candidates of one segment."""
    image, every = ranked.segments[place].image, range(len(candidates))
    files = np.array([each.file for each in candidates], dtype=np.int64)
    starts = image.file_rows[files].astype(np.int64)
    lengths = image.file_rows[files + 1] - starts
    rows, file = spread(starts, lengths), np.repeat(every, lengths)
    total, corpora = ranked.scores[place].at(rows), image.row_corpora[rows]
    mention = raised.mention[rows]
    shown = np.array(
        [[corpus in each.corpora for corpus in range(len(CORPORA))] for each in candidates]
    )
    wanted = shown[file, corpora] & ranked.eligible[place][rows]
    wanted &= (total > 0.0) | (mention > 0.0)
    further: dict[int, list[int]] = {}
    for number, each in enumerate(candidates):
        if each.section is Section.CONFIG and not (each.is_list or each.roles & CONFIGURING):
            its = np.flatnonzero(wanted & (file == number))
            wanted[its] = _options(ranked, place)[rows[its]] | (corpora[its] != CODE)
            further[number] = _standing_out(total, its, its[wanted[its]]) if most > 1 else []
    scores, best = np.where(wanted, total, 0.0), np.zeros(len(candidates))
    np.maximum.at(best, file, scores)
    at = np.flatnonzero(wanted & ((scores >= _FURTHER * best[file]) | (mention > 0.0)))
    begin, end = (column[rows].astype(np.int64) for column in image.row_lines(0, image.rows))
    priority = raised.priorities(rows, file, scores, end - begin + 1, at)
    at = at[np.lexsort((at, -priority[at], file[at]))]
    bounds = np.searchsorted(file[at], [*every, len(candidates)]).tolist()
    columns: tuple[npt.NDArray[np.generic], ...] = (rows, total, priority, begin, end)
    by_file = []
    for number, (begins, ends) in enumerate(pairwise(bounds)):
        outside = further.get(number, []) if ends > begins else []
        inside = at[begins : min(ends, begins + most - len(outside))]
        kept = np.concatenate((np.array(outside, np.int64), inside))
        values = zip(*(column[kept].tolist() for column in columns), strict=True)
        by_file.append(FileRows(tuple(starmap(ScoredRow, values)), ends - begins + len(outside)))
    return by_file


def _standing_out(total: Figures, rows: Places, among: Places) -> list[int]:
    """Return the best of the rows where it scores above all those `among` them."""
    above = total[rows].max(initial=0.0) > total[among].max(initial=0.0)
    return [int(rows[total[rows].argmax()])] if above else []


def _figures(ranked: Ranked, place: int) -> _Figures:
    image, scores, found = ranked.segments[place].image, ranked.scores[place], ranked.best[place]
    best, options = np.zeros((image.files, len(CORPORA))), np.zeros(image.files)
    files = found.runs.files
    best[files] = found.best.T
    if len(files):
        defining = _options(ranked, place)[scores.rows[found.places]] & (found.corpora == CODE)
        options[files] = found.runs.highest(np.where(defining, scores.total[found.places], 0.0))
    return _Figures(best, options)


def _reaching(
    segments: Sequence[SearchableSegment], columns: Sequence[Figures], least: float, most: int
) -> list[tuple[int, int]]:
    """Return the places of files whose figure reaches `least`, `most` of all segments together.

    Ties at that bound fall by path, as everywhere.
    """
    figures = np.concatenate(columns)
    figures = figures[figures >= least]
    if len(figures) > most:
        least = float(np.partition(figures, -most)[-most])
    found = [
        (place, file)
        for place, column in enumerate(columns)
        for file in np.flatnonzero(column >= least).tolist()
    ]
    if len(found) > most:
        found.sort(key=lambda at: (-columns[at[0]][at[1]], segments[at[0]].image.path_bytes(at[1])))
    return found[:most]


def _corpora(segment: SearchableSegment, file: int) -> list[int]:
    """Return the corpora of a file's rows, its anchor aside."""
    image, rows = segment.image, segment.rows_of(file)
    shown = image.row_anchors[rows.start : rows.stop] == 0
    return sorted(set(image.row_corpora[rows.start : rows.stop][shown].tolist()))


_WORDS: Final = """
    add_argument addargument argparse optparse optionparser getopt getopt_long getenv environ
    lookupenv secure_getenv add_option addoption typer click clap structopt argh docopt kingpin
    cobra pflag viper flagset stringvar boolvar intvar durationvar bindenv commander yargs minimist
    dotenv basesettings configparser hocon getproperty value_parser default_value env_var
    long_flag picocli jcommander slop thor
"""
OPTION_WORDS: Final = tuple(_WORDS.split())
"""Whole words, case-folded."""


def option_rows(segment: SearchableSegment) -> npt.NDArray[np.bool_]:
    """Return bool (rows,): the rows that hold one of OPTION_WORDS."""
    held = np.zeros(segment.image.rows, dtype=np.bool_)
    for word in OPTION_WORDS:
        held[segment.rows_with(word)] = True
    return held


def _options(ranked: Ranked, place: int) -> Mask:
    """Return the option rows of a segment, which are kept with the open snapshot."""
    memory = ranked.view.derived.keep(_OPTIONS, {})
    if (rows := memory.get(place)) is None:
        rows = memory[place] = option_rows(ranked.segments[place])
    return rows
