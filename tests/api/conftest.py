"""A server over a small workspace, some of it out of bounds."""

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from ggrep.base.clock import SystemClock
from ggrep.interfaces.api.http_app import ApiRules, make_app
from ggrep.interfaces.surfaces.http_server import LOOPBACK_NAMES, AccessRules
from ggrep.service.workspace_access import Allowlist
from tests.fakes.desks import FakeDesk, row
from tests.fakes.sites import TOKEN, WORKSPACE, Site


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a directory with a workspace, two repositories inside and one outside."""
    result = tmp_path.resolve()
    for name in ("in/ws", "in/a", "in/b", "out/c"):
        (result / name).mkdir(parents=True)
    (result / "in" / "ws" / "w.jsonc").write_text(WORKSPACE)
    return result


@pytest.fixture
def service() -> FakeDesk:
    return FakeDesk({name: (row(f"{name}1"), row(f"{name}2")) for name in ("a", "b", "c")})


@pytest.fixture
def make_site(place: Path, service: FakeDesk) -> Callable[..., Site]:
    """Return what makes a server; its arguments are those of `ApiRules` and `AccessRules`."""

    def make(
        *,
        token: str | None = TOKEN,
        hosts: frozenset[str] = frozenset(),
        origins: frozenset[str] = frozenset(),
        **rules: object,
    ) -> Site:
        reports: list[BaseException] = []
        app = make_app(
            service,
            ApiRules(
                AccessRules(token, LOOPBACK_NAMES | hosts, origins),
                Allowlist([place / "in"]),
                **rules,
            ),
            SystemClock(),
            report_error=reports.append,
        )
        headers = {"authorization": f"Bearer {token}"} if token else {}
        client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", headers=headers
        )
        return Site(app, client, place, service, reports)

    return make


@pytest.fixture
def site(make_site: Callable[..., Site]) -> Site:
    return make_site()
