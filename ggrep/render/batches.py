"""Renders several answers of a command, each below a head, without repeated lines.

If an earlier answer shows a definition, line or text, later answers only name its location.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import GgrepError
from ggrep.model.navigation import ExpandResponse, ReferencesResponse, SymbolResponse
from ggrep.model.request import ViewOptions
from ggrep.model.sanitise import first_of, sanitise_line
from ggrep.model.slate import SlateResponse
from ggrep.render.agent_hits import AlreadyShown
from ggrep.render.agent_text import AgentView, agent_text
from ggrep.render.answer_json import NameAnswer, answer_json, answers_json
from ggrep.render.failures import error_lines
from ggrep.render.printed import Rendered, hits_of, json_line, render_name_answer
from ggrep.render.style import Style

_NAMED: Final = 6
"""Maximum number of already shown lines that are named by location."""


class Named(Struct, frozen=True):
    """A query as the user typed it, and its answer or error."""

    asked: str
    answer: NameAnswer | GgrepError


def render_named(named: Sequence[Named], root: Path, view: ViewOptions) -> Rendered:
    """Return answers rendered for the view; a single answer has no head.

    Requires: a single answer is not an error.
    """
    if len(named) == 1 and not isinstance(named[0].answer, GgrepError):
        return render_name_answer(named[0].answer, root, view)
    status, hits = _status_and_hits(named)
    if view.json:
        out = json_line(answers_json([each.answer for each in named]))
        return Rendered(out, "", status, hits=hits)
    shown_before, style, parts, notes = AlreadyShown(), Style(view.colour), list[str](), list[str]()
    first = dict[str, None]()
    for each in named:
        asked = sanitise_line(each.asked)
        if isinstance(each.answer, GgrepError):
            mark = Style(view.notes_colour).paint("bad", "error: ")
            lines = map(sanitise_line, error_lines(each.answer))
            notes += [f"{mark}{asked}: {line}\n" for line in lines]
            continue
        rest, earlier = fresh(each.answer, shown_before)
        rendered = Rendered("", "") if rest is None else render_name_answer(rest, root, view)
        if rendered.out or earlier:
            tail = "".join(f"{style.paint('muted', sanitise_line(line))}\n" for line in earlier)
            parts.append(f"{style.paint('name', f'## {asked}')}\n{rendered.out}{tail}")
        notes.append(rendered.err)
        first[rendered.before] = None
    return Rendered("\n".join(parts), "".join(notes), status, hits=hits, before="".join(first))


def render_slate_for_agent(response: SlateResponse) -> Rendered:
    """Return a slate as text for agents, within the slate's budget."""
    files = sum(len(packs) for _, packs in response.slate.sections)
    return Rendered(agent_text(answer_json(response)) + "\n", "", hits=files)


def render_for_agent(named: Sequence[Named], view: AgentView) -> Rendered:
    """Return answers as text for agents."""
    documents = [answer_json(each.answer) for each in named]
    document = documents[0] if len(documents) == 1 else {"answers": documents}
    text = agent_text(document, view, asked=[each.asked for each in named])
    status, hits = _status_and_hits(named)
    return Rendered(f"{text}\n", "", status, hits=hits)


def _status_and_hits(named: Sequence[Named]) -> tuple[int, int]:
    failed = (each.answer.exit_status for each in named if isinstance(each.answer, GgrepError))
    return next(failed, 0), sum(hits_of(each.answer) for each in named)


def fresh(
    answer: NameAnswer, shown_before: AlreadyShown
) -> tuple[NameAnswer | None, tuple[str, ...]]:
    """Return the new part of an answer (None if empty), and lines about the part shown before."""
    match answer:
        case SymbolResponse():
            old = shown_before.repeated([(entry.path, entry.line) for entry in answer.definitions])
            kept = [entry for entry in answer.definitions if (entry.path, entry.line) not in old]
            earlier = tuple(
                f"above: {entry.path}:{entry.line} {entry.qualified_name}"
                for entry in answer.definitions
                if (entry.path, entry.line) in old
            )
            return None if old and not kept else replace(answer, definitions=tuple(kept)), earlier
        case ReferencesResponse():
            old = shown_before.repeated([(entry.path, entry.line) for entry in answer.references])
            rows = [entry for entry in answer.references if (entry.path, entry.line) not in old]
            places = [f"{path}:{line}" for path, line in sorted(old)]
            earlier = (f"above: {first_of(places, _NAMED)}",) if old else ()
            return None if old and not rows else replace(answer, references=tuple(rows)), earlier
        case ExpandResponse():
            if not answer.content or not shown_before.covers(
                answer.path, answer.start_line, answer.end_line
            ):
                return answer, ()
            inside = f" {'.'.join(answer.breadcrumb)}".rstrip()
            return None, (f"above: {answer.path}:{answer.start_line}-{answer.end_line}{inside}",)
