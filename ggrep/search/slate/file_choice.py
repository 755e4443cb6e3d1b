"""Selects a slate's files: the best files of each section, and files of certain roles.

Budgets of bytes do not affect the choice, so every level of a slate selects the same files. Within
a section, files are ranked by score. One entry point, one file of policy and one file of
configuration are added, if such files match the query. Tests of chosen files are preferred to other
tests. Performs no I/O.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from ggrep.model.slate import SECTIONS, Reason, Role, Section
from ggrep.model.slate_material import FileCandidate, Pick

SELECTION_REVISION: Final = "selection-5"
"""The revision of the rules of selection; part of a slate's fingerprint.

    selection-1  first quotas, floors and weights
    selection-2  four more files, all of code; code that is shown as configuration is shown under
                 code too; lists and licences count less; pages of programs are code, translations
                 and word lists no documents
    selection-3  lines are shown in the order of a priority of their rows
    selection-4  priorities count conditions, comments, logging and the rows of a file
    selection-5  any number of modules of code may be configuration; mentions of the best code do
                 not order files; logs of changes count as licences do; the only file of a role is
                 shown although it matches little; more names are policy; code gains by defining
                 what the best code uses
"""

QUOTAS: Final = {
    Section.CODE: 16,
    Section.DOCS: 4,
    Section.DIAGRAMS: 2,
    Section.CONFIG: 3,
    Section.TESTS: 3,
}
"""Number of files of each section in a slate of `levels.FILES` files."""

_FLOORS: Final = {
    Section.CODE: 0.3,
    Section.DOCS: 0.2,
    Section.DIAGRAMS: 0.12,
    Section.CONFIG: 0.2,
    Section.TESTS: 0.2,
}
"""Minimum weight of a file of the section; 1 is the weight of the best score."""

_USED: Final = 0.4
"""Added to the weight of code that defines a name that the best code uses. It affects whether the
file is chosen, but not its rank.

Fitted on the questions of fixtures/places that are not held out.
"""

_TESTED: Final = 0.2
"""Added to the weight of a test whose name refers to a chosen file."""

_REASONS: Final[dict[Section, Reason]] = {
    Section.CODE: "semantic_match",
    Section.DOCS: "docs_quota",
    Section.DIAGRAMS: "diagram_quota",
    Section.CONFIG: "config_rule",
    Section.TESTS: "test_rule",
}
_ROLE_REASONS: Final[dict[Section, dict[Role, Reason]]] = {
    Section.CODE: {Role.ENTRYPOINT: "entrypoint_rule", Role.POLICY: "policy_rule"},
    Section.CONFIG: {Role.CONFIGURATION: "config_rule"},
}
"""Roles that at least one file of a section must have if any candidate does, with reasons."""

_FILLED: Final = (
    Section.CODE,
    Section.CONFIG,
    Section.DOCS,
    Section.DIAGRAMS,
    Section.TESTS,
)
"""The order in which sections are filled; a file with matching code is thus chosen as code."""

_LISTED: Final = 0.3
"""Factor of translations, word lists, changelogs and licences, which match nearly any query."""

_DEFINED: Final = 0.6
"""Factor of code that counts as configuration because of its definitions, not because of its path.
Entry points, which define a program's flags, count because of their path."""

_CONFIGURING: Final = frozenset({Role.CONFIGURATION, Role.OPERATIONS, Role.ENTRYPOINT})
_OF_EVERYTHING: Final = re.compile(
    r"(?:^|[/._-])(?:change_?(?:s|log)|history|news|releases?|whats_?new)(?:$|[/._-])"
    r"|(?:^|/)(?:un)?(?:licen[cs]es?|copying|copyright|authors|contributors|maintainers|patents)"
    r"(?:[._-][\w.-]*)?$",
    re.IGNORECASE,
)
_AFFIX: Final = re.compile(r"(?i)^tests?[._-]|[._-]?(?:tests?|specs?)$|^Test(?=[A-Z])")


class Selection(Struct, frozen=True):
    """The files that a slate shows.

    Attributes:
        picks: the chosen files, by section, then by rank.
        left: number of files above their section's minimum weight that were not chosen.
        suppressed: number of files that were left out because they were shown before.
    """

    picks: tuple[Pick, ...]
    left: int
    suppressed: int


def select(
    candidates: Sequence[FileCandidate],
    files: int,
    *,
    seen: Callable[[str], bool] = lambda _: False,
) -> Selection:
    """Return at most `files` of the candidates.

    Args:
        candidates: in any order; a file can occur once per section. A file can be chosen both as
            code and as configuration.
        files: maximum number of files.
        seen: returns whether a path was shown before; such files are left out.
    """
    top, quotas = max((each.score for each in candidates), default=0.0), shares(files)
    code = _by_score(each for each in candidates if each.section is Section.CODE)
    names = {_stem(each.path) for each in code[: quotas[Section.CODE]]} - {""}
    stems = [frozenset(name.split("_")) for name in names]
    weighed = [(_weight(each, top, stems), each) for each in candidates] if top > 0.0 else []
    weighed.sort(key=lambda item: (-item[0], item[1].path))
    worth = [each for weight, each in weighed if weight >= _FLOORS[each.section]]
    fresh = [each for each in worth if not seen(each.path)]
    shown_before = [each for _, each in weighed if seen(each.path)]
    covered = frozenset(role for each in shown_before for role in each.roles)
    weak = [
        each
        for weight, each in weighed
        if weight < _FLOORS[each.section] and not seen(each.path) and not each.roles & covered
    ]
    leading = frozenset(each.path for each in _by_score(_once(worth))[:files])
    chosen: list[Pick] = []
    taken: set[str] = set()
    for section in _FILLED:
        ordered = [
            each
            for each in fresh
            if each.section is section and (section is Section.CONFIG or each.path not in taken)
        ]
        covering = [each for each in weak if each.section is section]
        picks = list(_section(section, ordered, covering, quotas[section], leading))
        taken.update(pick.candidate.path for pick in picks)
        chosen += picks
    more = _by_score(_once(each for each in fresh if each.path not in taken))
    filled = _beside(_filled(chosen, more, files), fresh)
    return Selection(
        picks=tuple(filled),
        left=len(taken) + len(more) - len({pick.candidate.path for pick in filled}),
        suppressed=len({each.path for each in shown_before}),
    )


def shares(files: int) -> dict[Section, int]:
    """Return each section's quota of files, scaled to `files` and rounded; at least one.

    If fewer than `files` are chosen in this way, files of any section are added by score.
    """
    total = sum(QUOTAS.values())
    return {section: max(1, round(share * files / total)) for section, share in QUOTAS.items()}


def _weight(candidate: FileCandidate, top: float, stems: Iterable[frozenset[str]]) -> float:
    """Return the weight of a file in its section, from its relative score and its kind."""
    section, weight = candidate.section, candidate.score / top
    if section is Section.CODE:
        weight += _USED * candidate.used
    if section is Section.TESTS:
        words = frozenset(_stem(candidate.path).split("_"))
        weight += _TESTED * any(map(words.issuperset, stems))
    if candidate.is_list or (section is Section.DOCS and _OF_EVERYTHING.search(candidate.path)):
        weight *= _LISTED
    elif section is Section.CONFIG and not candidate.roles & _CONFIGURING:
        weight *= _DEFINED
    return weight


def _by_score(candidates: Iterable[FileCandidate]) -> list[FileCandidate]:
    return sorted(candidates, key=lambda c: (-c.score, c.path))


def _once(candidates: Iterable[FileCandidate]) -> Iterable[FileCandidate]:
    """Return the best candidate of each path; of equal scores, the one in the earlier section."""
    ordered = sorted(candidates, key=lambda c: (c.score, -SECTIONS.index(c.section)))
    return {each.path: each for each in ordered}.values()


def _section(
    section: Section,
    ordered: Sequence[FileCandidate],
    weak: Sequence[FileCandidate],
    quota: int,
    leading: frozenset[str],
) -> Iterator[Pick]:
    """Yield the first files of a section, and one file of each role that the section must contain.

    Files in `weak` are below the section's minimum; they are shown only because of a role.
    """
    chosen, reasons = list(ordered[:quota]), dict[str, Reason]()
    if section is Section.CODE:
        chosen = _by_score(chosen)
    for role, reason in _ROLE_REASONS.get(section, {}).items():
        file = next((each for each in (*ordered, *weak) if role in each.roles), None)
        if file is not None and not any(role in each.roles for each in chosen):
            reasons[file.path] = reason
            chosen.append(file)
    for rank, each in enumerate(chosen):
        usual = "semantic_match" if each.path in leading else _REASONS[section]
        yield Pick(each, reasons.get(each.path, usual), rank)


def _beside(chosen: Sequence[Pick], fresh: Iterable[FileCandidate]) -> list[Pick]:
    """Return the picked files; pick code that was picked only as configuration also as code."""
    code, config = (
        {pick.candidate.path for pick in chosen if pick.candidate.section is section}
        for section in (Section.CODE, Section.CONFIG)
    )
    more = (each for each in fresh if each.section is Section.CODE and each.path in config - code)
    reason = _REASONS[Section.CONFIG]
    also = [Pick(each, reason, rank) for rank, each in enumerate(more, len(code))]
    return sorted([*chosen, *also], key=_place)


def _stem(path: str) -> str:
    """Return a file's name without endings, and without a prefix or suffix such as `test_`."""
    name = path.rpartition("/")[2].partition(".")[0]
    return _AFFIX.sub("", _AFFIX.sub("", name)).casefold().replace("-", "_")


def _filled(chosen: list[Pick], more: Sequence[FileCandidate], files: int) -> list[Pick]:
    """Return `files` picked files: drop the last ranks, or add further files by score."""
    ranks = Counter(pick.candidate.section for pick in chosen)
    filled = sorted(chosen, key=_precedence)[:files]
    for each in more[: files - len(filled)]:
        filled.append(Pick(each, "semantic_match", ranks[each.section]))
        ranks[each.section] += 1
    return filled


def _place(pick: Pick) -> tuple[int, int]:
    return SECTIONS.index(pick.candidate.section), pick.rank


def _precedence(pick: Pick) -> tuple[float, int, str]:
    """Return the sort key of picked files, by rank relative to the section's quota."""
    share = pick.rank / QUOTAS[pick.candidate.section]
    covering = pick.reason in _ROLE_REASONS[Section.CODE].values()
    section = SECTIONS.index(pick.candidate.section)
    return (0.5 if covering else share), section, pick.candidate.path
