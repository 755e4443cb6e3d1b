"""What a repository's own profile makes of a workspace's question: its view narrows the answer.

What a profile says of questions (mode, number of hits, level) is left: a workspace's question is
one for all of its repositories.
"""

import hashlib
from typing import Any, TypeVar

from msgspec.structs import replace

from ggrep.config.profiles import Profile, ProfileView
from ggrep.model.answerable import Request
from ggrep.model.corpus import CORPUS_WORDS
from ggrep.model.filters import Filter
from ggrep.model.request import PoolRequest, SearchRequest
from ggrep.model.response import RepoDescription
from ggrep.model.slate import SlateRequest

R = TypeVar("R")


def narrowed(request: Request[R], profile: Profile) -> Any:  # noqa: ANN401 - as the request
    """Return the request under a profile; lists that it hides are empty."""
    if isinstance(request, PoolRequest | SlateRequest):
        return replace(request, search=_narrowed(request.search, profile.view))
    return request


def _narrowed(request: SearchRequest, view: ProfileView) -> SearchRequest:
    # Corpora stay as they were asked for: each of them is a list of the answer.
    hidden = [
        Filter("corpus", word, negated=True)
        for word, corpus in CORPUS_WORDS.items()
        if corpus not in view.corpora
    ]
    within = dict.fromkeys((*request.within, *view.within, *hidden))
    return replace(request, within=tuple(within))


def described(description: RepoDescription, profile: Profile) -> RepoDescription:
    """Return the description with the profile's name, and a key that tells its view from others."""
    if profile.view == ProfileView():
        return description
    said = f"{description.answers_key}|{profile.view!r}"
    key = hashlib.sha256(said.encode()).hexdigest()
    return replace(description, answers_key=key, profile=profile.name)
