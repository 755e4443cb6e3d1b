"""Collects the candidates of a slate: matching files by section, with their best scores.

Every visible row has a score, so the best files of each section are known. Text is read later, and
only for the chosen files.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base.cache import CacheKey
from ggrep.base.clock import Deadline
from ggrep.config.roles import Filing, RoleRules, filing_of
from ggrep.model.corpus import CORPORA, Corpus
from ggrep.model.files import TEST, traits_of
from ggrep.model.slate import SECTIONS, Role, Section
from ggrep.model.slate_material import FileCandidate
from ggrep.search.query.best_rows import CODE
from ggrep.search.query.eligible import Mask
from ggrep.search.query.pipeline import Ranked
from ggrep.search.query.segments import SearchableSegment, find_file

FLOOR: Final = 0.12
"""Minimum score of a candidate file, relative to the score of the best row."""

MENTIONED: Final = 0.3
"""A file that mentions this share of the hits is considered regardless of its score."""

MOST_FILES: Final = 100
"""Maximum number of candidates per corpus, over all segments of the snapshot."""

COVERED_ROLES: Final = (Role.ENTRYPOINT, Role.POLICY, Role.CONFIGURATION)
"""Roles; for each role, a slate shows one file if a file with the role matches the query."""

_ROLE_FLOOR: Final = 0.03
_MOST_ROLE_FILES: Final = 300
"""Minimum score, relative to the best row, and lowest rank of a file that is shown for its role."""

_SECTION_OF: Final = {
    Corpus.CODE: Section.CODE,
    Corpus.PROSE: Section.DOCS,
    Corpus.EXTRACTED_PROSE: Section.DIAGRAMS,
    Corpus.RECORDS: Section.CONFIG,
}
CONFIGURING: Final = frozenset({Role.CONFIGURATION, Role.OPERATIONS})
"""Roles by which a module of code is shown as configuration."""


Figures = npt.NDArray[np.float64]


class RelatedFiles(Struct, frozen=True):
    """How closely files and rows are related to the best code, from 0 to 1.

    Attributes:
        files: per segment float64 (files,), the share of the best code's definitions that a file
            mentions.
        rows: per segment float64 (rows,), the share of these definitions that a row mentions.
        used: per segment float64 (rows,), the largest weight of a name that the row defines and
            the best code uses; rare names weigh more.
    """

    files: tuple[Figures, ...]
    rows: tuple[Figures, ...]
    used: tuple[Figures, ...]


class _Standing(Struct, frozen=True):
    """Properties of a file that follow from its path and traits."""

    path: str
    roles: frozenset[Role]
    filing: Filing
    language: str
    is_test: bool


_FILES: Final = CacheKey[dict[RoleRules, dict[tuple[int, int], _Standing]]]()
_OPTIONS: Final = CacheKey[Mask]()
_OPTION: Final = len(CORPORA)
"""Column of the best row of code that defines options; the columns before it are the corpora."""


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
        self._top = max((float(each.max(initial=0.0)) for each in self._figures), default=0.0)
        self._rules = rules
        self._files = ranked.view.derived.keep(_FILES, {}).setdefault(rules, {})

    def leading(self, files: int) -> list[FileCandidate]:
        """Return the best files of code without tests, by score and path."""
        code = [each[:, CODE] for each in self._figures]
        # More files than requested, because some are tests.
        at = _reaching(self._ranked.segments, code, self._floor, 3 * files)
        every = (candidate for place, file in at for candidate in self._candidates(place, file))
        code_files = [candidate for candidate in every if candidate.section is Section.CODE]
        return sorted(code_files, key=lambda c: (-c.score, c.path))[:files]

    def candidates(self, beside: RelatedFiles | None = None) -> tuple[FileCandidate, ...]:
        """Return the matching files, once for each section that could show them.

        The order is section, score, path. A file of code is also a candidate for the section of
        configuration, if a rule classifies it as configuration, or if matching rows define options.

        Args:
            beside: relations to the best code; None if they are unknown.

        Raises:
            DeadlineExceeded: time ran out.
        """
        mention = beside.files if beside else tuple(np.zeros(len(each)) for each in self._figures)
        reasons: list[tuple[Sequence[Figures], float]] = [
            ([each[:, column] for each in self._figures], self._floor)
            for column in range(_OPTION + 1)
        ]
        kept = set[tuple[int, int]]()
        for columns, least in [*reasons, (mention, MENTIONED)] if self._top > 0.0 else []:
            self._deadline.check("gathering")
            kept.update(_reaching(self._ranked.segments, columns, least, MOST_FILES))
        files: list[FileCandidate] = []
        for place, file in sorted(kept | self._covering(kept)):
            rows = self._ranked.segments[place].rows_of(file)
            used = beside.used[place][rows.start : rows.stop].max(initial=0.0) if beside else 0.0
            files += self._candidates(place, file, float(used))
        return tuple(sorted(files, key=lambda c: (SECTIONS.index(c.section), -c.score, c.path)))

    def _covering(self, kept: Collection[tuple[int, int]]) -> set[tuple[int, int]]:
        """Return the best file of each required role that no file in `kept` has."""
        missing = set(COVERED_ROLES).difference(*(self._standing(*at).roles for at in kept))
        if not missing or self._top <= 0.0:
            return set()
        best, floor = [each.max(axis=1) for each in self._figures], _ROLE_FLOOR * self._top
        near = _reaching(self._ranked.segments, best, floor, _MOST_ROLE_FILES)
        covering = ([at for at in near if role in self._standing(*at).roles] for role in missing)
        return {
            min(of_role, key=lambda at: (-best[at[0]][at[1]], self._standing(*at).path))
            for of_role in covering
            if of_role
        }

    def target(self, path: str) -> FileCandidate | None:
        """Return the file with a path; None if the snapshot does not show such a file."""
        if (at := find_file(self._ranked.segments, path)) is None:
            return None
        every = sorted(self._candidates(*at), key=lambda c: (c.score, -SECTIONS.index(c.section)))
        return every[-1] if every else None

    @property
    def _floor(self) -> float:
        """Return the minimum score of a candidate file; infinite if nothing matches."""
        return FLOOR * self._top or math.inf

    def _candidates(self, place: int, file: int, used: float = 0.0) -> Iterator[FileCandidate]:
        standing = self._standing(place, file)
        shown: dict[Section, dict[int, float]] = {}
        *best, options = self._figures[place][file].tolist()
        matching = [corpus for corpus, score in enumerate(best) if score > 0.0]
        for corpus in matching or _corpora(self._ranked.segments[place], file):
            section = (
                Section.TESTS if standing.is_test else _section_of(CORPORA[corpus], standing.filing)
            )
            shown.setdefault(section, {})[corpus] = best[corpus]
            if section is Section.CODE and corpus == CODE:
                defining = best[corpus] if standing.roles & CONFIGURING else options
                if defining > 0.0:
                    shown.setdefault(Section.CONFIG, {})[corpus] = defining
        for section, scores in shown.items():
            yield FileCandidate(
                path=standing.path,
                section=section,
                roles=standing.roles,
                language=standing.language,
                score=max(scores.values()),
                segment=place,
                file=file,
                corpora=frozenset(scores),
                is_test=standing.is_test,
                is_list=standing.filing == "list",
                used=used,
            )

    def _standing(self, place: int, file: int) -> _Standing:
        if (known := self._files.get((place, file))) is not None:
            return known
        image = self._ranked.segments[place].image
        path = image.path(file)
        roles = self._rules.roles_of(path)
        folder = path[: path.rfind("/") + 1]
        # The name of a document, such as `docs/rpc-spec.md`, does not make it a test.
        named = Role.DOCUMENT in roles and not traits_of(f"{folder}x") & TEST
        is_test = Role.TEST in roles or bool(image.file_traits[file] & TEST and not named)
        known = _Standing(path, roles, filing_of(path), image.language(file), is_test)
        return self._files.setdefault((place, file), known)


def _section_of(corpus: Corpus, filing: Filing) -> Section:
    """Return the section of rows, from their corpus and from `filing`, the class of their path."""
    if filing == "list" and corpus is not Corpus.EXTRACTED_PROSE:
        return Section.CONFIG
    if filing == "page" and corpus is Corpus.PROSE:
        return Section.CODE
    return _SECTION_OF[corpus]


def _figures(ranked: Ranked, place: int) -> Figures:
    """Return float64 (files, corpora + 1): scores of each file's best rows.

    The columns are the best row of each corpus, and the best row of code that defines options.
    """
    image, scores, result = ranked.segments[place].image, ranked.scores[place], ranked.best[place]
    figures, files = np.zeros((image.files, len(CORPORA) + 1)), result.runs.files
    figures[files, :_OPTION] = result.best.T
    if len(files):
        rows = scores.rows[result.places]
        defining = option_rows(ranked.segments[place])[rows] & (result.corpora == CODE)
        total = np.where(defining, scores.total[result.places], 0.0)
        figures[files, _OPTION] = result.runs.highest(total)
    return figures


def _reaching(
    segments: Sequence[SearchableSegment], columns: Sequence[Figures], least: float, most: int
) -> list[tuple[int, int]]:
    """Return at most `most` files: the highest values that are at least `least`.

    A file is a pair: the number of its segment, and its number in the segment. If files have equal
    values, the first paths are returned.
    """
    figures = np.concatenate(columns)
    figures = figures[figures >= least]
    if len(figures) > most:
        least = float(np.partition(figures, -most)[-most])
    results = [
        (place, file)
        for place, column in enumerate(columns)
        for file in np.flatnonzero(column >= least).tolist()
    ]
    if len(results) > most:
        results.sort(
            key=lambda at: (-columns[at[0]][at[1]], segments[at[0]].image.path_bytes(at[1]))
        )
    return results[:most]


def _corpora(segment: SearchableSegment, file: int) -> list[int]:
    """Return the corpora of a file's rows without its header chunk."""
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


def option_rows(segment: SearchableSegment) -> Mask:
    """Return bool (rows,): the rows with one of OPTION_WORDS; cached with the open segment."""
    if (rows := segment.derived.get(_OPTIONS)) is None:
        rows = np.zeros(segment.image.rows, dtype=np.bool_)
        for word in OPTION_WORDS:
            rows[segment.rows_with(word)] = True
    return segment.derived.keep(_OPTIONS, rows)
