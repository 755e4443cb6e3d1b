"""Our block between markers at the end of a text."""

from ggrep.interfaces.agents.pieces import NAME, Found, Refused, Splice, marker, newline_of


def find_block(text: str, start: str, end: str = "") -> Found | None:
    """Return the marked block, its indentation taken off.

    Args:
        text: to look through.
        start: what a marker begins with.
        end: what a marker ends with.

    Raises:
        Refused: the markers do not pair.
    """
    first, last = marker(start, is_end=False, end=end), marker(start, is_end=True, end=end)
    lines = text.splitlines(keepends=True)
    begins = [i for i, line in enumerate(lines) if line.strip() == first]
    ends = [i for i, line in enumerate(lines) if line.strip() == last]
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or ends[0] < begins[0]:
        raise Refused(f"its markers of {NAME} do not pair")
    inner = lines[begins[0] : ends[0] + 1]
    at = sum(map(len, lines[: begins[0]]))
    indent = inner[0].partition(first)[0]
    bare = [line.removeprefix(indent).rstrip("\r\n") for line in inner]
    size = sum(map(len, inner))
    return Found(at, at + size, "".join(f"{line}\n" for line in bare))


def append(text: str, block: str) -> Splice:
    """Return the change that adds our block at the end, behind an empty line."""
    newline = newline_of(text)
    before = ""
    if text:
        before = "" if text.endswith("\n") else newline
        is_apart = text.endswith(("\n\n", "\r\n\r\n")) or not text.strip()
        before += "" if is_apart else newline
    return Splice(len(text), "", before + block.replace("\n", newline))


def remove(text: str, found: Found) -> Splice:
    """Return the change that takes our block out, and the empty line before it at the end."""
    start, newline = found.start, newline_of(text)
    if found.end == len(text) and text[:start].endswith(newline * 2):
        start -= len(newline)
    return Splice(start, text[start : found.end], "")
