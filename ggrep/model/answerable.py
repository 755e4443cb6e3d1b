"""The base of requests, which names the type of their answer."""

from typing import Generic, TypeVar

from msgspec import Struct

R = TypeVar("R")


class Request(Struct, Generic[R], frozen=True):
    """A question to one repository whose answer is an `R`."""
