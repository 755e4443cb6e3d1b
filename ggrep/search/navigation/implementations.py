"""Finds types that implement or extend a type, and their definitions of a method.

Most languages name the bases of a type in its head. Only files with the head of a type that may
name a searched base are parsed. The search continues with the types that extend the types found so
far. In Go, a type implements an interface if it has all methods of the interface, by name and
number of parameters.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final, TypeAlias

from msgspec.structs import replace

from ggrep.index.lexical.postings import Rows
from ggrep.model.containers import last_container
from ggrep.model.files import TYPE_KINDS
from ggrep.model.name_pools import most_implementations
from ggrep.model.navigation import DefinedAt, SymbolRequest
from ggrep.model.written_names import last_of
from ggrep.parse.occurrences.words import Defined
from ggrep.search.navigation.definitions import defined_at, qualified_name
from ggrep.search.navigation.name_candidates import (
    NameFile,
    defining_files,
    extending_files,
    head_rows,
    split_name,
)
from ggrep.search.navigation.name_reading import Place, Reading

_MOST_EMBEDDED: Final = 20
_FAMILIES: Final = (
    frozenset({"c", "cpp", "cuda", "objc"}),
    frozenset({"groovy", "java", "kotlin", "scala"}),
    frozenset({"javascript", "jsx", "svelte", "tsx", "typescript", "vue"}),
)
"""Groups of languages; a type can extend a type of another language in its group."""
_NO_BASES: Final = frozenset({"c", "go"})
"""Languages whose types name no bases."""
_BUILT_IN: Final = {"error": ["Error/0"]}
_Key: TypeAlias = tuple[str, str]
"""A Go type: the directory of its package, and its name."""


def implementations(
    reading: Reading, request: SymbolRequest, places: Sequence[Place], others: Sequence[Place]
) -> list[tuple[DefinedAt, bool]]:
    """Return the implementations of a name, in order, each with whether it is in a test file.

    At most `most_implementations` types are returned, and one more if further types exist.

    Args:
        reading: reads the files.
        request: the request with the name.
        places: the definitions of the name; if none is a type, types that extend an undefined type
            with this name are returned.
        others: definitions of the name's last part in other containers.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    asked, most = split_name(request.name), most_implementations(request)
    types = [place for place in places if _kind(place) in TYPE_KINDS]
    if types or not asked.owners:
        name = types[0].mention.text if types else asked.last
        given = [
            (_at(each, each.mention.type, each.mention.container), each.file.test)
            for each in _extending(reading, name, types, most)
        ]
        given += _types_of_go(reading, _structural(reading, types))
    else:
        owner = last_of(places[0].mention.container) if places else asked.owners[-1]
        given = _members(reading, owner, (places, others), most)
    given.sort(key=lambda each: (each[1], each[0].path, each[0].start_line))
    return given


def _members(
    reading: Reading, owner: str, members: tuple[Sequence[Place], Sequence[Place]], most: int
) -> list[tuple[DefinedAt, bool]]:
    """Return the definitions of a method in types that implement its container.

    Args:
        reading: reads the files.
        owner: name of the container.
        members: definitions of the method in the container, and in other containers.
        most: maximum number of implementing types.
    """
    places, others = members
    extending = _extending(reading, owner, places, most)
    types = {last_container(each.mention.container) for each in extending}
    keys: dict[_Key, bool] = {}
    if any(reading.language(place.file) == "go" for place in places):
        files = defining_files(reading.content, split_name(owner), reading.deadline)
        read = reading.read(files, owner, any_case=False)
        keys = _structural(reading, [place for file in read for place in file.places])
    return [
        (
            _at(
                each, each.mention.defined, qualified_name(each), guess=keys.get(_key(each), False)
            ),
            each.file.test,
        )
        for each in others
        if last_container(each.mention.container) in types or _key(each) in keys
    ]


def _extending(reading: Reading, name: str, types: Sequence[Place], most: int) -> list[Place]:
    """Return the heads of types that extend a type, directly or through other types.

    Args:
        reading: reads the files.
        name: name of the type.
        types: definitions of the type, which determine the languages; if empty, all languages.
        most: maximum number of places; the search ends at the first further place.
    """
    languages = {reading.language(place.file) for place in types}
    if languages and languages <= _NO_BASES:
        return []
    languages |= {each for family in _FAMILIES if family & languages for each in family}
    extending: dict[tuple[str, int, str], Place] = {}
    queue, seen, heads = [name], {name}, head_rows(reading.content)
    while queue and not reading.is_spent:
        for place in _with_base(reading, queue.pop(0), heads, languages):
            made = place.mention.type
            assert made is not None  # noqa: S101 - see `_with_base`
            key = (place.file.path, made.start_line, place.mention.container)
            extending.setdefault(key, place)
            if len(extending) > most:
                return list(extending.values())
            extends = last_of(place.mention.container)
            is_type = reading.language(place.file) != "rust" or made.kind == "interface"
            if is_type and extends not in seen:
                seen.add(extends)
                queue.append(extends)
    if queue:
        reading.note_cut()
    return list(extending.values())


def _with_base(
    reading: Reading, base: str, heads: Sequence[Rows], languages: set[str]
) -> Iterator[Place]:
    """Yield the heads of types that name a base, in some languages; empty `languages` mean all."""
    files = extending_files(reading.content, heads, split_name(base), reading.deadline)
    for file in reading.read(files, base, any_case=False):
        if not languages or reading.language(file.file) in languages:
            yield from (place for place in file.places if place.mention.type is not None)


def _structural(reading: Reading, types: Iterable[Place]) -> dict[_Key, bool]:
    """Return the Go types that have all methods of an interface in `types`.

    The value is True for a guess: the interface embeds another interface that is not defined here.
    """
    keys: dict[_Key, bool] = {}
    for interface in types:
        if _kind(interface) == "interface" and interface.mention.methods:
            methods, is_guess = _method_set(reading, interface)
            keys |= dict.fromkeys(_having(reading, methods), is_guess)
    return keys


def _having(reading: Reading, methods: Iterable[str]) -> set[_Key]:
    """Return the types that have all of some methods; the rarest method is searched first."""
    content, candidates = reading.content, None
    named = {method: split_name(method.partition("/")[0]) for method in methods}
    files = {
        method: defining_files(content, name, reading.deadline) for method, name in named.items()
    }
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


def _method_set(reading: Reading, interface: Place) -> tuple[set[str], bool]:
    """Return an interface's methods, embedded interfaces included, and whether some are unknown."""
    methods, is_unknown = set[str](), False
    queue, seen = [(interface, each) for each in interface.mention.methods], set[str]()
    while queue and len(seen) < _MOST_EMBEDDED:
        around, member = queue.pop(0)
        if "/" in member:
            methods.add(member)
        elif member not in seen:
            seen.add(member)
            package, _, name = member.rpartition(".")
            files = defining_files(reading.content, split_name(name), reading.deadline)
            near = [file for file in files if _is_package(file, package, around)]
            queue += (
                embedded := [
                    (place, each)
                    for file in reading.read(near, name, any_case=False)
                    for place in file.places
                    for each in (place.mention.methods if _kind(place) == "interface" else ())
                ]
                or [(around, each) for each in _BUILT_IN.get(member, ())]
            )
            is_unknown = is_unknown or not embedded
    return methods, is_unknown


def _is_package(file: NameFile, package: str, around: Place) -> bool:
    """Return whether a file may belong to a Go package; an empty name means `around`'s package."""
    folder = PurePosixPath(_folder(file.path))
    return folder.name == package if package else str(folder) == _folder(around.file.path)


def _types_of_go(reading: Reading, keys: Mapping[_Key, bool]) -> Iterator[tuple[DefinedAt, bool]]:
    """Yield the definitions of Go types, each with whether it is in a test file."""
    for (folder, name), guess in sorted(keys.items()):
        files = defining_files(reading.content, split_name(name), reading.deadline)
        near = [file for file in files if _folder(file.path) == folder]
        for file in reading.read(near, name, any_case=False):
            yield from (
                (_at(each, each.mention.defined, name, guess=guess), each.file.test)
                for each in file.places
                if _kind(each) in TYPE_KINDS
            )


def _at(place: Place, defined: Defined | None, name: str, *, guess: bool = False) -> DefinedAt:
    """Return a definition in the file of a place as an implementation.

    Requires: `defined` is not None.
    """
    assert defined is not None  # noqa: S101 - only definitions and bases of types are kept
    return replace(defined_at(place, defined, name), relation="implementation", guess=guess)


def _kind(place: Place) -> str:
    defined = place.mention.defined
    return "" if defined is None else defined.kind


def _key(place: Place) -> _Key:
    return _folder(place.file.path), place.mention.container


def _folder(path: str) -> str:
    return str(PurePosixPath(path).parent)
