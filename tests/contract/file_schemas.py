"""The JSON Schemas of the files that people write, made of what their readers declare.

They ship in `ggrep/model/schemas/files`, for editors to complete and check by. `python3 dev.py
schemas` writes them. Draft 7, as editors of TOML read no later one. Readers of
workspaces also take null and blanks for what is not there; no editor needs to propose that.
"""

from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from types import UnionType
from typing import Any, Final, get_args, get_origin

from msgspec import NODEFAULT, Struct

from ggrep.base import stable_json
from ggrep.base.stable_json import Json
from ggrep.config.declarations import DECLARED, PROFILE_NAME
from ggrep.config.profiles import MAX_PROFILES, ROLE_TABLE, VIEW_TABLE, Profile
from ggrep.federation.validation import TOP
from ggrep.federation.workspace_draft import EntryDraft, IncludeDraft, RemoteEntry
from ggrep.interfaces.evaluation.toml_file import (
    CASE,
    CHECK,
    CHECK_DEFAULTS,
    CHECK_TOP,
    SUITE_DEFAULTS,
    VERSION,
    Keys,
)
from ggrep.model.field_meta import DeclaredKey, declared_keys

FOLDER: Final = Path(str(files("ggrep") / "model" / "schemas" / "files"))

Schema = dict[str, Json]


def file_schemas() -> dict[str, Schema]:
    """Return every schema by the name of its file."""
    return {
        "config": _config(),
        "repository": _repository(),
        "workspace": _workspace(),
        "suite": _questions("A suite of `ggrep eval`", "cases", CASE, SUITE_DEFAULTS, {}),
        "checks": _questions("Checks of `ggrep check`", "checks", CHECK, CHECK_DEFAULTS, CHECK_TOP),
    }


def file_of(name: str) -> Path:
    return FOLDER / f"{name}.schema.json"


def _config() -> Schema:
    of_root = _table(each for each in DECLARED.values() if each.says.of_root)
    about = "What is said of single repositories, by the absolute path of their root."
    tables: Schema = {"root": _by_name(about, of_root, "/.*")}
    settings = (each for each in DECLARED.values() if each.says.is_set_by("u"))
    return _file("Settings of a user", "`config.toml` in the ggrep home.", settings, tables)


def _repository() -> Schema:
    profile = _table(declared_keys(Profile).values())
    properties = profile["properties"]
    assert isinstance(properties, Mapping)
    view = {"description": "What answers are narrowed to.", **_table(VIEW_TABLE.values())}
    profile["properties"] = {**properties, "view": view}
    tables: Schema = {
        "profiles": {
            **_by_name("Profiles, by name.", profile, PROFILE_NAME),
            "maxProperties": MAX_PROFILES,
        },
        "roles": {
            "description": "What paths are taken for, beside the built-in rules.",
            **_table(ROLE_TABLE.values()),
        },
    }
    settings = (each for each in DECLARED.values() if each.says.is_set_by("r"))
    return _file("Settings of a repository", "`.ggrep.toml` at its root.", settings, tables)


def _workspace() -> Schema:
    about = "A workspace: repositories that are searched together. Comments may stand in it."
    some: list[Json] = [
        {"required": [key], "properties": {key: {"minItems": 1}}} for key in ("repos", "include")
    ]
    return {**_file("Workspace", about, TOP.values(), {}), "anyOf": some}


def _questions(title: str, name: str, each: Keys, defaults: Keys, top: Keys) -> Schema:
    tables: Schema = {
        "version": {"description": "Version of this shape.", "const": VERSION},
        "defaults": {
            "description": "What holds where a table does not say.",
            **_table(defaults.values()),
        },
        name: {
            "description": "The questions, in their order.",
            "type": "array",
            "items": _table(each.values()),
            "minItems": 1,
        },
    }
    about = "TOML; paths are relative to the file."
    return {**_file(title, about, top.values(), tables), "required": ["version", name]}


def _file(title: str, about: str, keys: Iterable[DeclaredKey], tables: Schema) -> Schema:
    top = _table(keys)
    properties = top["properties"]
    assert isinstance(properties, Mapping)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": title,
        "description": about,
        **top,
        "properties": {**properties, **tables},
    }


def _by_name(about: str, table: Schema, pattern: str) -> Schema:
    return {
        "description": about,
        "type": "object",
        "propertyNames": {"pattern": _whole(pattern)},
        "additionalProperties": table,
    }


def _table(keys: Iterable[DeclaredKey]) -> Schema:
    kept = list(keys)
    results: Schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {each.key: _value(each) for each in kept},
    }
    # What may be empty may be missing, too.
    required: list[Json] = [
        each.key for each in kept if each.default is NODEFAULT and each.says.least > 0
    ]
    return {**results, "required": required} if required else results


def _value(each: DeclaredKey) -> Schema:
    says = each.says
    about: Schema = {"description": says.text[:1].upper() + says.text[1:]}
    if each.is_table:
        return {**about, **_table(declared_keys(each.kind).values())}
    if each.is_list:
        inner: Any = get_args(each.kind)[0]
        items = (
            _table(declared_keys(inner).values())
            if isinstance(inner, type) and issubclass(inner, Struct)
            else _text(each)
        )
        if inner is IncludeDraft:  # its glob alone will do
            items = {"anyOf": [{"type": "string", "minLength": 1}, items]}
        if inner is EntryDraft:  # or an entry of a team server
            items = {"anyOf": [items, _table(declared_keys(RemoteEntry).values())]}
        if get_origin(inner) is UnionType:  # a text, or a list of them of which any will do
            items = {"anyOf": [items, {"type": "array", "items": items, "minItems": 1}]}
        bounds: Schema = {"maxItems": says.most} if says.most else {}
        several: Schema = {"type": "array", "items": items, "minItems": says.least, **bounds}
        # In files of questions one text may stand without its brackets.
        alone = each.default is None and says.least == 1
        return {**about, "anyOf": [several, items]} if alone else about | several
    if each.kind is int:
        most: Schema = {"maximum": says.most} if says.most else {}
        about |= {"type": "integer", "minimum": says.least, **most}
    elif each.kind is dict:
        values: Schema = _text(each) if each.words else {"type": "integer", "minimum": 1}
        about |= {"type": "object", "additionalProperties": values}
    else:
        about |= {"type": "boolean"} if each.kind is bool else _text(each)
    return {**about, "default": each.default} if _may_stand(each) else about


def _may_stand(each: DeclaredKey) -> bool:
    """Tell whether the default is a value that a file may hold; profiles leave open what is not."""
    if isinstance(each.default, int):
        return each.kind is bool or each.says.least <= each.default <= each.says.most
    return isinstance(each.default, str) and each.default != ""


def _text(each: DeclaredKey) -> Schema:
    if each.words:
        return {"type": "string", "enum": list(each.words)}
    if each.says.pattern:
        return {"type": "string", "pattern": _whole(each.says.pattern)}
    return {"type": "string", "minLength": 1}


def _whole(pattern: str) -> str:
    return f"^{pattern}$"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, schema in file_schemas().items():
        file_of(name).write_bytes(stable_json.dumps_pretty(schema))
