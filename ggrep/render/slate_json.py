"""The JSON of a slate: schema `slate_success`, version 1."""

from ggrep.domain.slate import SessionState, SlateResponse
from ggrep.formats import SLATE_SCHEMA
from ggrep.render.metadata_json import metadata_json
from ggrep.slate.document import slate_json
from ggrep.stable_json import Json


def slate_success(response: SlateResponse) -> dict[str, Json]:
    """Return the answer as its JSON object; without a session there is no `session`."""
    document: dict[str, Json] = {
        **metadata_json(response, SLATE_SCHEMA),
        "mode": response.request.search.mode.value,
        "confidence": response.confidence.value,
        "slate": slate_json(response.slate),
    }
    if response.session is not None:
        document["session"] = session_json(response.session)
    return document


def session_json(session: SessionState) -> dict[str, Json]:
    """Return what goes on with a session."""
    return {
        "token": session.token,
        "op": session.op,
        "seen_set_digest": session.seen_set_digest,
        "seen_files": session.seen_files,
        "expires_in_secs": session.expires_in_secs,
    }
