"""Makes a JSON Schema of a Struct or TypedDict of `ggrep/model`, with the texts of its source."""

import ast
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from msgspec import Struct, UnsetType
from msgspec.structs import fields

from ggrep.model.constraints import (
    EXTENDED,
    GROWING,
    HIDDEN,
    LATER,
    NAMED,
    PAIRS,
    RULES,
    Held,
    Keywords,
)
from ggrep.model.field_meta import Field, WireBounds

Schema = dict[str, Any]

_TYPES: Final = {str: "string", int: "integer", float: "number", bool: "boolean"}
_BOUNDS: Final = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
}


class Texts:
    """What the source says under its names and fields.

    Attributes:
        named: by the name of a class or of another type.
        fields: by class and field.
        bases: of each class, by name.
    """

    def __init__(self, *folders: Path) -> None:
        """Read all modules of some folders; of two types of one name the first counts."""
        self.named: dict[str, str] = {}
        self.fields: Final[dict[tuple[str, str], str]] = {}
        self.bases: Final[dict[str, list[str]]] = {}
        for path in (path for folder in folders for path in sorted(folder.glob("*.py"))):
            tree = ast.parse(path.read_text())
            self.named = {**dict(_told(tree.body)), **self.named}
            for node in tree.body:
                if not isinstance(node, ast.ClassDef) or node.name in self.bases:
                    continue
                self.bases[node.name] = [ast.unparse(base) for base in node.bases]
                about = (ast.get_docstring(node) or "").partition("\n\nAttributes:")[0]
                self.named[node.name] = _line(about)
                for name, text in _told(node.body):
                    self.fields[node.name, name] = text

    def of_field(self, owner: str, name: str) -> str:
        """Return what is said of a field by the class, or by those it builds on."""
        ours = self.fields.get((owner, name), "")
        inherited = (self.of_field(base, name) for base in self.bases.get(owner, ()))
        return ours or next(filter(None, inherited), "")


def _told(body: Sequence[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Yield names that are assigned or annotated, and the text that follows them."""
    for node, after in itertools.pairwise(body):
        match node, after:
            case (
                ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, _line(text)
            case _:
                pass


def _line(text: str) -> str:
    return " ".join(text.split())


class Maker:
    """Makes one schema, and gathers the types that it refers to.

    Attributes:
        defs: schemas of those types by name.
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self.defs: Final[dict[str, Schema]] = {}
        self._made_of: Final[Mapping[Any, Callable[[tuple[Any, ...]], Schema]]] = {
            Annotated: self._noted,
            Literal: _words,
            Union: self._either,
            UnionType: self._either,
            Sequence: self._sequence,
            tuple: self._tuple,
            Mapping: self._mapping,
        }

    def of(self, kind: Any) -> Schema:
        """Return the schema of a type.

        Raises:
            TypeError: it is none that JSON has.
        """
        kind = getattr(kind, "__supertype__", kind)
        if kind in _TYPES:
            return {"type": _TYPES[kind]}
        if is_typeddict(kind) or _is_struct(kind):
            return self._reference(kind)
        if isinstance(kind, type) and issubclass(kind, Enum):
            return _words([member.value for member in kind])
        made = self._made_of.get(get_origin(kind))
        if made is None:
            raise TypeError(f"{kind} is no type of a document")
        return made(get_args(kind))

    def fields_of(self, kind: type) -> Schema:
        """Return the schema of a Struct or TypedDict, itself and not by reference."""
        results: Schema = {"description": self._texts.named[kind.__name__], "type": "object"}
        if not results["description"]:
            raise ValueError(f"{kind.__name__} is not described")
        if kind not in GROWING:
            results["additionalProperties"] = False
        members = dict(_members(kind))
        required = [key for key, member in members.items() if member.needed]
        if required:
            results["required"] = required
        results["properties"] = {key: self._field(member) for key, member in members.items()}
        return {**results, **RULES[kind].words} if kind in RULES else results

    def _field(self, member: "Member") -> Schema:
        text = self._texts.of_field(member.owner, member.name)
        return {"description": text, **self.of(member.hint)} if text else self.of(member.hint)

    def _reference(self, kind: type) -> Schema:
        name = NAMED.get(kind, kind.__name__.removesuffix("Json").removesuffix("Report"))
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
        if name not in self.defs:
            self.defs[name] = {}  # it is being made
            self.defs[name] = self.fields_of(kind)
        return {"$ref": f"#/$defs/{name}"}

    def _noted(self, arguments: tuple[Any, ...]) -> Schema:
        kind, *notes = arguments
        result = self._mapping(get_args(get_args(kind)[0])) if PAIRS in notes else self.of(kind)
        for note in notes:
            match note:
                case str():
                    result = {"description": note, **result}
                case _ if note in (LATER, PAIRS) or isinstance(note, Field | WireBounds):
                    pass
                case Held():
                    result |= _bounds(note, result["type"])
                case Keywords():
                    result |= note.words
                case tuple():
                    result = _words(note)
                case type() if issubclass(note, Enum):
                    result = _words([member.value for member in note])
                case _:
                    raise TypeError(f"{note!r} says nothing about a value")
        return result

    def _either(self, kinds: tuple[Any, ...]) -> Schema:
        forms = [self.of(kind) for kind in kinds if kind is not NoneType]
        if len(forms) == len(kinds):
            known = all("$ref" in form for form in forms)
            return {"oneOf" if known else "anyOf": forms}
        if len(forms) == 1 and isinstance(forms[0].get("type"), str):
            return {**forms[0], "type": [forms[0]["type"], "null"]}
        if len(forms) == 1 and "enum" in forms[0]:
            return {**forms[0], "enum": [*forms[0]["enum"], None]}
        return {"anyOf": [*forms, {"type": "null"}]}

    def _tuple(self, arguments: tuple[Any, ...]) -> Schema:
        item, *others = arguments
        if others == [...]:
            return self._sequence((item,))
        return {**self._sequence((item,)), **_bounds(Held(len(arguments), len(arguments)), "array")}

    def _sequence(self, arguments: tuple[Any, ...]) -> Schema:
        return {"type": "array", "items": self.of(arguments[0])}

    def _mapping(self, arguments: tuple[Any, ...]) -> Schema:
        key, value = arguments
        results: Schema = {"type": "object", "additionalProperties": self.of(value)}
        return results if key is str else {**results, "propertyNames": self.of(key)}


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)


class Member(NamedTuple):
    """A key of an object.

    Attributes:
        owner: name of the class that declares it as its field `name`.
        needed: the key is always there.
    """

    owner: str
    name: str
    hint: Any
    needed: bool


def _members(kind: Any) -> Iterator[tuple[str, Member]]:
    """Yield the keys of an object, those of a Struct that it extends first."""
    if kind in EXTENDED:
        base, key_of = EXTENDED[kind]
        yield from ((key_of(key), member) for key, member in _members(base) if key_of(key))
    if not _is_struct(kind):
        for name, hint in get_type_hints(kind, include_extras=True).items():
            needed = get_origin(hint) is not NotRequired
            yield name, Member(kind.__name__, name, hint if needed else get_args(hint)[0], needed)
        return
    for each in fields(kind):
        if each.name in HIDDEN.get(kind, ()):
            continue
        omitted = UnsetType
        if kind.__struct_config__.omit_defaults and not each.required:
            omitted = type(each.default)
        hint = _without(omitted, each.type)
        later = LATER in getattr(each.type, "__metadata__", ())
        needed = omitted is UnsetType and hint == each.type and not later
        yield each.encode_name, Member(kind.__name__, each.name, hint, needed)


def _without(gone: type, hint: Any) -> Any:
    """Return a type without one of its alternatives."""
    if get_origin(hint) is Annotated:
        kind, *notes = get_args(hint)
        return Annotated[(_without(gone, kind), *notes)]
    kinds = get_args(hint) if get_origin(hint) in {Union, UnionType} else ()
    left = tuple(kind for kind in kinds if kind is not gone)
    return Union[left] if len(left) < len(kinds) else hint  # noqa: UP007 - of a tuple


def _words(words: Sequence[object]) -> Schema:
    return {"const": words[0]} if len(words) == 1 else {"enum": list(words)}


def _bounds(held: Held, kind: str) -> Schema:
    least, most = _BOUNDS[kind]
    results: Schema = {} if held.least is None else {least: held.least}
    if held.most is not None:
        results[most] = held.most
    if held.pattern:
        results["pattern"] = held.pattern
    if held.form:
        results["format"] = held.form
    return {**results, "uniqueItems": True} if held.unique else results
