"""Explains an answer: a header for the query, a small bar chart for each hit."""

from collections.abc import Iterable, Sequence

from ggrep.model.hit import Hit
from ggrep.model.response import Admitted, GitState, QueryResponse
from ggrep.model.sanitise import sanitise_line
from ggrep.render.page import plural
from ggrep.render.style import Style

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
_FACTORS = ("prior", "further", "learned")
_EFFECT = "learned."
_RULES = {
    "best": "by the list's order",
    "quota": "by its bucket's quota",
    "fill": "by a place that no bucket used",
}


def render_explanation(response: QueryResponse, style: Style) -> str:
    """Return what was understood, found and left out, and where and when, a line each."""
    explanation = response.explanation
    if explanation is None:
        return ""
    confidence, admitted, origin = response.confidence, response.admitted, response.provenance
    scored = [f"{name} {number}" for name, number in explanation.candidate_mix.items() if number]
    shown = [f"{name} {number}" for name, number in explanation.returned_mix.items() if number]
    judged = ((name, f"{value:.2f}") for name, value in explanation.confidence.items())
    rows = [
        ("query", f"{explanation.kind}; {'; '.join(explanation.rules)}"),
        ("mode", response.request.mode.value),
        ("snapshot", _snapshot(origin.snapshot_id, explanation.segments)),
        ("commit", _commit(origin.git)),
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


def _commit(git: GitState | None) -> str:
    if git is None or git.head_sha is None:
        return ""
    return git.head_sha + (" and changes" if git.dirty else "")


def _admission(admitted: Admitted) -> str:
    how = f"after {admitted.waited_ms:.0f} ms" if admitted.queued else "at once"
    return f"{how}; {admitted.in_flight} at work, {admitted.queue_depth} waiting"


def largest_part(hits: Sequence[Hit]) -> float:
    """Return the largest component of any of the hits, which fills a bar; 1 without any."""
    found = [dict(hit.components).get(name, 0.0) for hit in hits for name in _PARTS]
    return max(found, default=0.0) or 1.0


def component_bars(hit: Hit, largest: float, indent: str, style: Style) -> list[str]:
    """Return one bar for each part of the score that is not zero, then the factors and the rule.

    Args:
        hit: explained, else there is nothing to show.
        largest: what fills a bar, so that hits can be compared.
        indent: in front of each line.
        style: how bars are painted.
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
