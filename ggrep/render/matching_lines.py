"""Hits of exact text: matching lines by file, in the format of ripgrep.

Example:
src/checkout.py
7-class Checkout:
8:    def charge_card(self, card):
--
20:        return charge_card(card)
"""

from collections.abc import Sequence

from ggrep.model.limits import LimitHit
from ggrep.model.request import SearchRequest
from ggrep.model.response import HitLine, MatchTotals
from ggrep.model.sanitise import sanitise_line
from ggrep.render.hits import ShownHit
from ggrep.render.page import painted, plural
from ggrep.render.style import CUT, Style

_TAB: int = 4
_LEAST_ROOM = 20
_MORE_HITS = 100
CUT_CODES = frozenset({"max_results", "max_per_file"})
"""Codes of limits that the line with the counts already covers."""


def render_lines(shown: Sequence[ShownHit], columns: int, style: Style) -> str:
    """Return the matching lines of hits as text with a final newline; empty without hits.

    Files are in the order of their first hits, and each line appears once.
    """
    files: dict[tuple[str, str], dict[int, HitLine]] = {}
    keys: dict[tuple[str, str], str] = {}
    for item in shown:
        lines = files.setdefault((item.repo, item.place), {})
        keys[item.repo, item.place] = item.hit.path
        for line in item.hit.lines:
            if line.columns or line.line not in lines:
                lines[line.line] = line
    blocks = []
    for (repo, place), lines in files.items():
        ordered = [lines[number] for number in sorted(lines)]
        first = next((line.line for line in ordered if line.columns), 1)
        heading = style.paint("path", sanitise_line(place))
        heading = style.link(heading, place, first) if not repo else heading
        label = style.paint("repo", f"[{sanitise_line(repo)}]") + " " if repo else ""
        body = _lines(ordered, keys[repo, place], columns, style)
        blocks.append("".join(f"{line}\n" for line in (label + heading, *body)))
    return "\n".join(blocks)


def render_listing(totals: Sequence[tuple[str, str, int]], style: Style, *, counts: bool) -> str:
    """Return a line for each matching file; with `counts`, also the number of matching lines.

    An entry of `totals` contains the repository (or an empty string), the path in the form that the
    user would type, and the number of matching lines.
    """
    return "".join(
        style.paint("path", sanitise_line(f"{repo}/{place}" if repo else place))
        + (f":{lines}" if counts else "")
        + "\n"
        for repo, place, lines in totals
    )


def render_counts(
    totals: MatchTotals,
    shown: Sequence[ShownHit],
    request: SearchRequest,
    limits: Sequence[LimitHit],
    style: Style,
) -> str:
    """Return a line with the counts of matches and shown lines, and the flag that shows more."""
    if not totals.lines:
        return ""
    lines = {
        (item.repo, item.place, line.line)
        for item in shown
        for line in item.hit.lines
        if line.columns
    }
    left = totals.lines - len(lines)
    counts = f"{plural(totals.lines, 'line')} in {plural(totals.files, 'file')}"
    if left > 0 and not request.list_files:
        files = totals.files - len({line[:2] for line in lines})
        counts += f"; {left:,} more {'line' if left == 1 else 'lines'}"
        counts += f", {plural(files, 'more file')}" if files else ""
        codes = {limit.code for limit in limits}
        if "max_results" in codes:
            counts += f"; -m {max(_MORE_HITS, 10 * request.limit)} shows more"
        elif "max_per_file" in codes:
            counts += "; --per-file 0 shows more"
    return style.paint("muted", counts) + "\n"


def _lines(lines: Sequence[HitLine], path: str, columns: int, style: Style) -> list[str]:
    """Return numbered lines, with `:` after the number of a match and `-` after other numbers."""
    room = max(columns - len(f"{lines[-1].line}:"), _LEAST_ROOM) if columns and lines else 0
    fitting = [_fit(line, room) for line in lines]
    texts = painted([text for text, _ in fitting], path, style, [marks for _, marks in fitting])
    shown: list[str] = []
    before = lines[0].line if lines else 0
    has_context = not all(line.columns for line in lines)
    for line, text in zip(lines, texts, strict=True):
        if has_context and line.line > before + 1:
            shown.append(style.paint("gutter", "--"))
        mark = ":" if line.columns else "-"
        number = style.paint("line" if line.columns else "gutter", f"{line.line}")
        shown.append(number + style.paint("gutter", mark) + text)
        before = line.line
    return shown


def _fit(line: HitLine, room: int) -> tuple[str, list[tuple[int, int]]]:
    """Return the part of a line that fits into `room`, with tabs expanded, and its matches."""
    text, places = "", []
    for character in line.text:
        places.append(len(text))
        text += " " * (_TAB - len(text) % _TAB) if character == "\t" else character
    places.append(len(text))
    marks = [(places[start], places[end]) for start, end in line.marks]
    if not room or len(text) <= room:
        return text, marks
    start = 0
    if marks and marks[0][1] >= room:
        start = max(min(marks[0][0] - room // 4, len(text) - room + len(CUT)), 0)
    left = CUT if start else ""
    end = start + room - len(left)
    right = CUT if end < len(text) else ""
    end -= len(right)
    moved = [
        (max(first, start) - start + len(left), min(last, end) - start + len(left))
        for first, last in marks
        if first < end and last > start
    ]
    return left + text[start:end] + right, moved
