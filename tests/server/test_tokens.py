"""Only tokens of the provider, for this server, in their time and with a known key are accepted."""

import base64
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import jwt
import pytest

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.server.access import Identity
from ggrep.server.tokens import Tokens, Unauthorised
from tests.fakes.clocks import ManualClock
from tests.fakes.issuer import AUDIENCE, Issuer, running_issuer


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with running_issuer() as made:
        yield made


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime.now(UTC))


@pytest.fixture
def tokens(issuer: Issuer, clock: ManualClock) -> Tokens:
    return Tokens(issuer.url, AUDIENCE, clock)


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(stable_json.dumps(value)).rstrip(b"=").decode()


def _unsigned(issuer: Issuer) -> str:
    claims = {
        "iss": issuer.issuer,
        "aud": AUDIENCE,
        "exp": time.time() + 600,
        "email": "a@b",
        "email_verified": True,
    }
    return f"{_part({'alg': 'none', 'kid': 'first'})}.{_part(claims)}."


def _with_public_key_as_secret(issuer: Issuer) -> str:
    claims = {
        "iss": issuer.issuer,
        "aud": AUDIENCE,
        "exp": time.time() + 600,
        "email": "a@b",
        "email_verified": True,
    }
    secret = issuer.document("/keys")["keys"][0]["x"]
    return jwt.encode(claims, secret, algorithm="HS256", headers={"kid": "first"})


def _of_another_provider(issuer: Issuer) -> str:
    other = Issuer(issuer.url)
    return other.token()


WRONG: dict[str, Callable[[Issuer], str]] = {
    "nothing": lambda _: "",
    "no token": lambda _: "a.b.c",
    "unsigned": _unsigned,
    "shared key": _with_public_key_as_secret,
    "key of another provider": _of_another_provider,
    "another audience": lambda issuer: issuer.token(aud="other"),
    "no audience": lambda issuer: issuer.token(aud=None),
    "another issuer": lambda issuer: issuer.token(iss="https://example.com"),
    "expired": lambda issuer: issuer.token(exp=time.time() - 60),
    "no end": lambda issuer: issuer.token(exp=None),
    "not yet": lambda issuer: issuer.token(nbf=time.time() + 600),
    "no user": lambda issuer: issuer.token(email=None),
    "empty user": lambda issuer: issuer.token(email=""),
    "unverified address": lambda issuer: issuer.token(email_verified=False),
    "changed": lambda issuer: issuer.token()[:-4] + "AAAA",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_token_is_refused(tokens: Tokens, issuer: Issuer, name: str) -> None:
    with pytest.raises(Unauthorised):
        tokens.identity(WRONG[name](issuer))


def test_a_token_names_its_user_and_groups(tokens: Tokens, issuer: Issuer) -> None:
    token = issuer.token(groups=["staff", "post"])

    assert tokens.identity(token) == Identity("alice@example.com", frozenset({"staff", "post"}))
    assert tokens.identity(issuer.token(groups="all staff")).groups == {"all staff"}
    for absent in (None, [], ""):
        assert tokens.identity(issuer.token(groups=absent)).groups == frozenset()


@pytest.mark.parametrize("groups", [0, True, {}, {"staff": True}, ["staff", 7], [["staff"]]])
def test_groups_of_another_type_are_refused(tokens: Tokens, issuer: Issuer, groups: object) -> None:
    """Otherwise a user would lose rights without a reason."""
    with pytest.raises(Unauthorised, match=r"claim groups .* list of names, or one name"):
        tokens.identity(issuer.token(groups=groups))


def test_keys_are_not_read_from_another_address(issuer: Issuer, clock: ManualClock) -> None:
    with running_issuer() as other:
        issuer.moved["/keys"] = f"{other.url}/keys"
        forged = other.token(iss=issuer.url)
        with pytest.raises(Unauthorised, match="cannot be read"):
            Tokens(issuer.url, AUDIENCE, clock).identity(forged)
        assert not other.asked
        issuer.moved["/keys"] = f"{issuer.url}/newer-keys"

        assert Tokens(issuer.url, AUDIENCE, clock).identity(issuer.token())


def test_keys_are_read_once_and_again_for_a_new_key_but_not_for_each_token(
    tokens: Tokens, issuer: Issuer, clock: ManualClock
) -> None:
    for _ in range(3):
        tokens.identity(issuer.token())
    assert len(issuer.asked) == 2
    issuer.rotate("second")
    for _ in range(3):
        with pytest.raises(Unauthorised):
            tokens.identity(issuer.token())
    assert len(issuer.asked) == 2

    clock.advance(31_000)
    assert tokens.identity(issuer.token()).user == "alice@example.com"
    assert len(issuer.asked) == 4


def test_a_withdrawn_key_is_refused_after_an_hour(
    tokens: Tokens, issuer: Issuer, clock: ManualClock
) -> None:
    old = issuer.token(exp=time.time() + 100_000)
    assert tokens.identity(old)
    issuer.rotate("second")
    clock.advance(3_700_000)

    with pytest.raises(Unauthorised, match="unknown key"):
        tokens.identity(old)


def test_an_unknown_key_during_an_outage_locks_nobody_out(
    tokens: Tokens, issuer: Issuer, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anyone can name an unknown key, without a signature."""
    valid = issuer.token()
    tokens.identity(valid)
    issuer.rotate("second")
    clock.advance(31_000)

    def fails(_: str) -> None:
        raise Unauthorised("no reply")

    monkeypatch.setattr("ggrep.server.tokens._document", fails)

    with pytest.raises(Unauthorised):
        tokens.identity(issuer.token())
    assert tokens.identity(valid)


def test_a_provider_that_announces_another_issuer_is_refused(
    tokens: Tokens, issuer: Issuer
) -> None:
    issuer.issuer = "https://example.com"

    with pytest.raises(Unauthorised, match="another issuer"):
        tokens.identity(issuer.token())


def test_a_provider_that_does_not_answer_lets_nobody_in(clock: ManualClock) -> None:
    with running_issuer() as issuer:
        token = issuer.token()
    tokens = Tokens(issuer.url, AUDIENCE, clock)

    with pytest.raises(Unauthorised, match="cannot be read"):
        tokens.identity(token)


def test_a_provider_is_asked_over_an_encrypted_connection(clock: ManualClock) -> None:
    for url in ("http://id.example.com", "file:///etc/passwd", "ftp://localhost/keys"):
        with pytest.raises(InvalidRequest, match="https"):
            Tokens(url, AUDIENCE, clock)


def test_keys_can_be_read_from_a_file(issuer: Issuer, clock: ManualClock, tmp_path: Path) -> None:
    """A server without a connection to its provider still verifies tokens."""
    keys = tmp_path / "keys.json"
    keys.write_bytes(stable_json.dumps(issuer.document("/keys")))
    tokens = Tokens("https://id.example.com", AUDIENCE, clock, jwks=keys.as_uri())

    assert tokens.identity(issuer.token(iss="https://id.example.com"))
    with pytest.raises(Unauthorised):
        tokens.identity(Issuer("https://id.example.com").token())
