"""Hits as text: location, definition, matching lines, and the explanation of their order."""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from ggrep.model.confidence import CONFIDENCE_CODES, Confidence
from ggrep.model.index_freshness import incomplete_first
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.line_numbers import collapsed_blanks, line_range
from ggrep.model.request import ViewOptions
from ggrep.model.response import Admitted, Hit, QueryResponse
from ggrep.model.sanitise import first_of, sanitise, sanitise_line
from ggrep.render.limits_text import line_of
from ggrep.render.page import Spans, any_of, painted, plural
from ggrep.render.style import CUT, Style, cut

_BAR = "━"
_BAR_WIDTH = 24
_PARTS = (
    "text",
    "file",
    "path",
    "stem",
    "symbol",
    "location",
    "verbatim",
    "dense",
    "dense_file",
)
_FACTORS = ("prior", "passage", "further", "learned")
_EFFECT = "learned."
_RULES = {
    "best": "by the list's order",
    "quota": "by its bucket's quota",
    "fill": "by a slot that no bucket used",
}


def render_explanation(response: QueryResponse, style: Style) -> str:
    """Return the explanation of an answer as lines."""
    explanation = response.explanation
    if explanation is None:
        return ""
    confidence, admitted, origin = response.confidence, response.admitted, response.provenance
    scored = [f"{name} {number}" for name, number in explanation.candidate_mix.items() if number]
    shown = [f"{name} {number}" for name, number in explanation.returned_mix.items() if number]
    judged = ((name, f"{value:.2f}") for name, value in explanation.confidence.items())
    commit = (origin.git.head_sha or "") if origin.git else ""
    if commit and origin.git and origin.git.dirty:
        commit += " and changes"
    rows = [
        ("query", f"{explanation.kind}; {'; '.join(explanation.rules)}"),
        ("mode", response.request.mode.value),
        ("snapshot", _snapshot(origin.snapshot_id, explanation.segments)),
        ("commit", commit),
        ("terms", _figures((term.term, term.chunks) for term in explanation.terms)),
        ("quotas", _figures(explanation.quotas.items())),
        ("scored", f"{', '.join(scored)} chunks" if scored else "nothing"),
        ("shown", ", ".join(shown)),
        ("left out", _figures(explanation.cuts.items())),
        ("confidence", f"{confidence.value}: {_figures(judged)}"),
        ("weights", _figures((name, f"{value:g}") for name, value in explanation.weights.items())),
        ("admitted", _admission(admitted) if admitted else ""),
        ("time", ", ".join(f"{stage} {span} ms" for stage, span in response.timings_ms)),
    ]
    width = max(len(name) for name, _ in rows)
    return "".join(
        f"{style.paint('muted', f'{name:<{width}}')}  {sanitise_line(text)}\n"
        for name, text in rows
        if text
    )


def _snapshot(snapshot_id: str, segments: int) -> str:
    if not snapshot_id:
        return "none; the work tree was scanned"
    return f"{snapshot_id}, {plural(segments, 'segment')}"


def _admission(admitted: Admitted) -> str:
    how = f"after {admitted.waited_ms:.0f} ms" if admitted.queued else "at once"
    return f"{how}; {admitted.in_flight} running, {admitted.queue_depth} waiting"


def largest_part(hits: Sequence[Hit]) -> float:
    """Return the largest score component of all hits; 1 without components."""
    parts = [dict(hit.components).get(name, 0.0) for hit in hits for name in _PARTS]
    return max(parts, default=0.0) or 1.0


def component_bars(hit: Hit, largest: float, indent: str, style: Style) -> list[str]:
    """Return a bar for each component of a hit's score, and a line with further facts.

    The bar of a component with the value `largest` is full, so that hits can be compared. The line
    contains the factors of the score, and the rule by which the hit was chosen.
    """
    parts = dict(hit.components)
    lines = []
    for name in _PARTS:
        if value := parts.get(name, 0.0):
            bar = _BAR * max(1, round(_BAR_WIDTH * value / largest))
            lines.append(f"{indent}{name:<8} {value:7.4f} {style.paint('good', bar)}")
    factors = " ".join(f"x {parts[name]:g} {name}" for name in _FACTORS if name in parts)
    why = f"chosen {_RULES[hit.rule]}" if hit.rule else ""
    moved = " ".join(
        f"{name.removeprefix(_EFFECT)} {value:+g}"
        for name, value in hit.components
        if name.startswith(_EFFECT)
    )
    tail = ", ".join(part for part in (factors, moved and f"learned by {moved}", why) if part)
    return [*lines, f"{indent}{style.paint('muted', tail)}"] if tail else lines


def _figures(pairs: Iterable[tuple[str, object]]) -> str:
    return ", ".join(f"{name} {value}" for name, value in pairs)


_NAME_COLUMNS = 120
_LEAST_ROOM = 20
_ALSO_NAMED = 3


class ShownHit(Struct, frozen=True):
    """A hit, and its path in the form that the user would type.

    Attributes:
        repo: alias of the repository in a workspace; empty without a workspace.
        also: names of other repositories that contain the same text.
    """

    hit: Hit
    place: str
    repo: str = ""
    score: float | None = None
    also: tuple[str, ...] = ()


def highlighted_words(query: str) -> tuple[str, ...]:
    """Return the words of a query to highlight in hits."""
    return tuple(word for word in query.split() if len(word) > 2 or not word.isascii())


def render_hits(
    shown: Sequence[ShownHit], view: ViewOptions, style: Style, words: Sequence[str] = ()
) -> str:
    """Return the hits as text with a newline at the end; empty without hits."""
    if view.compact:
        places = dict.fromkeys(_place(item) for item in shown)
        return "".join(f"{sanitise_line(place)}\n" for place in places)
    width = len(str(len(shown)))
    largest = largest_part([item.hit for item in shown]) if view.explain else 1.0
    blocks = [
        _block(f"{number:>{width}}.", item, view, style, words, largest)
        for number, item in enumerate(shown, 1)
    ]
    roomy = any(block.count("\n") > 1 for block in blocks)
    return ("\n" if roomy else "").join(blocks)


def render_notes(limits: Sequence[LimitHit], notices: Sequence[Notice], style: Style) -> str:
    """Return a line for each notice and a line for all limits, without those about confidence."""
    lines = [
        f"warning: {notice.message}" for notice in notices if notice.code not in CONFIDENCE_CODES
    ]
    if cuts := line_of(limit for limit in limits if limit.code not in CONFIDENCE_CODES):
        lines.append(cuts)
    return "".join(style.paint("warning", sanitise_line(line)) + "\n" for line in lines)


def split_notes(
    limits: Sequence[LimitHit], notices: Sequence[Notice], style: Style
) -> tuple[str, str]:
    """Return the lines before and after an answer; see `render_notes`.

    Warnings about an incomplete index come before the answer.
    """
    first, others = incomplete_first(notices)
    return render_notes((), first, style), render_notes(limits, others, style)


def render_confidence(
    confidence: Confidence, shown: int, limits: Sequence[LimitHit], style: Style
) -> str:
    """Return a line about low confidence or missing hits; empty for a confident answer."""
    cut = next((limit for limit in limits if limit.code == "low_confidence"), None)
    left = 0 if cut is None else (cut.observed or 0) - cut.limit
    hidden = "1 weaker hit is" if left == 1 else f"{left} weaker hits are"
    more = f"; {hidden} hidden; --keep-weak shows all" if left else ""
    if not shown:
        return style.paint("warning", f"no strong matches{more}") + "\n" if left else "no hits\n"
    match confidence:
        case Confidence.STRONG:
            return ""
        case Confidence.WEAK:
            return style.paint("warning", f"low confidence: probably no good match{more}") + "\n"
        case Confidence.NONE:
            return style.paint("warning", f"no strong match{more}") + "\n"


def best_line(lines: list[str], query: str, name: str) -> tuple[int, int]:
    """Return the index of the line that best represents a hit, and the offset in that line."""
    for text, flags in ((query.strip(), re.IGNORECASE), (name, re.NOFLAG)):
        pattern = re.compile(re.escape(text), flags)
        for at, line in enumerate(lines if text else ()):
            if match := pattern.search(line):
                return at, match.start()
    return 0, 0


def _place(item: ShownHit) -> str:
    return f"{item.repo}/{item.place}" if item.repo else item.place


def _block(
    number: str,
    item: ShownHit,
    view: ViewOptions,
    style: Style,
    words: Sequence[str],
    largest: float,
) -> str:
    hit, indent = item.hit, " " * (len(number) + 2)
    whole = hit.definition
    around = f" in {line_range(whole.start_line, whole.end_line)}" if whole else ""
    lines_of = f":{line_range(hit.start_line, hit.end_line)}{around}"
    shown = style.paint("path", sanitise_line(item.place)) + style.paint("line", lines_of)
    head = [
        style.paint("number", number),
        style.paint("repo", f"[{sanitise_line(item.repo)}]") if item.repo else "",
        shown if item.repo else style.link(shown, item.place, hit.start_line),
        definition_text(hit, style),
    ]
    if view.scores:
        score = hit.score if item.score is None else item.score
        head.append(style.paint("muted", f"score {score:.4f}"))
    if hit.encoding:
        head.append(style.paint("muted", hit.encoding))
    if item.also:
        head.append(
            style.paint("muted", sanitise_line(f"also in {first_of(item.also, _ALSO_NAMED)}"))
        )
    lines = ["  ".join(part for part in head if part)]
    if view.explain:
        lines += component_bars(hit, largest, indent, style)
    lines += _snippet(hit, view.line_columns, style, words, indent)
    return "\n".join(lines) + "\n"


def definition_text(hit: Hit, style: Style) -> str:
    """Return the coloured kind of a hit, with its name or its enclosing definitions."""
    kind = style.paint("kind", hit.chunk_type)
    if hit.name:
        name = cut(sanitise_line(hit.qualified_name or hit.name), _NAME_COLUMNS)
        return f"{kind} {style.paint('name', name)}"
    if hit.breadcrumb:
        inside = cut(sanitise_line("in " + " > ".join(hit.breadcrumb)), _NAME_COLUMNS)
        return f"{kind} {style.paint('muted', inside)}"
    return kind


def _snippet(hit: Hit, columns: int, style: Style, words: Sequence[str], indent: str) -> list[str]:
    if not hit.content:
        return []
    lines = sanitise(hit.content).split("\n")
    gutter = len(str(hit.content_start_line + len(lines)))
    room = max(columns - len(indent) - gutter - len(" │ "), _LEAST_ROOM) if columns else 0
    rows = list(collapsed_blanks(lines, hit.content_start_line))
    fitting = [_fit(line.expandtabs(4), words, room) for _, line in rows]
    spans = (_asked(line, words) for line in fitting)
    shown = [
        indent + style.paint("gutter", f"{number:>{gutter}} │ ") + line
        for (number, _), line in zip(rows, painted(fitting, hit.path, style, spans), strict=True)
    ]
    if hit.hidden_lines:
        more = f"(+{hit.hidden_lines} more lines)"
        shown.append(indent + " " * gutter + style.paint("gutter", " │ " + more))
    return [line.rstrip() for line in shown]


def _fit(line: str, words: Sequence[str], room: int) -> str:
    """Return the part of a line that fits into `room`, with an ellipsis at each cut end.

    The part starts at the beginning of the line, unless the first query word would not fit.
    """
    if not room or len(line) <= room:
        return line
    match = any_of(words, re.IGNORECASE).search(line) if words else None
    if match is None or match.end() < room:
        return cut(line, room)
    start = match.start() - room // 4
    return CUT + cut(line[start:], room - len(CUT))


def _asked(line: str, words: Sequence[str]) -> Spans:
    return [match.span() for match in any_of(words, re.IGNORECASE).finditer(line)] if words else []
