"""Several answers of one command: each under its own head, nothing shown twice.

Of a definition, a line or a text that an answer above shows, later answers say the place alone.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import GgrepError
from ggrep.base.formats import ANSWERS_SCHEMA
from ggrep.model.navigation import ExpandResponse, ReferencesResponse, SymbolResponse
from ggrep.model.request import ViewOptions
from ggrep.model.sanitise import sanitise_line
from ggrep.render.agent_hits import AlreadyShown
from ggrep.render.agent_text import AgentView, agent_text
from ggrep.render.answer_json import expand_success, references_success, symbol_success
from ggrep.render.failures import error_lines, query_error
from ggrep.render.printed import Rendered, json_line
from ggrep.render.slate_answer import render_expansion, render_references, render_symbol
from ggrep.render.style import Style

if TYPE_CHECKING:
    from ggrep.model.schemas.answers import AnswersJson, ExpandJson, ReferencesJson, SymbolJson
    from ggrep.model.schemas.failure import FailureJson

Followed: TypeAlias = SymbolResponse | ReferencesResponse | ExpandResponse

_NAMED: Final = 6
"""Lines that stand above which are named by their places."""


class Named(Struct, frozen=True):
    """What was asked for, as it was typed, and its answer or why there is none."""

    asked: str
    answer: Followed | GgrepError


def answers_success(answers: Sequence[Followed | GgrepError]) -> "AnswersJson":
    """Return several answers as one JSON object, in the order of the questions."""
    return {"schema_version": ANSWERS_SCHEMA, "answers": list(map(document_of, answers))}


def document_of(
    answer: Followed | GgrepError,
) -> "SymbolJson | ReferencesJson | ExpandJson | FailureJson":
    """Return one answer, or why there is none, as its JSON object."""
    match answer:
        case SymbolResponse():
            return symbol_success(answer)
        case ReferencesResponse():
            return references_success(answer)
        case ExpandResponse():
            return expand_success(answer)
        case GgrepError():
            return query_error(answer)


def render_named(named: Sequence[Named], root: Path, view: ViewOptions) -> Rendered:
    """Return answers as the view wants them; the only one as it is printed alone.

    Requires: of a single question there is an answer.
    """
    if len(named) == 1 and not isinstance(named[0].answer, GgrepError):
        return _one(named[0].answer, root, view)
    failed = [one.answer for one in named if isinstance(one.answer, GgrepError)]
    status, hits = (
        failed[0].exit_status if failed else 0,
        sum(found_in(one.answer) for one in named),
    )
    if view.json:
        out = json_line(answers_success([one.answer for one in named]))
        return Rendered(out, "", status, hits=hits)
    above, style, parts, notes = AlreadyShown(), Style(view.colour), list[str](), list[str]()
    first = dict[str, None]()
    for one in named:
        asked = sanitise_line(one.asked)
        if isinstance(one.answer, GgrepError):
            mark = Style(view.notes_colour).paint("bad", "error: ")
            lines = map(sanitise_line, error_lines(one.answer))
            notes += [f"{mark}{asked}: {line}\n" for line in lines]
            continue
        rest, told = fresh(one.answer, above)
        rendered = Rendered("", "") if rest is None else _one(rest, root, view)
        if rendered.out or told:
            said = "".join(f"{style.paint('muted', sanitise_line(line))}\n" for line in told)
            parts.append(f"{style.paint('name', f'## {asked}')}\n{rendered.out}{said}")
        notes.append(rendered.err)
        first[rendered.before] = None
    return Rendered("\n".join(parts), "".join(notes), status, hits=hits, before="".join(first))


def render_for_agent(named: Sequence[Named], view: AgentView) -> Rendered:
    """Return answers as text for agents."""
    failed = [one.answer for one in named if isinstance(one.answer, GgrepError)]
    documents = [document_of(one.answer) for one in named]
    document = documents[0] if len(documents) == 1 else {"answers": documents}
    text = agent_text(document, view, asked=[one.asked for one in named])
    status, hits = (
        failed[0].exit_status if failed else 0,
        sum(found_in(one.answer) for one in named),
    )
    return Rendered(f"{text}\n", "", status, hits=hits)


def fresh(answer: Followed, above: AlreadyShown) -> tuple[Followed | None, tuple[str, ...]]:
    """Return what of an answer is new, None for nothing, and lines that name the rest."""
    match answer:
        case SymbolResponse():
            old = above.repeated([(one.path, one.line) for one in answer.definitions])
            kept = [one for one in answer.definitions if (one.path, one.line) not in old]
            told = tuple(
                f"above: {one.path}:{one.line} {one.qualified_name}"
                for one in answer.definitions
                if (one.path, one.line) in old
            )
            return _unless(old and not kept, replace(answer, definitions=tuple(kept))), told
        case ReferencesResponse():
            old = above.repeated([(one.path, one.line) for one in answer.references])
            rows = [one for one in answer.references if (one.path, one.line) not in old]
            places = [f"{path}:{line}" for path, line in sorted(old)]
            more = f" and {len(old) - _NAMED} more" if len(old) > _NAMED else ""
            said = (f"above: {', '.join(places[:_NAMED])}{more}",) if old else ()
            return _unless(old and not rows, replace(answer, references=tuple(rows))), said
        case ExpandResponse():
            if not answer.content or not above.covers(
                answer.path, answer.start_line, answer.end_line
            ):
                return answer, ()
            inside = f" {'.'.join(answer.breadcrumb)}".rstrip()
            return None, (f"above: {answer.path}:{answer.start_line}-{answer.end_line}{inside}",)


def _unless(repeats: object, rest: Followed) -> Followed | None:
    return None if repeats else rest


def _one(answer: Followed, root: Path, view: ViewOptions) -> Rendered:
    match answer:
        case SymbolResponse():
            return render_symbol(answer, root, view)
        case ReferencesResponse():
            return render_references(answer, root, view)
        case ExpandResponse():
            return render_expansion(answer, root, view)


def found_in(answer: Followed | GgrepError) -> int:
    """Return how many definitions or mentions an answer holds."""
    match answer:
        case SymbolResponse():
            return len(answer.definitions)
        case ReferencesResponse():
            return len(answer.references)
        case ExpandResponse():
            return 1
        case GgrepError():
            return 0
