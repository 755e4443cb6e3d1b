"""How much memory the maps of a file take in this process."""

from pathlib import Path


def resident_bytes(file: Path) -> int:
    """Return what of a file's maps lies in memory, as the kernel counts it."""
    result, counted = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        name, _, rest = line.partition(":")
        if "-" in name.split(" ")[0]:
            counted = line.endswith(f" {file}")
        elif counted and name == "Rss":
            result += 1024 * int(rest.split()[0])
    return result
