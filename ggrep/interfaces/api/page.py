"""The page for browsers: its files, its keys, and the repositories that it can search."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

import ggrep
from ggrep.base.terminal import LINKS
from ggrep.interfaces.api.http_messages import ALWAYS, Handler, document_response, read_parameters
from ggrep.interfaces.surfaces.http_server import AUTHORISED, Refusal, bearer_of
from ggrep.interfaces.surfaces.page_keys import PageKeys
from ggrep.model.page import PagePlaces, PageRepository, PageSession, PageWorkspace

SESSION: Final = "/session"
_FOLDER: Final = files("ggrep") / "interfaces" / "api" / "assets"
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
HEADERS: Final = {
    **ALWAYS,
    # Forbids inline scripts and styles, evaluation, other servers, and turning text into markup.
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
}


class Asset(Struct, frozen=True):
    """A file of the page."""

    data: bytes
    media_type: str

    async def respond(self, request: Request) -> ASGIApp:
        """Return the file; query parameters are ignored, as they only store the page's state."""
        del request
        headers = {**HEADERS, "content-type": self.media_type}
        if self.media_type == _TYPES[".svg"]:
            # Browsers request the icon after each change of the address.
            headers["cache-control"] = "max-age=3600"
        return Response(self.data, headers=headers)


def page_files() -> dict[str, str]:
    """Return the media types of the page's files by route."""
    names = sorted(each.name for each in _FOLDER.iterdir() if Path(each.name).suffix in _TYPES)
    return {
        "/" if name == "index.html" else f"/page/{name}": _TYPES[Path(name).suffix]
        for name in names
    }


def load_assets() -> dict[str, Asset]:
    """Return the files of the page by route."""
    return {
        path: Asset((_FOLDER / (path.rpartition("/")[2] or "index.html")).read_bytes(), kind)
        for path, kind in page_files().items()
    }


class PageRoutes(Struct, frozen=True):
    """The routes that only pages need.

    Attributes:
        keys: credentials of pages; None if the server requires no token.
        root: canonical root of the default repository; None without one.
        workspaces: absolute paths of workspace files.
        members: returns the searchable repositories of a workspace file.
    """

    keys: PageKeys | None
    root: Path | None
    workspaces: Sequence[Path]
    members: Callable[[Path], Awaitable[tuple[PageRepository, ...]]]
    assets: Mapping[str, Asset]

    @property
    def public(self) -> frozenset[str]:
        """Return the routes that need no token."""
        return frozenset({*self.assets, SESSION})

    def table(self) -> Mapping[tuple[str, str], Handler]:
        """Return the handlers by method and path."""
        return {
            **{("GET", path): asset.respond for path, asset in self.assets.items()},
            ("POST", SESSION): self.session,
            ("GET", "/places"): self.places,
        }

    async def session(self, request: Request) -> ASGIApp:
        """Exchange a one-time code or the server's token, sent as a bearer token, for a key."""
        key = None
        if self.keys is not None:
            key = self.keys.exchange(bearer_of(request.headers.getlist("authorization")))
            if key is None:
                raise Refusal(
                    401,
                    "unauthorized",
                    "the address is not valid or was already used; for a new one: ggrep ui",
                )
        return document_response(PageSession(key=key).to_dict())

    async def places(self, request: Request) -> ASGIApp:
        """Return the repositories and workspaces that the page can search."""
        read_parameters(request.query_params, ())
        authorised = request.scope.get(AUTHORISED, False)
        root = self.root
        places = PagePlaces(
            version=ggrep.__version__,
            repository=None
            if root is None
            else PageRepository(root.name, str(root) if authorised else None),
            workspaces=tuple([each async for each in self._workspaces()]) if authorised else (),
            editors={name: link for name, link in LINKS.items() if not link.startswith("file:")},
        )
        return document_response(places.to_dict())

    async def _workspaces(self) -> AsyncIterator[PageWorkspace]:
        names = set() if self.root is None else {self.root.name}
        for path in self.workspaces:
            name = next(
                name
                for number in count(1)
                if (name := path.stem if number == 1 else f"{path.stem}-{number}") not in names
            )
            names.add(name)
            yield PageWorkspace(name, str(path), await self.members(path))
