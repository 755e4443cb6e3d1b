"""Selects a slate's files: the best of each section, and companions of the code.

Pure, and by counts alone: no byte budget is looked at, so every level of a slate selects the same.
The order of ranking decides within a section; on top of it one file that looks like an entry
point, one like policy and one like configuration are taken where the repository has them and they
match the question, and tests of files that were chosen are preferred to other tests.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from msgspec import Struct

from ggrep.model.slate import SECTIONS, Reason, Role, Section
from ggrep.model.slate_material import FileCandidate, Pick

SELECTION_REVISION: Final = "selection-5"
"""Which files a slate selects; enters its fingerprint.

    selection-1  first quotas, floors and weights
    selection-2  four more files, all of code; code that has a place as configuration stands under
                 code too; lists and licences count less; pages of programs are code, translations
                 and word lists no documents
    selection-3  lines are shown in the order of a priority of their rows
    selection-4  priorities count conditions, comments, logging and the rows of a file
    selection-5  the only file of a role is shown although it matches little; more names are policy
"""

QUOTAS: Final = {
    Section.CODE: 16,
    Section.DOCS: 4,
    Section.DIAGRAMS: 2,
    Section.CONFIG: 3,
    Section.TESTS: 3,
}
"""Shares of a slate of `levels.FILES` files."""

_FLOORS: Final = {
    Section.CODE: 0.3,
    Section.DOCS: 0.2,
    Section.DIAGRAMS: 0.12,
    Section.CONFIG: 0.2,
    Section.TESTS: 0.2,
}
"""Weight below which a file of the section says nothing; 1 is the best file's score."""

_MENTIONS: Final = {
    Section.CODE: 0.0,
    Section.DOCS: 0.1,
    Section.DIAGRAMS: 0.1,
    Section.CONFIG: 0.2,
    Section.TESTS: 0.2,
}
"""What a file of the section gains by mentioning all that the best code defines."""

_COVERED: Final[dict[Section, dict[Role, Reason]]] = {
    Section.CODE: {Role.ENTRYPOINT: "entrypoint_rule", Role.POLICY: "policy_rule"},
    Section.CONFIG: {Role.CONFIGURATION: "config_rule"},
}
"""Roles of which a section shows one file if any candidate has the role, with the reason."""

_TESTED: Final = 0.2
"""What a test gains whose name says that it is of a chosen file."""

_REASONS: Final[dict[Section, Reason]] = {
    Section.CODE: "semantic_match",
    Section.DOCS: "docs_quota",
    Section.DIAGRAMS: "diagram_quota",
    Section.CONFIG: "config_rule",
    Section.TESTS: "test_rule",
}
_FILLED: Final = (
    Section.CODE,
    Section.CONFIG,
    Section.DOCS,
    Section.DIAGRAMS,
    Section.TESTS,
)
"""The order in which sections take their files: what answers in code stands under code."""

_LOGGED: Final = 0.6
"""Factor of logs of changes: they speak of everything."""

_LISTED: Final = 0.3
"""Factor of lists (translations, word lists) and of licences: they have everybody's words."""

_DEFINED: Final = 0.6
"""Factor of code that is configuration for what it defines, not for its path; entry points, where a
program's flags are, count by their path."""

_FROM_CODE: Final = 2
"""Modules of code that may be shown as configuration, those that stand under code among them."""

_CONFIGURING: Final = frozenset({Role.CONFIGURATION, Role.OPERATIONS, Role.ENTRYPOINT})
_LOG: Final = re.compile(
    r"(?i)(?:^|[/._-])(?:change_?(?:s|log)|history|news|releases?|whats_?new)(?:$|[/._-])"
)
_LEGAL: Final = re.compile(
    r"(?i)(?:^|/)(?:un)?(?:licen[cs]es?|copying|copyright|authors|contributors|maintainers|patents)"
    r"(?:[._-][\w.-]*)?$"
)
_AFFIX: Final = re.compile(r"(?i)^tests?[._-]|[._-]?(?:tests?|specs?)$|^Test(?=[A-Z])")


class Selection(Struct, frozen=True):
    """The files of a slate.

    Attributes:
        picks: by section, then rank.
        left: files that reach their section's floor and had no place.
        suppressed: files that were left out because they were shown before.
    """

    picks: tuple[Pick, ...]
    left: int
    suppressed: int


def leading_code(candidates: Iterable[FileCandidate], files: int) -> tuple[FileCandidate, ...]:
    """Return the code that a slate of so many files shows: what others may mention."""
    own = [c for c in candidates if c.section is Section.CODE]
    return tuple(_by_score(own)[: shares(files)[Section.CODE]])


def select(
    candidates: Sequence[FileCandidate],
    files: int,
    *,
    seen: Callable[[str], bool] = lambda _: False,
) -> Selection:
    """Return at most `files` of the candidates.

    Args:
        candidates: in any order; a file may stand among them once for each section. One that
            answers in code and defines options may be chosen for both.
        files: most files.
        seen: whether a path was shown before, and is to be left out.
    """
    top = max((candidate.score for candidate in candidates), default=0.0)
    names = {_stem(candidate.path) for candidate in leading_code(candidates, files)} - {""}
    stems = [frozenset(name.split("_")) for name in names]
    weighed = [(c, _weight(c, top, stems)) for c in candidates] if top > 0.0 else []
    worth = [_Weighed(c, weight) for c, weight in weighed if weight >= _FLOORS[c.section]]
    fresh = [one for one in worth if not seen(one.path)]
    weak = [_Weighed(c, weight) for c, weight in weighed if weight < _FLOORS[c.section]]
    shown_before = [c for c, _ in weighed if seen(c.path)]
    suppressed = len({c.path for c in shown_before})
    covered = frozenset(role for c in shown_before for role in c.roles)
    leading = frozenset(c.path for c in _by_score(_once(one.candidate for one in worth))[:files])
    code = {one.path for one in fresh if one.candidate.section is Section.CODE}
    chosen: list[Pick] = []
    taken: set[str] = set()
    quotas = shares(files)
    for section in _FILLED:
        own = sorted((one for one in fresh if one.candidate.section is section), key=_order)
        if section is Section.CONFIG:
            ordered = _sparing(own, code)
        else:
            ordered = [one for one in own if one.path not in taken]
        own = sorted((one for one in weak if one.candidate.section is section), key=_order)
        covering = [one for one in own if not one.candidate.roles & covered]
        picks = _section(section, ordered, covering, quotas[section], leading)
        taken.update(pick.candidate.path for pick in picks)
        chosen += picks
    more = _by_score(_once(one.candidate for one in fresh if one.path not in taken))
    filled = _beside(_filled(chosen, more, files), fresh)
    shown = len({pick.candidate.path for pick in filled})
    return Selection(tuple(filled), len(taken) + len(more) - shown, suppressed)


def shares(files: int) -> dict[Section, int]:
    """Return how many files each section may show of so many; they add up to it, or to more.

    Every section keeps at least one place: what no other section fills is dealt by score.
    """
    total = sum(QUOTAS.values())
    return {section: max(1, round(share * files / total)) for section, share in QUOTAS.items()}


class _Weighed(Struct, frozen=True):
    """A candidate and what its section is ordered by."""

    candidate: FileCandidate
    weight: float

    @property
    def path(self) -> str:
        return self.candidate.path


def _weight(candidate: FileCandidate, top: float, stems: Collection[frozenset[str]]) -> float:
    """Return a file's score as a share of the best one's, and what it gains beside."""
    section = candidate.section
    weight = candidate.score / top + _MENTIONS[section] * candidate.mention
    if section is Section.TESTS and _is_of(candidate.path, stems):
        weight += _TESTED
    if section is Section.DOCS and _LOG.search(candidate.path):
        weight *= _LOGGED
    if candidate.is_list or (section is Section.DOCS and _LEGAL.search(candidate.path)):
        return weight * _LISTED
    if section is Section.CONFIG and not candidate.roles & _CONFIGURING:
        weight *= _DEFINED
    return weight


def _is_of(path: str, stems: Collection[frozenset[str]]) -> bool:
    """Return whether a test's name holds all words of the name of one of some files."""
    return any(map(frozenset(_stem(path).split("_")).issuperset, stems))


def _order(one: _Weighed) -> tuple[float, str]:
    return -one.weight, one.path


def _by_score(candidates: Iterable[FileCandidate]) -> list[FileCandidate]:
    return sorted(candidates, key=lambda c: (-c.score, c.path))


def _once(candidates: Iterable[FileCandidate]) -> list[FileCandidate]:
    """Return one candidate of each path: its best, ties in the order of the sections."""
    best: dict[str, FileCandidate] = {}
    for candidate in candidates:
        held = best.get(candidate.path)
        if held is None or _rank(candidate) < _rank(held):
            best[candidate.path] = candidate
    return list(best.values())


def _rank(candidate: FileCandidate) -> tuple[float, int]:
    return -candidate.score, SECTIONS.index(candidate.section)


def _section(
    section: Section,
    ordered: Sequence[_Weighed],
    weak: Sequence[_Weighed],
    quota: int,
    leading: frozenset[str],
) -> list[Pick]:
    """Return the first files of a section, and one file of every role that it must cover.

    `weak` are files below the section's floor; they are shown only to cover a role.
    """
    chosen = [one.candidate for one in ordered[:quota]]
    reasons: dict[str, Reason] = {}
    for role, reason in _COVERED.get(section, {}).items():
        covering = [one.candidate for one in (*ordered, *weak) if role in one.candidate.roles]
        if covering and not any(role in c.roles for c in chosen):
            reasons[covering[0].path] = reason
            chosen.append(covering[0])
    for candidate in chosen:
        usual = _REASONS[section]
        reasons.setdefault(candidate.path, "semantic_match" if candidate.path in leading else usual)
    return [Pick(c, reasons[c.path], rank) for rank, c in enumerate(chosen)]


def _sparing(ordered: Sequence[_Weighed], code: Collection[str]) -> list[_Weighed]:
    """Return the candidates for configuration without most of those that are code as well."""
    left, kept = _FROM_CODE, []
    for one in ordered:
        if one.path in code:
            if not left:
                continue
            left -= 1
        kept.append(one)
    return kept


def _beside(chosen: Sequence[Pick], fresh: Iterable[_Weighed]) -> list[Pick]:
    """Return the picks, and under code too what is code and has a place as configuration alone."""
    code = _paths(chosen, Section.CODE)
    missing = _paths(chosen, Section.CONFIG) - code
    own = (one for one in fresh if one.candidate.section is Section.CODE and one.path in missing)
    more = [
        Pick(one.candidate, _REASONS[Section.CONFIG], len(code) + at)
        for at, one in enumerate(sorted(own, key=_order))
    ]
    return sorted([*chosen, *more], key=_place)


def _paths(picks: Iterable[Pick], section: Section) -> set[str]:
    return {pick.candidate.path for pick in picks if pick.candidate.section is section}


def _stem(path: str) -> str:
    """Return a file's name without endings and without what marks it as a test."""
    name = path.rpartition("/")[2].partition(".")[0]
    return _AFFIX.sub("", _AFFIX.sub("", name)).casefold().replace("-", "_")


def _filled(chosen: list[Pick], more: Sequence[FileCandidate], files: int) -> list[Pick]:
    """Return so many picks: too many lose the last of the ranks, too few are filled by score."""
    if len(chosen) > files:
        kept = sorted(chosen, key=_precedence)[:files]
        return sorted(kept, key=_place)
    ranks = {section: sum(p.candidate.section is section for p in chosen) for section in SECTIONS}
    for candidate in more[: files - len(chosen)]:
        chosen.append(Pick(candidate, "semantic_match", ranks[candidate.section]))
        ranks[candidate.section] += 1
    return sorted(chosen, key=_place)


def _place(pick: Pick) -> tuple[int, int]:
    """Return where a pick stands: by section, then rank."""
    return SECTIONS.index(pick.candidate.section), pick.rank


def _precedence(pick: Pick) -> tuple[float, int, str]:
    """Return what decides who stays: each section's first before any other's second."""
    share = pick.rank / QUOTAS[pick.candidate.section]
    covering = pick.reason in {"entrypoint_rule", "policy_rule"}
    section = SECTIONS.index(pick.candidate.section)
    return (0.5 if covering else share), section, pick.candidate.path
