"""Files of known text in old encodings, made from sentences in many languages."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

_SENTENCES: Final = Path(__file__).with_name("sentences.toml")
_CODE: Final = "int add(int a, int b) {\n    return a + b;\n}\n"


class EncodedFile(Struct, frozen=True):
    """A file as it would lie on disk, and the text that it holds."""

    language: str
    encoding: str
    shape: str
    text: str

    @property
    def data(self) -> bytes:
        """Return its bytes."""
        return self.text.encode(self.encoding)


def encoded_files() -> Iterator[EncodedFile]:
    """Yield a comment in code, a string in code, a page of code and a page of prose for each pair.

    Pairs are a language and an encoding that its people used; sentences rotate over the shapes.
    """
    languages: dict[str, Any] = tomllib.loads(_SENTENCES.read_text("utf-8"))
    turn = 0
    for language, entry in languages.items():
        for encoding in entry["encodings"]:
            known = [line for line in entry["sentences"] if _is_known(line, encoding)]
            first, second, third = (known[(turn + at) % len(known)] for at in range(3))
            turn += 1
            shapes = {
                "comment": f"{_CODE}// {first}\n{_CODE}",
                "string": f'{_CODE}puts("{second}");\nputs("{third}");\n',
                "code": "".join(f"# {line}\nprint(add(1, 2))\n" for line in known),
                "prose": "\n\n".join(" ".join(known[at:] + known[:at]) for at in range(3)),
            }
            for shape, text in shapes.items():
                yield EncodedFile(language, encoding, shape, text)


def _is_known(line: str, encoding: str) -> bool:
    try:
        data = line.encode(encoding)
    except UnicodeEncodeError:
        return False
    return not line.isascii() and bool(data)
