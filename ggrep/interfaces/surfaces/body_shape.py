"""Derives a body's decoder and its JSON Schema from its Structs.

The annotation of a request's field defines its place in a body (`ggrep.model.field_meta`). Checks
collect all errors of a body.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, Final, Literal, TypeVar, get_args, get_origin

from msgspec import Struct, field
from msgspec.structs import fields

from ggrep.base.errors import InvalidRequest, Issue
from ggrep.base.stable_json import Json
from ggrep.federation.validation import kind_of
from ggrep.model.corpus import CORPORA, CORPUS_WORDS, Corpus, Mode
from ggrep.model.field_meta import MAX_INTEGER, MOST_MS, Field, field_of
from ggrep.model.filters import Filter, parse_filter

INVALID_REQUEST: Final = "ERR_FEDERATED_INVALID_REQUEST"

_ISSUES_SHOWN: Final = 32
"""Maximum number of issues in a reply, so that many errors do not cause a long reply."""

_REFUSED: Final = {
    "repo": (
        "ERR_FEDERATED_REPO_FLAG_NOT_ALLOWED",
        "to select repositories of a workspace, use `select` or `only`",
    ),
    "$.search.scope": ("ERR_FEDERATED_SCOPE_NOT_ALLOWED", "a path is not allowed here"),
    "args": (
        INVALID_REQUEST,
        "command-line arguments are not allowed; use the fields of the request",
    ),
    "argv": (
        INVALID_REQUEST,
        "command-line arguments are not allowed; use the fields of the request",
    ),
    "rawArgs": (
        INVALID_REQUEST,
        "command-line arguments are not allowed; use the fields of the request",
    ),
}

T = TypeVar("T")


class Fields:
    """Reads one object of a body. A null value counts as a missing key.

    Attributes:
        place: place of the object, such as `$.search`.
        issues: issues so far, in a list that inner objects share.
    """

    def __init__(self, value: Mapping[str, object], place: str, issues: list[Issue]) -> None:
        self._value = value
        self._read: set[str] = set()
        self.place = place
        self.issues = issues

    def at(self, key: str) -> str:
        """Return the place of a key."""
        return f"{self.place}.{key}" if key.isidentifier() else f"{self.place}[{key!a}]"

    def add(self, key: str, reason: str, message: str, *, code: str = INVALID_REQUEST) -> None:
        """Add an issue about the value of a key."""
        if len(self.issues) < _ISSUES_SHOWN:
            field = self.at(key)
            self.issues.append(Issue(code, f"{field}: {message}", field=field, reason=reason))

    def take(self, key: str) -> object:
        """Return the value of a key, of any type; None if missing."""
        self._read.add(key)
        return self._value.get(key)

    def text(self, key: str, *, required: bool = False) -> str | None:
        """Return a string; None if missing. Another type is an issue and also returns None."""
        value = self.take(key)
        if isinstance(value, str):
            return value
        if value is not None or required:
            missing = key not in self._value
            wrong = "is missing" if missing else f"must be a string, is {kind_of(value)}"
            self.add(key, "required" if missing else "type", wrong)
        return None

    def integer(self, key: str) -> int | None:
        """Return an integer (`true` and 1.0 are not valid); None if missing or not valid."""
        value = self.take(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            self.add(key, "type", f"must be an integer, is {_number_or_kind(value)}")
            return None
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            self.add(key, "range", f"must be within {MAX_INTEGER}, is {value}")
            return None
        return value

    def flag(self, key: str) -> bool | None:
        """Return a boolean; None if missing or of another type."""
        value = self.take(key)
        if value is None or isinstance(value, bool):
            return value
        self.add(key, "type", f"must be true or false, is {kind_of(value)}")
        return None

    def texts(self, key: str) -> tuple[str, ...] | None:
        """Return the strings of an array; a single string counts as an array."""
        value = self.take(key)
        if value is None:
            return None
        if isinstance(value, str):
            return (value,)
        if not isinstance(value, list):
            self.add(key, "type", f"must be a string or an array of them, is {kind_of(value)}")
            return None
        texts = []
        for index, item in enumerate(value):
            if isinstance(item, str):
                texts.append(item)
            else:
                self.add(key, "type", f"item {index} must be a string, is {kind_of(item)}")
        return tuple(texts)

    def word(self, key: str, known: Mapping[str, T]) -> T | None:
        """Return the value of a known word; None if missing or unknown."""
        text = self.text(key)
        if text is not None and text not in known:
            self.add(key, "unsupported", f"{text!a} is not one of {', '.join(known)}")
        return known.get(text or "")

    def child(self, key: str) -> "Fields":
        """Return the reader of the object at a key; of an empty object if missing."""
        value = self.take(key)
        if value is not None and not isinstance(value, Mapping):
            self.add(key, "type", f"must be an object, is {kind_of(value)}")
        return Fields(value if isinstance(value, Mapping) else {}, self.at(key), self.issues)

    def finish(self) -> None:
        """Add an issue for every key that was not read."""
        for key in self._value:
            if key in self._read:
                continue
            forbidden = _REFUSED.get(self.at(key))
            if forbidden and self._value[key] is None:
                continue
            unknown = (INVALID_REQUEST, f"unknown key {key!a}")
            code, message = forbidden or _REFUSED.get(key, unknown)
            self.add(key, "unknown-key", message, code=code)


def one_of(*given: tuple[Fields, str, T | None]) -> T | None:
    """Return the first value that is not None; add an issue for each further value."""
    values = [each for each in given if each[2] is not None]
    for holder, key, _ in values[1:]:
        first, name, _ = values[0]
        holder.add(key, "duplicate", f"has the same meaning as {first.at(name)}; use only one")
    return values[0][2] if values else None


def _number_or_kind(value: object) -> str:
    return f"the number {value}" if isinstance(value, float) else kind_of(value)


INVALID_MODE: Final = "ERR_FEDERATED_INVALID_MODE"


class Leaf(Struct, frozen=True):
    """A value that a body can contain.

    Attributes:
        owner: the Struct with the field `name`.
        kind: type of the value, without annotations and None.
        required: the field has no default.
        judged: the value is checked when the body is read, not by the request.
    """

    owner: type
    name: str
    kind: Any
    says: Field
    required: bool
    judged: bool

    @property
    def words(self) -> tuple[str, ...]:
        """Return the allowed words of the value or of its items; empty if any word is allowed."""
        if self.kind == tuple[Corpus, ...]:
            return ("all", *CORPUS_WORDS)
        if get_origin(self.kind) is Literal:
            return tuple(get_args(self.kind))
        if isinstance(self.kind, type) and issubclass(self.kind, Enum):
            return tuple(member.value for member in self.kind)
        return self.says.words

    @property
    def json_type(self) -> Literal["string", "integer", "boolean", "array"]:
        """Return the value's JSON type; a single string is accepted for an array."""
        if get_origin(self.kind) is tuple:
            return "array"
        return "boolean" if self.kind is bool else "integer" if self.kind is int else "string"


class _Node(Struct):
    """A key of a body; its value is plain, an object, or can be of both kinds."""

    leaf: Leaf | None = None
    alias_of: str = ""
    below: dict[str, "_Node"] = field(default_factory=dict)


class Given(Struct, frozen=True):
    """The values of a body, by the fields that they set."""

    values: Mapping[tuple[type, str], object]

    def of(self, kind: type) -> dict[str, object]:
        """Return the values that the body contains for the fields of a Struct."""
        return {name: value for (owner, name), value in self.values.items() if owner is kind}

    def make(self, kind: type[T], **more: object) -> T:
        """Return a Struct made of the body's fields and `more`."""
        return kind(**{**self.of(kind), **more})


class Shape:
    """The structure of one kind of request body.

    Attributes:
        leaves: the values that a body can contain, by place.
    """

    def __init__(
        self,
        *kinds: type,
        without: frozenset[str] = frozenset(),
        judged_later: tuple[type, ...] = (),
    ) -> None:
        """Derive the shape from the fields of Structs.

        Args:
            kinds: Structs; if two fields have the same place, the later field counts.
            without: places that the body cannot contain.
            judged_later: Structs that check ranges and words themselves.
        """
        leaves = [leaf for kind in kinds for leaf in _leaves(kind, judged_later)]
        by_place = {leaf.says.place: leaf for leaf in leaves}
        self.leaves: Final = {
            place: leaf for place, leaf in by_place.items() if place not in without
        }
        self._top = _Node()
        for leaf in self.leaves.values():
            for place in (leaf.says.place, *leaf.says.also):
                node = self._top
                for key in place.split("."):
                    node = node.below.setdefault(key, _Node())
                last = leaf.says.place.rpartition(".")[2]
                node.leaf, node.alias_of = leaf, "" if place.endswith(last) else last

    def schema(self) -> dict[str, Json]:
        """Return the body's JSON Schema."""
        return _object_schema(self._top)

    def read(self, body: Fields) -> Given:
        """Return the values of a body; add errors, except unknown keys, to its issues."""
        given_values: dict[str, list[tuple[Fields, str, object]]] = {}
        _read(self._top, body, given_values)
        values: dict[tuple[type, str], object] = {}
        for place, leaf in self.leaves.items():
            given = given_values.get(place, [])
            value = one_of(*given)
            if value is None:
                continue
            if leaf.judged:
                holder, key, _ = next(item for item in given if item[2] is not None)
                _judge(leaf, holder, key, value)
            values[leaf.owner, leaf.name] = value
        return Given(values)


def _leaves(kind: type, judged_later: tuple[type, ...]) -> Iterator[Leaf]:
    for each in fields(kind):
        says, wanted = field_of(each.type)
        if says is not None:
            judged = kind not in judged_later
            yield Leaf(kind, each.name, wanted, says, each.required, judged)
        elif isinstance(wanted, type) and issubclass(wanted, Struct):
            yield from _leaves(wanted, judged_later)


def _read(
    node: _Node, body: Fields, given_values: dict[str, list[tuple[Fields, str, object]]]
) -> None:
    for key, child in node.below.items():
        value = body.take(key)
        if child.below and not _stands_alone(child.leaf, value):
            inner = body.child(key)
            _read(child, inner, given_values)
            inner.finish()
        elif child.leaf is not None:
            place = child.leaf.says.place
            given_values.setdefault(place, []).append((body, key, _taken(child.leaf, body, key)))


def _stands_alone(leaf: Leaf | None, value: object) -> bool:
    """Return whether a plain value is given instead of an object."""
    if leaf is None or value is None or isinstance(value, Mapping):
        return False
    return leaf.json_type == "array" or isinstance(value, str)


def _taken(leaf: Leaf, body: Fields, key: str) -> object:
    """Return a value of the leaf's type; None if missing or of another type."""
    if take := _TAKEN.get(leaf.kind):
        return take(body, key)
    meant = leaf.kind if isinstance(leaf.kind, type) and leaf.kind is not str else str
    if leaf.words and (leaf.judged or meant is not str):
        return body.word(key, {word: meant(word) for word in leaf.words})
    return body.text(key, required=leaf.required)


def _judge(leaf: Leaf, body: Fields, key: str, value: object) -> None:
    """Add an issue if a value is out of range."""
    says = leaf.says
    match value:
        case bool():
            pass
        case int() if not says.least <= value <= says.most:
            bounds = f"from {says.least} to {says.most}"
            if value < says.least and says.most >= MOST_MS:
                bounds = f"{says.least} or more"
            body.add(key, "range", f"must be {bounds}, is {value}")
        case str() if says.least and not value.strip():
            body.add(key, "invalid", f"the {key} must not be empty")
        case tuple() if len(value) > says.most:
            body.add(key, "range", f"has {len(value)} values, but at most {says.most} are allowed")


def _intent(body: Fields, key: str) -> Mode | None:
    word = body.text(key)
    known = {mode.value: mode for mode in Mode}
    if word is None or word in known:
        return known.get(word or "")
    message = f"{word!a} is not one of {', '.join(known)}"
    if word in {"all", *CORPUS_WORDS}:
        message = f"{word!r} is a corpus; use the field `mode`"
    body.add(key, "unsupported", message, code=INVALID_MODE)
    return None


def _corpora(body: Fields, key: str) -> tuple[Corpus, ...] | None:
    words = body.texts(key)
    if words is None:
        return None
    for word in words:
        if word in {mode.value for mode in Mode}:
            message = f"{word!r} is an intent; use the field `intent`"
            body.add(key, "unsupported", message, code=INVALID_MODE)
        elif word != "all" and word not in CORPUS_WORDS:
            message = f"{word!a} is not one of {', '.join(['all', *CORPUS_WORDS])}"
            body.add(key, "unsupported", message, code=INVALID_MODE)
    if not words:
        body.add(key, "empty", "must name at least one corpus", code=INVALID_MODE)
    if "all" in words:
        return CORPORA
    chosen = {CORPUS_WORDS.get(word) for word in words}
    return tuple(corpus for corpus in CORPORA if corpus in chosen)


def _filters(body: Fields, key: str) -> tuple[Filter, ...] | None:
    texts = body.texts(key)
    filters = []
    for text in texts or ():
        try:
            filters.append(parse_filter(text))
        except InvalidRequest as error:
            body.add(key, "form", str(error))
    return None if texts is None else tuple(filters)


_TAKEN: Final[Mapping[object, Callable[[Fields, str], object]]] = {
    bool: Fields.flag,
    int: Fields.integer,
    Mode: _intent,
    tuple[Corpus, ...]: _corpora,
    tuple[Filter, ...]: _filters,
    tuple[str, ...]: Fields.texts,
}
"""Readers by type; words and texts need none."""


def _object_schema(node: _Node) -> dict[str, Json]:
    schema: dict[str, Json] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {key: _schema(child) for key, child in node.below.items()},
    }
    required: list[Json] = [
        key for key, child in node.below.items() if child.leaf and child.leaf.required
    ]
    return {**schema, "required": required} if required else schema


def _schema(node: _Node) -> dict[str, Json]:
    if node.leaf is None:
        return {"anyOf": [_object_schema(node), {"type": "null"}]}
    says = node.leaf.says
    if not node.below:
        about = f"The same as `{node.alias_of}`." if node.alias_of else says.text
        return _value_schema(node.leaf, about)
    value_schema = _value_schema(node.leaf, says.text)
    forms = value_schema.get("anyOf")
    alone = forms if isinstance(forms, list) else [value_schema, {"type": "null"}]
    return {"anyOf": [*alone, _object_schema(node)]}


def _value_schema(leaf: Leaf, about: str) -> dict[str, Json]:
    says, words = leaf.says, list(leaf.words)
    if leaf.json_type == "array":
        item: dict[str, Json] = {"enum": [*words]} if words else {"type": "string"}
        several: dict[str, Json] = {"type": "array", "items": item, "minItems": says.least}
        if says.most < MAX_INTEGER:
            several["maxItems"] = says.most
        return {"description": about, "anyOf": [item, several, {"type": "null"}]}
    schema: dict[str, Json] = {"type": [leaf.json_type, "null"], "description": about}
    if leaf.json_type == "integer":
        schema |= {"minimum": says.least, "maximum": says.most}
    elif words:
        schema = {"enum": [*words, None], "description": about}
    elif leaf.required:
        schema |= {"type": "string", "pattern": r"\S"}
    elif leaf.json_type == "string" and says.least:
        schema["pattern"] = r"\S"
    return schema
