"""Where the next page of an answer begins: of which question, which snapshots, behind what.

Nothing is kept for it: whoever is asked to go on reads all that is needed from the token. A token
grants nothing; what it says is checked like any other field of a request.
"""

import base64
import binascii
import hashlib
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import asdict

from ggrep.base import stable_json
from ggrep.base.decode import DecodeError, decode
from ggrep.base.errors import InvalidRequest
from ggrep.base.stable_json import Json
from ggrep.model.name_pools import MOST_CONSUMED, NameStep
from ggrep.model.navigation import MOST_TOKEN_BYTES

_VERSION: Final = 1
_DIGEST_DIGITS: Final = 32

Token: TypeAlias = str


class Consumed(Struct, frozen=True):
    """How far the pages before have come in one repository.

    Attributes:
        repo: its id; empty where one alone was asked.
        places: those that were shown.
    """

    repo: str
    snapshot_id: str
    places: int


class PageCursor(Struct, frozen=True):
    """Where a page begins.

    Attributes:
        question: digest of what is asked, but for the number of places on a page.
        step: the rule by which the name was matched.
        consumed: by repository id, each once.
    """

    question: str
    step: NameStep
    consumed: tuple[Consumed, ...]
    version: int = _VERSION

    def of(self, repo: str) -> Consumed | None:
        """Return how far the pages before have come in a repository; None if it had no part."""
        return next((one for one in self.consumed if one.repo == repo), None)


def question_digest(*parts: Json) -> str:
    """Return the identity of a question."""
    return hashlib.sha256(stable_json.dumps(list(parts))).hexdigest()[:_DIGEST_DIGITS]


def token_of(cursor: PageCursor) -> Token:
    """Return the token that `read_token` reads; letters, digits, hyphens and underscores."""
    return base64.urlsafe_b64encode(stable_json.dumps(asdict(cursor))).decode().rstrip("=")


def read_token(token: Token, question: str) -> PageCursor:
    """Return what a token says.

    Raises:
        InvalidRequest: it is none, or belongs to another question.
    """
    if len(token) > MOST_TOKEN_BYTES:
        raise InvalidRequest(f"cursor: longer than {MOST_TOKEN_BYTES} bytes")
    try:
        padded = token.encode("ascii") + b"=" * (-len(token) % 4)
        found = stable_json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        cursor = decode(PageCursor, found, "cursor")
    except (DecodeError, ValueError, binascii.Error, OverflowError) as error:
        raise InvalidRequest("cursor: this is no token of an earlier answer") from error
    repos = [one.repo for one in cursor.consumed]
    fits = all(0 <= one.places <= MOST_CONSUMED for one in cursor.consumed)
    if cursor.version != _VERSION or not fits or repos != sorted(set(repos)):
        raise InvalidRequest("cursor: this is no token of an earlier answer")
    if cursor.question != question:
        raise InvalidRequest("cursor: it goes on with another question; ask this one without it")
    return cursor
