"""Tokens of `oidc-provider`, a certified provider from npm, give access to a server."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from ggrep.federation.server_connection import ROUTE
from ggrep.server.access import Identity
from ggrep.server.tokens import Tokens, Unauthorised
from tests.cluster.ray_nodes import free_port
from tests.fakes.issuer import AUDIENCE
from tests.fakes.site import running_site
from tests.fakes.team import CLOCK, Team

PACKAGE = "oidc-provider@9.13.3"
SCRIPT = Path(__file__).with_name("provider.mjs")
CALLBACK = "http://127.0.0.1:1/callback"
ALICE = Identity("alice@example.com", frozenset({"staff"}))
has_npm = shutil.which("npm") and shutil.which("node")
pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(not has_npm, reason="npm and node are not installed"),
]


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the script of the provider, beside the packages that it imports."""
    folder = tmp_path_factory.mktemp("provider")
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return Path(shutil.copy(SCRIPT, folder))


@contextmanager
def provider(script: Path, port: int, algorithm: str, key: str) -> Iterator[str]:
    """Yield the issuer of a running provider with one key."""
    command = ["node", str(script), str(port), algorithm, key]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert b"ready\n" in process.stdout
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


def of_user(issuer: str) -> str:
    """Return the ID token of a user who signs in with a browser."""
    forms = [{"prompt": "login", "login": "alice", "password": "x"}, {"prompt": "consent"}]
    asked = {"client_id": AUDIENCE, "response_type": "code", "scope": "openid email groups"}
    with httpx.Client(base_url=issuer) as browser:
        response = browser.get("/auth", params={**asked, "redirect_uri": CALLBACK})
        while not (goal := response.headers["location"]).startswith(CALLBACK):
            response = browser.get(goal)
            if "location" not in response.headers:
                response = browser.post(goal, data=forms.pop(0))
    code = httpx.URL(goal).params["code"]
    body = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK}
    return token(issuer, body, "id_token")


def of_service(issuer: str) -> str:
    """Return the access token of a program without a user."""
    body = {"grant_type": "client_credentials", "resource": "https://team.example.com"}
    return token(issuer, body, "access_token")


def token(issuer: str, body: dict[str, str], kind: str) -> str:
    """Return a token from the provider's reply."""
    response = httpx.post(f"{issuer}/token", data=body, auth=(AUDIENCE, "secret"))
    return str(response.raise_for_status().json()[kind])


@pytest.mark.parametrize("algorithm", ["RS256", "PS256", "ES256", "EdDSA"])
async def test_tokens_of_users_and_services_give_access(
    script: Path, team: Team, tmp_path: Path, algorithm: str
) -> None:
    with provider(script, free_port(), algorithm, "first") as issuer:
        tokens = Tokens(issuer, AUDIENCE, CLOCK)
        opaque = token(issuer, {"grant_type": "client_credentials"}, "access_token")
        async with running_site(team, tmp_path, tokens) as site:
            for each, keys in (
                (of_user(issuer), ["acme/cart", "acme/mail", "acme/site"]),
                (of_service(issuer), ["acme/cart", "acme/mail", "acme/site"]),
                (opaque, []),
            ):
                headers = {"authorization": f"Bearer {each}"}
                reply = (await site.client.post(ROUTE, json={}, headers=headers)).json()
                assert [key for key, _ in reply.get("repos", ())] == keys, reply


def test_tokens_of_a_replaced_key_are_refused(script: Path) -> None:
    port = free_port()
    with provider(script, port, "RS256", "first") as issuer:
        old = of_service(issuer)
    with provider(script, port, "RS256", "second") as issuer:
        tokens = Tokens(issuer, AUDIENCE, CLOCK)
        assert tokens.identity(of_service(issuer)) == ALICE
        with pytest.raises(Unauthorised, match="unknown key"):
            tokens.identity(old)
        with pytest.raises(Unauthorised, match="Audience"):
            Tokens(issuer, "other", CLOCK).identity(of_service(issuer))
