"""Questions without an answer, made from questions that have one and from the names of sources.

Everything that is drawn is drawn by digests of names, so it is the same everywhere.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from ggrep.base import stable_json

SUITES: Final = Path(__file__).resolve().parents[2] / "tests" / "quality"

_ANSWERED: Final = frozenset(
    {
        *("ood-021", "ood-026", "ood-054", "ood-096", "ood-107", "ood-111", "ood-118", "ood-123"),
        *("ood-127", "ood-157", "ood-194", "ood-installed-025"),
    }
)
"""Questions out of domain that one of the repositories with places might answer."""

_GENERAL: Final = frozenset(
    {
        *("caprover:03", "devpi:01", "gitblit:01", "gitblit:02", "gitblit:08", "huginn:08"),
        *("kanboard:01", "kanboard:03", "kanboard:04", "kanboard:07", "kanboard:10"),
        *("librespot:01", "librespot:02", "librespot:03", "librespot:09", "litedb:07"),
        *("mopidy:05", "netnewswire:02", "rqlite:05", "rustic_core:04", "rustic_core:08"),
        *("varnish-cache:02", "varnish-cache:07", "varnish-cache:08"),
    }
)
"""Questions with places that another repository might answer too, by reading them alone."""

_ALIKE: Final = (
    frozenset({"librespot-org+librespot", "mopidy+mopidy"}),
    frozenset({"mbdavid+LiteDB", "rqlite+rqlite"}),
)
"""Repositories of one domain."""

_REPOS: Final = 3
"""Repositories that a question out of domain is put to."""
_OTHERS: Final = 2
"""Repositories that another one's question is put to."""

_NAME: Final = re.compile(r"\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*\b")
_PART: Final = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])")
_PARTS: Final = range(2, 5)
_SHORTEST, _LONGEST = 8, 40
_LEAST: Final = 2
"""Occurrences of a name that is changed."""
_MOST_BYTES: Final = 1 << 20
_MADE_OF: Final = (
    *("account", "adapter", "balance", "bridge", "bucket", "carrier", "catalog", "channel"),
    *("courier", "dispatch", "drawer", "engine", "factory", "gateway", "harbor", "invoice"),
    *("journal", "ledger", "manager", "mapper", "mirror", "orchid", "paint", "parcel", "planner"),
    *("quota", "rocket", "sampler", "shelf", "signal", "tariff", "ticket", "turbine", "vendor"),
    *("voucher", "walker", "window"),
)
_SENTENCES: Final = (
    "how does {} work",
    "where is {} called",
    "what happens when {} fails",
    "{} default value",
)


def drawn(*names: str) -> int:
    """Return a number that only these names decide."""
    return int(hashlib.sha256("\0".join(names).encode()).hexdigest()[:24], 16)


def records(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file of JSON lines."""
    return [stable_json.loads(line) for line in path.read_bytes().splitlines() if line.strip()]


def of_other_domains(repos: Sequence[str], *, even: bool) -> Iterator[tuple[str, str]]:
    """Yield repository and question: of a half of the suites, about things no program here does."""
    for name in ("out_of_domain.jsonl", "out_of_domain_installed.jsonl"):
        for item in records(SUITES / name):
            in_half = (int(item["id"].rpartition("-")[2]) % 2 == 0) == even
            if in_half and item["kind"] == "domain" and item["id"] not in _ANSWERED:
                for repo in sorted(repos, key=partial(drawn, item["id"]))[:_REPOS]:
                    yield repo, item["query"]


def of_other_repositories(
    items: Sequence[Mapping[str, Any]], repos: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield repository and question: the questions of one put to others of another domain."""
    for item in items:
        if item["qid"] in _GENERAL:
            continue
        own = {item["repo"]}.union(*(each for each in _ALIKE if item["repo"] in each))
        others = sorted(set(repos) - own, key=partial(drawn, item["qid"]))
        for repo in others[:_OTHERS]:
            yield repo, item["query"]


def unknown_names(sources: Path, number: int) -> Iterator[tuple[str, str]]:
    """Yield names that the sources lack, and for each a question about it.

    A third are names of the sources with a part of another one, a third lack a letter, and a third
    are made of words.

    Args:
        sources: the files of a repository, in a folder that is named as it is.
        number: of names of each third.
    """
    numbers = _names_of(sources)
    known = {_key(name) for name in numbers}
    often = [name for name in sorted(numbers) if numbers[name] >= _LEAST and _may_change(name)]
    often.sort(key=partial(drawn, sources.name))
    for change in (_with_another_part, _without_a_letter, _made):
        left = number
        for name, other in zip(often, reversed(often), strict=True):
            changed = change(name, other)
            if left and _key(changed) not in known:
                left -= 1
                yield changed, _SENTENCES[drawn(changed) % len(_SENTENCES)].format(changed)


def _names_of(sources: Path) -> Counter[str]:
    names = Counter[str]()
    for path in sorted(sources.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= _MOST_BYTES:
            names.update(_NAME.findall(path.read_text(encoding="utf-8", errors="replace")))
    return names


def _may_change(name: str) -> bool:
    parts = _PART.findall(name)
    whole = len("".join(parts)) == len(name.replace("_", ""))
    return whole and len(parts) in _PARTS and _SHORTEST <= len(name) <= _LONGEST


def _key(name: str) -> str:
    """Return a name whatever its letter case and underscores."""
    return name.replace("_", "").casefold()


def _with_another_part(name: str, other: str) -> str:
    parts = _PART.findall(name)
    place = drawn(name) % len(parts)
    return name.replace(parts[place], _cased(_PART.findall(other)[0], parts[place]), 1)


def _without_a_letter(name: str, _: str) -> str:
    longest = max(_PART.findall(name), key=len)
    place = 1 + drawn(name) % (len(longest) - 1)
    return name.replace(longest, longest[:place] + longest[place + 1 :], 1)


def _made(name: str, _: str) -> str:
    words = sorted(_MADE_OF, key=partial(drawn, name))[: 2 + drawn(name) % 2]
    if "_" in name:
        return "_".join(words)
    first = words[0] if name[0].islower() else words[0].capitalize()
    return first + "".join(map(str.capitalize, words[1:]))


def _cased(word: str, like: str) -> str:
    """Return a word in the letter case of another one."""
    if like.isupper():
        return word.upper()
    return word.capitalize() if like[0].isupper() else word.casefold()
