"""The JSON of a slate: schema `slate_success`, version 1."""

from typing import TYPE_CHECKING

from ggrep.base.formats import SLATE_SCHEMA
from ggrep.base.stable_json import plain
from ggrep.model.slate import SessionState, SlateResponse
from ggrep.render.metadata_json import metadata_json, timed_json
from ggrep.search.slate.document import slate_json

if TYPE_CHECKING:
    from ggrep.model.schemas.slate import ContinuedJson, SlateAnswerJson


def slate_success(response: SlateResponse) -> "SlateAnswerJson":
    """Return the answer as its JSON object; without a session there is no `session`."""
    return {
        **metadata_json(response, SLATE_SCHEMA),
        **timed_json(response),
        **continued_json(response.session),
        "mode": response.request.search.mode.value,
        "confidence": response.confidence.value,
        "slate": slate_json(response.slate),
    }


def continued_json(session: SessionState | None) -> "ContinuedJson":
    """Return what goes on with a session, under its key; nothing without one."""
    return {} if session is None else {"session": plain(session)}
