"""An answer's JSON document as text for agents: places with ranges, lines, and what was cut.

One line a place and no ids: whoever wants to go on types `path:line`. The structured document
beside it is complete.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, TypeAlias

from ggrep.base import stable_json
from ggrep.base.stable_json import Json
from ggrep.model.traits import TEST, traits_of
from ggrep.render.navigation_text import IMPORT

_Object: TypeAlias = Mapping[str, Any]

_ID: Final = re.compile(r"[0-9a-f]{64}")


def agent_text(document: _Object) -> str:
    """Return what an agent reads of an answer, whichever tool gave it; no final newline."""
    return "\n".join([*_body(document), *_notes(document)])


def _body(document: _Object) -> Iterator[str]:
    if "message" in document and "code" in document:
        yield f"{document['code']}: {document['message']}"
        if hint := document.get("hint"):
            yield f"hint: {hint}"
    elif "slate" in document:
        yield from _slate(document)
    elif "results" in document:
        yield from _hits(document)
    elif "definitions" in document:
        yield from _definitions(document)
    elif "references" in document:
        yield from _references(document)
    elif "boundary" in document:
        yield from _expansion(document)
    else:
        yield stable_json.dumps(_without_ids(document)).decode()


def _notes(document: _Object) -> Iterator[str]:
    """Yield a line for each cut, each warning and each repository that gave no full answer."""
    for cut in document.get("limits_hit", ()):
        where = cut.get("path_key") or cut.get("repoId") or ""
        yield f"cut: {cut['code']} {cut['limit']} of {cut['observed']} {where}".rstrip()
    diagnostics = document.get("diagnostics", {})
    told = (*document.get("warnings", ()), *diagnostics.get("warnings", ()))
    for note in (*diagnostics.get("errors", ()), *told):
        yield f"warning: {note['code']}: {note['message']}"
    for repo in document.get("repos", ()):
        if (status := repo.get("status", "ok")) != "ok":
            yield f"repository {repo.get('alias') or repo['repoId']}: {status}"


def _hits(document: _Object) -> Iterator[str]:
    yield f"{document.get('confidence', 'found')}, {len(document['results'])} hits"
    for hit in document["results"]:
        path, first, last = (
            (hit["file"], hit["start"], hit["end"])
            if "file" in hit
            else (hit["path"], hit.get("start_line", 1), hit.get("end_line", 1))
        )
        alias = f"[{hit['repoAlias']}] " if hit.get("repoAlias") else ""
        name = hit.get("qualified_name") or hit.get("name") or ""
        kind = hit.get("chunk_type", "")
        yield f"{alias}{path}:{_span(first, last)} {kind} {name}".rstrip()
        if content := hit.get("content"):
            begins = hit.get("content_start_line", first)
            yield from _lines(content, begins, first)


def _lines(text: str, begins: int, expected: int) -> Iterator[str]:
    """Yield lines as they stand, behind the number of the first where it is not as expected."""
    if begins != expected:
        yield f"  from {begins}:"
    yield from text.rstrip("\n").split("\n")


def _slate(document: _Object) -> Iterator[str]:
    slate = document["slate"]
    files = sum(len(section["files"]) for section in slate.get("sections", ()))
    yield f"{document.get('confidence', 'found')}, {files} files, level {slate.get('level', 1)}"
    for section in slate.get("sections", ()):
        yield f"## {section['kind']}"
        for file in section["files"]:
            yield from _file(file)
    graph = slate.get("graph", {})
    if edges := graph.get("edges"):
        yield "## graph"
        for source, group in groupby(edges, key=lambda edge: edge["from"]):
            yield source
            yield from (f"  {edge['kind']} {edge['to']}" for edge in group)
    if actions := slate.get("next_actions", ()):
        yield "## next"
        yield from (f"{one['action']} {one['target']}: {one['why']}" for one in actions)
    if session := document.get("session"):
        yield f"session {session['token']}"


def _file(file: _Object) -> Iterator[str]:
    alias = f"[{file['repo']}] " if "repo" in file else ""
    more = f" (+{file['more_evidence']} more places)" if "more_evidence" in file else ""
    name = f" {file['name']}" if "name" in file else ""
    begins = f":{file['line']}" if not file.keys() & {"evidence", "outline"} else ""
    yield f"{alias}{file['path']}{begins}{name}{more}"
    if "anchor" in file:
        yield from _piece(file["anchor"])
    shown = [(one["start_line"], one) for one in file.get("evidence", ())]
    named = [(int(one.partition("-")[0]), one) for one in file.get("outline", ())]
    for _, one in sorted([*shown, *named], key=lambda each: each[0]):
        yield from ([f" {one}"] if isinstance(one, str) else _piece(one))


def _piece(piece: _Object) -> Iterator[str]:
    within = piece.get("breadcrumb", ())[-1:]
    name = ".".join((*within, piece["name"])) if "name" in piece else ""
    twins = f" (the same in {', '.join(piece['also'])})" if "also" in piece else ""
    span = _span(piece["start_line"], piece["end_line"])
    yield f" {span} {piece['chunk_type']} {name}".rstrip() + twins
    begins = piece.get("snippet_start_line", piece["start_line"])
    yield from _lines(piece["snippet"], begins, piece["start_line"])


def _definitions(document: _Object) -> Iterator[str]:
    for found in document["definitions"]:
        line = found.get("line", 1)
        span = _span(found.get("start_line", line), found.get("end_line", line))
        name = found.get("qualified_name") or found["name"]
        yield f"{_path(found)}:{span} {found.get('kind', '')} {name}"
        if signature := found.get("signature"):
            yield f"  {signature}"
    if not document["definitions"]:
        near = ", ".join(document.get("suggestions", ()))
        yield f"nothing defines {document.get('name', '')}" + (
            f"; similar names: {near}" if near else ""
        )


def _references(document: _Object) -> Iterator[str]:
    """Yield usages by file, those in tests behind the others, and imports in one line each."""
    found = document["references"]
    yield f"{len(found)} mentions of {document.get('name', '')} in {document.get('files', 0)} files"
    used = [one for one in found if not _is_import(one)]
    for path, group in groupby(sorted(used, key=_standing), key=_path):
        first, *more = group
        test = " (test)" if traits_of(first["path"]) & TEST else ""
        yield f"{path}{test} {first.get('tie', '')}".rstrip()
        for one in (first, *more):
            inside = f"  in {one['container']}" if one.get("container") else ""
            yield f" {one['line']}: {one.get('content', '').strip()}{inside}"
    imports = [f"{_path(one)}:{one['line']}" for one in found if _is_import(one)]
    if imports:
        yield f"imported at {', '.join(imports)}"


def _is_import(mention: _Object) -> bool:
    return not mention.get("container") and bool(IMPORT.match(mention.get("content", "")))


def _standing(mention: _Object) -> tuple[bool, str, str, int]:
    path = mention["path"]
    return bool(traits_of(path) & TEST), path, mention.get("repoId", ""), mention["line"]


def _path(found: _Object) -> str:
    """Return a file as `expand` takes it: behind its repository where there are several."""
    repo = found.get("repoAlias") or found.get("repoId")
    return f"{repo}:{found['path']}" if repo else str(found["path"])


def _expansion(document: _Object) -> Iterator[str]:
    span = _span(document["start_line"], document["end_line"])
    inside = f" in {' > '.join(document['breadcrumb'])}" if document["breadcrumb"] else ""
    whole = f" of {document['file_lines']} lines"
    yield f"{_path(document)}:{span} {document['boundary']}{inside},{whole}"
    lines: Sequence[str] = document["content"].split("\n") if document["content"] else ()
    yield from (f"{number} {line}" for number, line in enumerate(lines, document["start_line"]))
    for one in document["neighbours"]:
        name = one.get("name") or one.get("signature") or ""
        yield f"{one['side']} {_span(one['start_line'], one['end_line'])} {name}".rstrip()


def _span(first: int, last: int) -> str:
    return f"{first}-{last}" if last != first else str(first)


def _without_ids(value: Json) -> Json:
    """Return a document without what is an id of 64 digits."""
    if isinstance(value, Mapping):
        return {key: _without_ids(each) for key, each in value.items() if not _is_id(each)}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_without_ids(each) for each in value if not _is_id(each)]
    return value


def _is_id(value: Json) -> bool:
    return isinstance(value, str) and bool(_ID.fullmatch(value))
