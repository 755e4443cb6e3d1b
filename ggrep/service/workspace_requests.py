"""Builds a request to a workspace from options."""

from dataclasses import replace

from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace_slates import SlateShape
from ggrep.service.requests import Options, fields_of, made_of, search_request, slate_request


def federated_request(query: str, given: Options) -> FederatedRequest:
    """Return a query over a workspace; its bounds are checked when it is asked.

    Raises:
        InvalidRequest: a value is of another type or out of range; the message names the option.
    """
    own = fields_of(FederatedRequest, given)
    top = {"top": given["limit"]} if "limit" in given else {}
    search = search_request(query, {name: given[name] for name in given if name != "limit"})
    # Without hits there is still an answer: who was asked, and what became of them.
    asked = {"search": {"query": query}, **own, **top}
    return replace(made_of(FederatedRequest, asked, zeros=("top",)), search=search)


def slate_shape(query: str, given: Options) -> SlateShape:
    """Return what a slate is to look like; errors as `federated_request`."""
    asked = slate_request(query, given)
    return SlateShape(asked.level, asked.budgets, asked.anchors, asked.graph)
