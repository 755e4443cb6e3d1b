"""What an installation's parts are, and through what they come."""

from importlib.metadata import Distribution, distributions
from pathlib import Path

from bench.installed import alone, beside_row, parts_of, table

ASKED = {
    "ggrep": ("numpy>=1", "mcp>=2", "rich; extra == 'pretty'"),
    "mcp": ("PyJWT[crypto]>=2", "numpy"),
    "pyjwt": ("typing_extensions", "cryptography; extra == 'crypto'", "sphinx; extra == 'docs'"),
    "cryptography": (),
    "numpy": (),
    "typing-extensions": (),
    "rich": (),
    "sphinx": (),
}


def installed(site: Path) -> list[Distribution]:
    """Return distributions of 2 MB and a file of bytecode each."""
    for name, asked in ASKED.items():
        about = site / f"{name.replace('-', '_')}-1.0.dist-info"
        about.mkdir(parents=True)
        lines = "".join(f"Requires-Dist: {each}\n" for each in asked)
        (about / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{lines}"
        )
        (site / f"{name}.py").write_bytes(b"#" * 2_000_000)
        (site / f"{name}.pyc").write_bytes(b"0" * 100_000)
        (about / "RECORD").write_text(f"{name}.py,,\n{name}.pyc,,\n")
    return list(distributions(path=[str(site)]))


def test_a_part_is_told_with_what_brings_it(tmp_path: Path) -> None:
    """Through extras too, but only through those that somebody asks for."""
    through = {part.name: part.through for part in parts_of(installed(tmp_path))}

    assert through == {
        "ggrep": (),
        "mcp": ("mcp",),
        "pyjwt": ("mcp",),
        "cryptography": ("mcp",),
        "typing-extensions": ("mcp",),
        "numpy": ("mcp", "numpy"),
        "rich": (),
        "sphinx": (),
    }


def test_bytecode_is_told_beside_what_was_unpacked(tmp_path: Path) -> None:
    """An installer compiles or does not; what packages weigh is the same."""
    parts = parts_of(installed(tmp_path))

    *_, whole, rest = table(parts)
    assert whole == "| together | 16.0 | 8 | 0.8 |  |"
    assert rest.endswith("| 14.0 | 7 | 0.7 | goal 60 MB |")


def test_what_would_go_with_a_requirement_is_told(tmp_path: Path) -> None:
    """What another requirement brings as well would stay."""
    *_, row = alone(parts_of(installed(tmp_path)))

    assert row == "| mcp | 8.0 | 4 | 0.4 | 4 |"


def test_of_a_program_beside_all_files_count(tmp_path: Path) -> None:
    """Links do not: what they lead to is counted where it lies, or is not of the program."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "program").write_bytes(b"#" * 3_000_000)
    (tmp_path / "program.pyc").write_bytes(b"0" * 200_000)
    (tmp_path / "bin" / "program").symlink_to("../program")

    assert beside_row("it", tmp_path) == "| it | 3.0 | 1 | 0.2 | 3.2 |"
