"""The JSON of a slate: schema `slate_success`, version 1."""

from typing import TYPE_CHECKING

from ggrep.base.formats import SLATE_SCHEMA
from ggrep.model.slate import SessionState, SlateResponse
from ggrep.render.metadata_json import metadata_json, timed_json
from ggrep.search.slate.document import slate_json

if TYPE_CHECKING:
    from ggrep.model.schemas.slate import ContinuedJson, SessionJson, SlateAnswerJson


def slate_success(response: SlateResponse) -> "SlateAnswerJson":
    """Return the answer as its JSON object; without a session there is no `session`."""
    return {
        **metadata_json(response, SLATE_SCHEMA),
        **timed_json(response),
        **_continued(response),
        "mode": response.request.search.mode.value,
        "confidence": response.confidence.value,
        "slate": slate_json(response.slate),
    }


def _continued(response: SlateResponse) -> "ContinuedJson":
    return {} if response.session is None else {"session": session_json(response.session)}


def session_json(session: SessionState) -> "SessionJson":
    """Return what goes on with a session."""
    return {
        "token": session.token,
        "op": session.op,
        "seen_set_digest": session.seen_set_digest,
        "seen_files": session.seen_files,
        "expires_in_secs": session.expires_in_secs,
    }
