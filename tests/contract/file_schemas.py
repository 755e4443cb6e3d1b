"""The JSON Schemas of the files that people write, made of what their readers declare.

They ship in `ggrep/schemas/files`, for editors to complete and check by. `python -m
tests.contract.file_schemas` writes them. Draft 7, as editors of TOML read no later one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING
from importlib.resources import files
from pathlib import Path
from typing import Final

from ggrep import stable_json
from ggrep.config.declarations import DECLARED, PROFILE_NAME
from ggrep.config.profile_file import MAX_PROFILES, ROLE_TABLE, VIEW_TABLE
from ggrep.config.profiles import Profile
from ggrep.domain.keys import MOST_ITEMS, Declared, declared
from ggrep.stable_json import Json

FOLDER: Final = Path(str(files("ggrep") / "schemas" / "files"))

Schema = dict[str, Json]


def file_schemas() -> dict[str, Schema]:
    """Return every schema by the name of its file."""
    return {"config": _config(), "repository": _repository()}


def file_of(name: str) -> Path:
    """Return where a schema lies."""
    return FOLDER / f"{name}.schema.json"


def _config() -> Schema:
    of_root = _table(each for each in DECLARED.values() if each.says.of_root)
    about = "What is said of single repositories, by the absolute path of their root."
    tables: Schema = {"root": _by_name(about, of_root, "/.*")}
    settings = (each for each in DECLARED.values() if each.says.is_set_by("u"))
    return _file("Settings of a user", "`config.toml` in the ggrep home.", settings, tables)


def _repository() -> Schema:
    profile = _table(declared(Profile).values())
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


def _file(title: str, about: str, keys: Iterable[Declared], tables: Schema) -> Schema:
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


def _table(keys: Iterable[Declared]) -> Schema:
    held = list(keys)
    found: Schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {each.key: _value(each) for each in held},
    }
    required: list[Json] = [each.key for each in held if each.default is MISSING]
    return {**found, "required": required} if required else found


def _value(each: Declared) -> Schema:
    says = each.says
    about: Schema = {"description": says.text[:1].upper() + says.text[1:]}
    if each.is_table:
        return {**about, **_table(declared(each.kind).values())}
    if each.is_list:
        bounds: Schema = {"minItems": says.least, "maxItems": MOST_ITEMS}
        return {**about, "type": "array", "items": _text(each), **bounds}
    # What a profile says nothing of has no default of its own.
    usual: Schema = {"default": each.default} if each.default not in (MISSING, None, "") else {}
    if each.kind is bool:
        return {**about, "type": "boolean", **usual}
    if each.kind is int:
        if not says.least <= (each.default or 0) <= says.most:
            usual = {}
        return {**about, "type": "integer", "minimum": says.least, "maximum": says.most, **usual}
    return {**about, **_text(each), **usual}


def _text(each: Declared) -> Schema:
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
