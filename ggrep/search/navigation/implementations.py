"""Types that implement or extend a requested type, and their definitions of a requested method.

Most languages name the bases of a type in its head. Only files with such a head are parsed, and the
types found are followed to the types that extend them. In Go a type implements an interface if it
has all of its methods, by name and number of parameters.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from msgspec.structs import replace

from ggrep.base.scripts import folded
from ggrep.model.containers import last_container
from ggrep.model.limits import LimitHit
from ggrep.model.navigation import DefinedAt
from ggrep.model.written_names import last_of
from ggrep.search.navigation.definitions import defined_at, qualified_name
from ggrep.search.navigation.name_candidates import (
    AskedName,
    defining_files,
    extending_files,
    split_name,
)
from ggrep.search.navigation.name_reading import Place, Reading

MAX_TYPES: Final = 2_000
"""Most implementations of one type; further ones are ignored."""
_MOST_EMBEDDED: Final = 20
_TYPES: Final = frozenset({"class", "enum", "interface", "module", "typealias"})
_FAMILIES: Final = (
    frozenset({"c", "cpp", "cuda", "objc"}),
    frozenset({"groovy", "java", "kotlin", "scala"}),
    frozenset({"javascript", "jsx", "svelte", "tsx", "typescript", "vue"}),
)
"""Languages whose types extend each other's."""
_Key = tuple[str, str]
"""A type of Go: the directory of its package, and its name."""


def implementations(
    reading: Reading, asked: AskedName, places: Sequence[Place], others: Sequence[Place]
) -> list[tuple[DefinedAt, bool]]:
    """Return what implements a name, each with whether it is in a test file, in the answer's order.

    Args:
        reading: reads the files.
        asked: the name.
        places: its definitions; without any, types that extend an unknown one of this name count.
        others: definitions of its last part in other containers.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    types = [place for place in places if _kind(place) in _TYPES]
    if types or not (places or others):
        name = types[0].mention.text if types else asked.last
        given = [_type_at(place) for place in _extending(reading, name, types)]
        given += [
            (defined_at(each, each.mention.defined, qualified_name(each)), each.file.test)
            for each in _types_of_go(reading, _structural(reading, types))
            if each.mention.defined is not None
        ]
    elif asked.owners:
        given = _members(reading, asked, places, others)
    else:
        return []
    given.sort(key=lambda each: (each[1], each[0].path, each[0].start_line))
    return [(replace(at, relation="implementation"), test) for at, test in given]


def _members(
    reading: Reading, asked: AskedName, places: Sequence[Place], others: Sequence[Place]
) -> list[tuple[DefinedAt, bool]]:
    """Return the definitions of a method in types that implement its container."""
    owner = last_of(places[0].mention.container) if places else asked.owners[-1]
    types = {last_container(each.mention.container) for each in _extending(reading, owner, places)}
    keys: frozenset[_Key] = frozenset()
    if any(reading.language(place.file) == "go" for place in places):
        files = defining_files(reading.held, split_name(owner), reading.deadline)
        owners = [
            place for file in reading.read(files, owner, any_case=False) for place in file.places
        ]
        keys = _structural(reading, owners)
    return [
        (defined_at(place, place.mention.defined, qualified_name(place)), place.file.test)
        for place in others
        if place.mention.defined is not None
        and (last_container(place.mention.container) in types or _key(place) in keys)
    ]


def _extending(reading: Reading, name: str, types: Sequence[Place]) -> list[Place]:
    """Return the places where heads of types name a type, or one that extends it.

    Args:
        reading: reads the files.
        name: of the type.
        types: its definitions, whose languages count; without any, all languages count.
    """
    languages = {reading.language(place.file) for place in types}
    languages |= {each for family in _FAMILIES if family & languages for each in family}
    found: dict[tuple[str, int], Place] = {}
    queue, seen = [name], {folded(name)}
    while queue and len(found) < MAX_TYPES:
        base = queue.pop(0)
        files = extending_files(reading.held, split_name(base), reading.deadline)
        for file in reading.read(files, base, any_case=False):
            if languages and reading.language(file.file) not in languages:
                continue
            for place in file.places:
                mention = place.mention
                if mention.type is None:
                    continue
                found.setdefault((file.file.path, mention.type.start_line), place)
                extends = last_of(mention.container)
                if mention.type.kind != "impl" and folded(extends) not in seen:
                    seen.add(folded(extends))
                    queue.append(extends)
    if len(found) >= MAX_TYPES:
        reading.limits.append(LimitHit("max_implementations", MAX_TYPES))
    return list(found.values())


def _structural(reading: Reading, types: Iterable[Place]) -> frozenset[_Key]:
    """Return the types of Go that have all methods of the interfaces among some definitions."""
    keys: set[_Key] = set()
    for interface in types:
        if _kind(interface) == "interface" and interface.mention.methods:
            keys |= _having(reading, _method_set(reading, interface))
    return frozenset(keys)


def _having(reading: Reading, methods: Iterable[str]) -> set[_Key]:
    """Return the types with all of those methods; a rare method is looked for first."""
    held, candidates = reading.held, None
    named = {method: split_name(method.partition("/")[0]) for method in methods}
    files = {method: defining_files(held, name, reading.deadline) for method, name in named.items()}
    for method in sorted(named, key=lambda each: (len(files[each]), each)):
        near = files[method]
        if candidates is not None:
            folders = {folder for folder, _ in candidates}
            near = [file for file in near if _folder(file.path) in folders]
        have = {
            _key(place)
            for file in reading.read(near, named[method].last, any_case=False)
            for place in file.places
            if method in place.mention.methods and _kind(place) == "method"
        }
        candidates = have if candidates is None else candidates & have
        if not candidates:
            break
    return candidates or set()


def _method_set(reading: Reading, interface: Place) -> set[str]:
    """Return the methods of an interface, with those of the interfaces here that it embeds."""
    methods: set[str] = set()
    queue, seen = [*interface.mention.methods], set[str]()
    while queue and len(seen) < _MOST_EMBEDDED:
        member = queue.pop(0)
        if "/" in member:
            methods.add(member)
        elif member not in seen:
            seen.add(member)
            name = split_name(member.rpartition(".")[2])
            files = defining_files(reading.held, name, reading.deadline)
            for file in reading.read(files, name.last, any_case=False):
                queue += [
                    each
                    for place in file.places
                    if _kind(place) == "interface" and reading.language(file.file) == "go"
                    for each in place.mention.methods
                ]
    return methods


def _types_of_go(reading: Reading, keys: Iterable[_Key]) -> Iterator[Place]:
    """Yield the definitions of types of Go."""
    for folder, name in sorted(keys):
        files = defining_files(reading.held, split_name(name), reading.deadline)
        near = [file for file in files if _folder(file.path) == folder]
        for file in reading.read(near, name, any_case=False):
            yield from (place for place in file.places if _kind(place) in _TYPES)


def _type_at(place: Place) -> tuple[DefinedAt, bool]:
    made = place.mention.type
    assert made is not None  # noqa: S101 - only bases of types are kept
    return defined_at(place, made, place.mention.container), place.file.test


def _kind(place: Place) -> str:
    defined = place.mention.defined
    return "" if defined is None else defined.kind


def _key(place: Place) -> _Key:
    return _folder(place.file.path), place.mention.container


def _folder(path: str) -> str:
    return str(PurePosixPath(path).parent)
