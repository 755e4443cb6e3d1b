"""Makes the shipped JSON Schemas of the types in `ggrep/model/schemas`: `python3 dev.py schemas`.

The types say which keys and values there are, the text under a field or a name what they are for;
that text is read from the source.
"""

import ast
import itertools
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import ggrep.model.schemas
from ggrep.model.schemas import (
    answer,
    checks,
    daemons,
    evaluation,
    failure,
    federated,
    federated_names,
    handshake,
    health,
    index_report,
    maintenance,
    navigation,
    profiles,
    receipts,
    replay,
    resolved,
    search,
    slate,
    status,
    stores,
    workspace,
    workspace_manifest,
)
from ggrep.model.schemas.constraints import GROWING, RULES, Held, Keywords

FOLDER: Final = Path(ggrep.model.schemas.__file__).parent
DOCUMENTS: Final[Mapping[str, tuple[str, ModuleType, str]]] = {
    "audit": ("Audit of a store", health, "AuditJson"),
    "check_report": ("Checks", checks, "CheckReportJson"),
    "daemons": ("Daemons of this host", daemons, "DaemonsDocumentJson"),
    "eval_comparison": ("Comparison", evaluation, "EvalComparisonJson"),
    "eval_report": ("Evaluation", evaluation, "EvalReportJson"),
    "expand_success": ("Surroundings of a place", navigation, "ExpandJson"),
    "federated_error": ("Workspace failure", federated, "FederatedErrorJson"),
    "federated_expand": (
        "Surroundings of a place in a workspace",
        federated_names,
        "FederatedExpandJson",
    ),
    "federated_references": (
        "Usages of a name in a workspace",
        federated_names,
        "FederatedReferencesJson",
    ),
    "federated_slate": ("Workspace slate", federated, "FederatedSlateJson"),
    "federated_success": ("Workspace answer", federated, "FederatedJson"),
    "federated_symbol": (
        "Definitions of a name in a workspace",
        federated_names,
        "FederatedSymbolJson",
    ),
    "handshake_request": ("First message of a client", handshake, "HelloJson"),
    "handshake_response": ("First answer of a daemon", handshake, "WelcomeJson"),
    "health": ("Health of a store", health, "HealthJson"),
    "index_report": ("Report of ggrep index", index_report, "IndexReportJson"),
    "inventory": ("Stores of a home", stores, "InventoryJson"),
    "maintenance": ("Maintenance of a store", maintenance, "MaintenanceJson"),
    "profiles": ("Profiles of a repository", profiles, "ProfilesJson"),
    "query_error": ("Failure", failure, "FailureJson"),
    "query_success": ("Search answer", search, "SearchJson"),
    "receipt": ("Receipt", receipts, "ReceiptJson"),
    "references_success": ("Usages of a name", navigation, "ReferencesJson"),
    "replay_report": ("Replay", replay, "ReplayJson"),
    "slate_success": ("Slate", slate, "SlateAnswerJson"),
    "status": ("Status of a repository", status, "StatusJson"),
    "symbol_success": ("Definitions of a name", navigation, "SymbolJson"),
    "workspace": ("Looking after a workspace", workspace, "WorkspaceJson"),
    "workspace_manifest": ("Workspace manifest", workspace_manifest, "ManifestJson"),
    "workspace_receipt": ("Receipt of a workspace", receipts, "WorkspaceReceiptJson"),
    "workspace_replay": ("Replay of a workspace", replay, "WorkspaceReplayJson"),
    "workspace_resolved": ("A resolved workspace", resolved, "ResolvedWorkspaceJson"),
}
"""By the names of their files: titles, and where their types are."""

RETURNED: Final[Mapping[str, tuple[type, ...]]] = {
    "search": (search.SearchJson, failure.ToolFailureJson),
    "context": (slate.SlateAnswerJson, failure.ToolFailureJson),
    "search_workspace": (
        federated.FederatedJson,
        federated.FederatedSlateJson,
        federated.FederatedErrorJson,
        failure.HintJson,
    ),
    "symbol": (navigation.SymbolJson, failure.ToolFailureJson),
    "references": (navigation.ReferencesJson, failure.ToolFailureJson),
    "expand": (navigation.ExpandJson, failure.ToolFailureJson),
    "ggrep_status": (
        status.ServedStatusJson,
        status.UnservedStatusJson,
        failure.ToolFailureJson,
    ),
    "ggrep_health": (health.HealthJson, failure.ToolFailureJson),
}
"""What each tool of MCP may return; the deprecated one says nothing of it."""
TOOLS_FILE: Final = "tool_outputs.json"

_UNTOLD: Final = {*get_type_hints(answer.AnswerJson), "limits", "backend", "error"} - {
    "limits_hit",
    "warnings",
}
"""Where an answer came from, what was asked, what is said twice: keys that no agent looks for."""

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

    def __init__(self, folder: Path) -> None:
        """Read all modules of a folder."""
        self.named: Final[dict[str, str]] = {}
        self.fields: Final[dict[tuple[str, str], str]] = {}
        self.bases: Final[dict[str, list[str]]] = {}
        for path in sorted(folder.glob("*.py")):
            tree = ast.parse(path.read_text())
            self.named.update(_told(tree.body))
            for node in tree.body:
                if not isinstance(node, ast.ClassDef):
                    continue
                if node.name in self.bases:
                    raise ValueError(f"{path.name}: there are two types named {node.name}")
                self.bases[node.name] = [ast.unparse(base) for base in node.bases]
                self.named[node.name] = _line(ast.get_docstring(node) or "")
                for name, text in _told(node.body):
                    self.fields[node.name, name] = text

    def of_field(self, owner: str, name: str) -> str:
        """Return what is said of a field by the class, or by those it builds on."""
        own = self.fields.get((owner, name), "")
        inherited = (self.of_field(base, name) for base in self.bases.get(owner, ()))
        return own or next(filter(None, inherited), "")


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
        """Take what the source says."""
        self._texts = texts
        self.defs: Final[dict[str, Schema]] = {}
        self._made_of: Final[Mapping[Any, Callable[[tuple[Any, ...]], Schema]]] = {
            Annotated: self._noted,
            Literal: _words,
            Union: self._either,
            UnionType: self._either,
            Sequence: self._sequence,
            Mapping: self._mapping,
        }

    def of(self, kind: Any) -> Schema:
        """Return the schema of a type.

        Raises:
            TypeError: it is none that JSON has.
        """
        if kind in _TYPES:
            return {"type": _TYPES[kind]}
        if is_typeddict(kind):
            return self._reference(kind)
        made = self._made_of.get(get_origin(kind))
        if made is None:
            raise TypeError(f"{kind} is no type of a document")
        return made(get_args(kind))

    def fields_of(self, kind: type) -> Schema:
        """Return the schema of a TypedDict, itself and not by reference."""
        found: Schema = {"description": self._texts.named[kind.__name__], "type": "object"}
        if not found["description"]:
            raise ValueError(f"{kind.__name__} is not described")
        if kind not in GROWING:
            found["additionalProperties"] = False
        hints = get_type_hints(kind, include_extras=True)
        required = [name for name, hint in hints.items() if get_origin(hint) is not NotRequired]
        if required:
            found["required"] = required
        found["properties"] = {
            name: self._field(kind.__name__, name, hint) for name, hint in hints.items()
        }
        return {**found, **RULES[kind].words} if kind in RULES else found

    def _field(self, owner: str, name: str, hint: Any) -> Schema:
        if get_origin(hint) is NotRequired:
            (hint,) = get_args(hint)
        text = self._texts.of_field(owner, name)
        return {"description": text, **self.of(hint)} if text else self.of(hint)

    def _reference(self, kind: type) -> Schema:
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind.__name__.removesuffix("Json")).lower()
        if name not in self.defs:
            self.defs[name] = {}  # it is being made
            self.defs[name] = self.fields_of(kind)
        return {"$ref": f"#/$defs/{name}"}

    def _noted(self, arguments: tuple[Any, ...]) -> Schema:
        kind, *notes = arguments
        found = self.of(kind)
        for note in notes:
            match note:
                case str():
                    found = {"description": note, **found}
                case Held():
                    found |= _bounds(note, found["type"])
                case Keywords():
                    found |= note.words
                case tuple():
                    found = _words(note)
                case type() if issubclass(note, Enum):
                    found = _words([member.value for member in note])
                case _:
                    raise TypeError(f"{note!r} says nothing about a value")
        return found

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

    def _sequence(self, arguments: tuple[Any, ...]) -> Schema:
        return {"type": "array", "items": self.of(arguments[0])}

    def _mapping(self, arguments: tuple[Any, ...]) -> Schema:
        key, value = arguments
        found: Schema = {"type": "object", "additionalProperties": self.of(value)}
        return found if key is str else {**found, "propertyNames": self.of(key)}


def _words(words: Sequence[object]) -> Schema:
    return {"const": words[0]} if len(words) == 1 else {"enum": list(words)}


def _bounds(held: Held, kind: str) -> Schema:
    least, most = _BOUNDS[kind]
    found: Schema = {} if held.least is None else {least: held.least}
    if held.most is not None:
        found[most] = held.most
    if held.pattern:
        found["pattern"] = held.pattern
    if held.form:
        found["format"] = held.form
    return {**found, "uniqueItems": True} if held.unique else found


def schema(name: str, texts: Texts) -> Schema:
    """Return the schema of the document whose file has this name."""
    title, module, type_name = DOCUMENTS[name]
    kind, maker = getattr(module, type_name), Maker(texts)
    if is_typeddict(kind):
        body = maker.fields_of(kind)
    else:
        body = {"description": texts.named[type_name], **maker.of(kind)}
    defs = {"$defs": dict(sorted(maker.defs.items()))} if maker.defs else {}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"ggrep://schemas/{name}.schema.json",
        "title": title,
        **body,
        **defs,
    }


def returned(name: str, texts: Texts) -> Schema:
    """Return what a tool returns as agents read it: keys and types of the top, nothing more.

    It is true of failures as well, so no key is required. Some clients refuse unions and
    references: a key of several types is there without any. Keys that answers may lack are left
    out.
    """
    maker, found = Maker(texts), dict[str, Schema]()
    for kind in RETURNED[name]:
        for key, hint in get_type_hints(kind, include_extras=True).items():
            optional = get_origin(hint) is NotRequired
            if key in _UNTOLD or (optional and key != "hint"):
                continue
            one = _flat(maker.of(get_args(hint)[0] if optional else hint))
            found[key] = one if found.get(key, one) == one else {}
    return {"type": "object", "properties": found}


def _flat(form: Schema) -> Schema:
    if "$ref" in form:
        return {"type": "object"}
    words = form.get("enum", [form["const"]] if "const" in form else ())
    if words:
        return {"type": _TYPES[type(words[0])]}
    return {"type": form["type"]} if isinstance(form.get("type"), str) else {}


def schema_files() -> dict[Path, bytes]:
    """Return the shipped files and what they are to hold."""
    texts = Texts(FOLDER)
    made = {f"{name}.schema.json": schema(name, texts) for name in sorted(DOCUMENTS)}
    made[TOOLS_FILE] = {name: returned(name, texts) for name in RETURNED}
    return {FOLDER / name: _bytes(held) for name, held in made.items()}


def _bytes(value: Schema) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def main() -> int:
    """Write the files that are not as they are to be; remove those of documents that are gone."""
    wanted = schema_files()
    for path in sorted({*FOLDER.glob("*.json"), *wanted}):
        if path not in wanted:
            path.unlink()
        elif not path.exists() or path.read_bytes() != wanted[path]:
            path.write_bytes(wanted[path])
        else:
            continue
        sys.stderr.write(f"{path.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
