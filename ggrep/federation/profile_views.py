"""What a repository's own profile makes of a workspace's question: its view narrows the answer.

What a profile says of questions (mode, number of hits, level) is left: a workspace's question is
one for all of its repositories.
"""

import hashlib
from dataclasses import replace

from ggrep.config.profiles import Profile, ProfileView, narrowed
from ggrep.model.request import PoolRequest
from ggrep.model.response import RepoDescription
from ggrep.model.slate import SlateRequest


def narrowed_pool(request: PoolRequest, profile: Profile) -> PoolRequest:
    """Return the request for lists under a profile.

    Raises:
        InvalidRequest: the profile shows none of the corpora that were asked for.
    """
    return replace(request, search=narrowed(request.search, profile))


def narrowed_slate(request: SlateRequest, profile: Profile) -> SlateRequest:
    """Return the request for a slate under a profile; errors as `narrowed_pool`."""
    return replace(request, search=narrowed(request.search, profile))


def described(description: RepoDescription, profile: Profile) -> RepoDescription:
    """Return the description with the profile's name, and a key that tells its view from others."""
    if profile.view == ProfileView():
        return description
    said = f"{description.answers_key}|{profile.view!r}"
    key = hashlib.sha256(said.encode()).hexdigest()
    return replace(description, answers_key=key, profile=profile.name)
