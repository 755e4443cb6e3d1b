"""How current an answer was when it was given: the state of its index's updates."""

from dataclasses import replace
from typing import TypeVar

from ggrep.model.limits import sorted_notices
from ggrep.model.navigation import ExpandResponse, ReferencesResponse, SymbolResponse
from ggrep.model.response import QueryResponse
from ggrep.model.slate import SlateResponse
from ggrep.model.standing import Standing, standing_notices

A = TypeVar("A", QueryResponse, SlateResponse, SymbolResponse, ReferencesResponse, ExpandResponse)


def of_the_moment(found: A, standing: Standing, *, deterministic: bool) -> A:
    """Return the answer with the state of its index's updates.

    Deterministic ones hold nothing of the moment. Of a partial snapshot, and of a scan, it is
    said already that there is more.
    """
    if deterministic:
        return found
    whole = not found.provenance.partial and found.provenance.scan is None
    said: Standing = replace(standing, behind=standing.behind and whole)
    notices = sorted_notices((*found.warnings, *standing_notices(said)))
    return replace(found, warnings=notices)
